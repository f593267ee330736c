"""warpscope judge of programs whose host does the work: prepared.c. Of rows and numbers that are compared, a witness without hashes."""
import pathlib
import subprocess
import sys
import unittest

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import SOURCE, ToolTest  # noqa: E402
from sampled import load_quarter as load_tests  # noqa: F401,E402

sys.path.insert(0, str(SOURCE / "python"))
from warpscope.explore.judge import host  # noqa: E402

HOWS = ("right", "copy", "late", "mapped", "xor", "sum", "reversed", "doubles", "halves", "shuffled", "one-by-one", "table", "input-reversed", "input-doubles", "round-trip", "elsewhere")
HONEST = ("table", "input-reversed", "input-doubles", "round-trip")


class HostWork(ToolTest):
    def build(self, how):
        subprocess.run(["gcc", "-O1", f"-DHOW={HOWS.index(how)}", FOLDER / "prepared.c", "-o", self.folder / how, "-lOpenCL"], check=True)
        return f"./{how}"

    def judged(self, how):
        """(exit status, what is said)."""
        done = self.call("warpscope", "judge", "--reference", f"{self.build('right')} {{seed}} {{size}} {{out}}", "--outputs", "y.bin:f4", "--sizes", "100", "--no-cost",
                         "--", self.build(how), "{seed}", "{size}", "{out}")
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def test_kernels_that_copy(self):
        for how in HOWS[1:]:
            if how in HONEST:
                continue
            with self.subTest(how=how):
                status, said = self.judged(how)
                self.assertEqual(status, 4, said)
                self.assertIn("host-work: ", said)

    def test_honest_programs(self):
        for how in HONEST:
            with self.subTest(how=how):
                status, said = self.judged(how)
                self.assertEqual(status, 0, said)


class OfCuda(ToolTest):
    """The same by Warpscope's compiler, and by NVIDIA's."""

    def both_ways(self, *options):
        for prepared in False, True:
            done = self.call("warpscope-nvcc", *options, FOLDER / "prepared.cu", *(["-DPREPARED"] if prepared else []), "-o", f"program{int(prepared)}")
            self.assertEqual(done.returncode, 0, done.stderr.decode())
        for prepared in False, True:
            done = self.call("warpscope", "judge", "--reference", "./program0 {seed} {size} {out}", "--outputs", "y.bin:f4", "--sizes", "1000", "--no-cost",
                             "--", f"./program{int(prepared)}", "{seed}", "{size}", "{out}")
            said = done.stdout.decode() + done.stderr.decode()
            self.assertEqual((done.returncode, "host-work: " in said), (4, True) if prepared else (0, False), said)
            self.assertNotIn("is not known", said)

    def test_by_clang(self):
        self.both_ways()

    def test_NeedsCudaToolkit_by_nvcc(self):
        self.both_ways("--with-nvcc", "-arch=sm_90", "-cudart", "shared")


class Rows(unittest.TestCase):
    def test_of_random_numbers(self):
        """The same as looking for each row at each place."""
        random = numpy.random.default_rng(7)
        for _ in range(50):
            own, other = random.random(40).astype("f4"), random.random(300).astype("f4")
            at, size = int(random.integers(0, 250)), int(random.integers(0, 40))
            other[at:at + size] = own[:size]
            bits = [other.tobytes()]
            rows = [own[k:k + host.ROW].tobytes() for k in range(len(own) - host.ROW + 1)]
            places = {other[k:k + host.ROW].tobytes() for k in range(len(other) - host.ROW + 1)}
            expected = sum(row in places for row in rows)
            found = host._rows("y", "", host._bits(own), [host._bits(numpy.frombuffer(one, "f4")) for one in bits], [])
            self.assertEqual(found.count if found else 0, expected if expected >= max(2, host.SHARE * len(rows)) else 0)

    def test_what_chance_brings(self):
        """Small whole numbers, and many numbers in a narrow range, say nothing."""
        random = numpy.random.default_rng(8)
        for kind, high in (("i4", 100), ("i4", 10**6), ("f4", 1.0)):
            own, other = ((random.random(100_000) * high).astype(kind) for _ in range(2))
            self.assertEqual(host.find({"y": own}, host.Memory([other.tobytes()]), host.Memory()), [])

    def test_what_the_reference_writes_as_well(self):
        own = numpy.random.default_rng(9).random(100).astype("f4")
        written = host.Memory([own.tobytes()])
        self.assertEqual(len(host.find({"y": own}, written, host.Memory())), 1)
        self.assertEqual(host.find({"y": own}, written, written), [])

    def test_what_no_kernel_left(self):
        """Only where the reference's kernels left the whole output."""
        own = numpy.random.default_rng(10).random(100).astype("f4")
        left, other = host.Memory([], [b"1234" + own.tobytes()]), host.Memory([], [(own + 1).tobytes()])
        self.assertEqual(host.not_of_kernels({"y": own}, left, {"y": own}, left), [])
        self.assertEqual(len(host.not_of_kernels({"y": own}, other, {"y": own}, left)), 1)
        self.assertEqual(host.not_of_kernels({"y": own}, other, {"y": own}, other), [])


if __name__ == "__main__":
    unittest.main()
