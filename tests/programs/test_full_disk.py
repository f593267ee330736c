"""A disk that is full, for the capture, the temporary folder or both: never status 0 without a whole capture, and the program
goes on."""
import subprocess
import unittest

from support import BIN, SOURCE, TEST_BIN, ProgramTest

HOST = TEST_BIN / "programs_host"


class FullDisk(ProgramTest):
    def setUp(self):
        super().setUp()
        self.library = self.folder / "full_disk.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, SOURCE / "tests/soak/full_disk.c", "-ldl"], check=True)
        self.disk, self.counter = self.folder / "disk", self.folder / "counter"
        (self.disk / "tmp").mkdir(parents=True)
        self.assertEqual(self.run_until(1 << 62).returncode, 0)  # fills the caches, too
        self.whole = (self.disk / "x.wtrace").read_bytes()

    def run_until(self, write, **variables):
        """The run in which this write to the disk, and every one after it, finds it full."""
        self.counter.write_bytes(bytes(8))
        (self.disk / "x.wtrace").unlink(missing_ok=True)
        full = {**self.environment, "TMPDIR": str(self.disk / "tmp"), "LD_PRELOAD": str(self.library),
                "SOAK_FOLDER": str(self.disk), "SOAK_COUNTER": str(self.counter), "SOAK_FAIL_AT": str(write), **variables}
        command = [BIN / "trace-kernel", "-o", self.disk / "x.wtrace", "--", HOST, "one_launch"]
        return subprocess.run(command, cwd=self.folder, env=full, capture_output=True, text=True, timeout=240)

    def test_is_reported_at_every_write(self):
        self.run_until(1 << 62)
        writes = int.from_bytes(self.counter.read_bytes(), "little")
        self.assertGreater(writes, 5)
        for write in range(1, writes + 1):
            with self.subTest(write=write, of=writes):
                done = self.run_until(write)
                found = (self.disk / "x.wtrace").read_bytes() if (self.disk / "x.wtrace").exists() else None
                is_whole = found == self.whole
                self.assertEqual(done.returncode == 0, is_whole, f"{done.stderr}\nfound {found}\nwhole {self.whole}")
                self.assertIn(done.returncode, (0, 2, 3), done.stderr)
                if not is_whole:
                    self.assertRegex(done.stderr, "No space left on device|settings.json: cannot write, expected a writable .TMPDIR")


if __name__ == "__main__":
    unittest.main()
