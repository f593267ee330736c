"""CLBlast's kernels are counted as Oclgrind counts them, and all of its calls compute what they do untraced: two minutes, which
long_applications.sh takes."""
import unittest

from support import TEST_BIN, ProgramTest
from test_applications import OCLGRIND, interpreted_counts, recorded_counts


class Clblast(ProgramTest):
    def test_clblast_with_matrices(self):
        done = self.assert_same_program(TEST_BIN / "programs_clblast")
        self.assertNotRegex(done.stderr, "not traced|outside")
        self.check()

    def test_clblast_counts_are_oclgrinds(self):
        program = (TEST_BIN / "programs_clblast", "32")
        self.assertEqual(self.traced(*program, options=("--optimize", "O0")).returncode, 0)
        ours = recorded_counts(self)
        self.assertGreaterEqual(len(ours), 17)  # one kernel per call at least
        theirs = []
        for _ in range(3):  # Oclgrind 21.10 corrupts its heap now and then; what it has listed by then is right
            listed = self.plain("env", "HOST_PLATFORM=Oclgrind", *OCLGRIND, *program)
            theirs = max(theirs, interpreted_counts(listed.stdout), key=len)
            if len(theirs) == len(ours):
                break
        self.assertEqual(ours[:len(theirs)], theirs)
        self.assertGreaterEqual(len(theirs), 13, "Oclgrind aborts early")


if __name__ == "__main__":
    unittest.main()
