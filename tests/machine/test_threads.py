"""Captures of machine code are the same bytes on any number of threads: one executes, the others build what it has done. The code is that of committed cubins."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend")]
from support import BIN  # noqa: E402

DATA = SOURCE / "tests" / "unit" / "machine" / "data"
THREADS = (1, 2, 7)


def buffer(name, count, fill="zero", kind="uint"):
    return ("--arg", f"{name}=count={count},type={kind},fill={fill}")


def launch(groups, size):
    return ("--grid", groups, "--block", size)


# (cubin, kernel, words)
KERNELS = {
    "plain": ("kernels/sm_90/mm_tiled.cubin", "mm_tiled", (*launch("12,12", "16,16"), *(word for number in range(3) for word in buffer(f"param_{number}", 192 * 192)), "--arg", "param_3=192")),
    "divergent": ("kernels/sm_90/search_sorted.cubin", "search_sorted", (*launch(40, 256), *buffer("param_0", 1 << 14, "iota"), *buffer("param_1", 40 * 256, "random(16384)"), *buffer("param_2", 40 * 256),
                                                                           "--arg", f"param_3={1 << 14}")),
    "an atomic's result": ("executed/order_sm90.cubin", "tickets", (*launch(60, 96), *buffer("param_0", 1), *buffer("param_1", 60 * 96), "--arg", "param_2=0")),
    "a lock": ("executed/order_sm90.cubin", "tickets", (*launch(20, 96), *buffer("param_0", 1), *buffer("param_1", 20 * 96), "--arg", "param_2=1")),
    "look-back": ("executed/waits_sm90.cubin", "look_back_scan", (*launch(90, 128), *buffer("param_0", 90 * 128, "iota"), *buffer("param_1", 90 * 128), *buffer("param_2", 90, kind="ulong"), "--arg", "param_3=1")),
    "a barrier of the grid": ("executed/waits_sm90.cubin", "grid_barrier", (*launch(70, 64), *buffer("param_0", 70 * 64, "iota"), *buffer("param_1", 70 * 64), *buffer("param_2", 1), "--arg", "param_3=4", "--arg", "param_4=0")),
    "many small work-groups": ("executed/order_sm90.cubin", "in_place", (*launch(3000, 32), *buffer("param_0", 3000 * 32))),
}


class Threads(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def trace(self, cubin, kernel, words, threads, *more):
        command = [BIN / "trace-kernel", DATA / cubin, "--kernel", kernel, *words, "--threads", threads, *more]
        return subprocess.run([*map(str, command)], cwd=self.folder, capture_output=True, text=True, env={**os.environ, "WARPSCOPE_CACHE": ""})

    def test_the_same_bytes(self):
        for name, given in KERNELS.items():
            with self.subTest(name):
                found = []
                for threads in THREADS:
                    done = self.trace(*given, threads, "-o", "k.wtrace", "--dump-buffers", "out")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found.append([(self.folder / "k.wtrace").read_bytes(), *(path.read_bytes() for path in sorted((self.folder / "out").iterdir()))])
                self.assertTrue(all(one == found[0] for one in found))

    def test_what_is_printed_comes_in_order(self):
        words = (*launch(50, 64), *buffer("param_0", 50 * 64), "--arg", "param_1=50")
        for threads in THREADS:
            done = self.trace("executed/order_sm90.cubin", "prints", words, threads, "-o", "k.wtrace")
            self.assertEqual((done.returncode, done.stdout), (0, "".join(f"work-group {group}\n" for group in range(50))), done.stderr)

    def test_a_fault_in_the_middle(self):
        """The same message, no capture, and in CAPTURE.part the work-groups before."""
        words = (*launch(50, 64), *buffer("param_0", 50 * 64), "--arg", "param_1=31")
        found = []
        for threads in THREADS:
            done = self.trace("executed/order_sm90.cubin", "prints", words, threads, "-o", "k.wtrace")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("work-group (31, 0, 0), work-item (0, 0, 0)", done.stderr)
            self.assertFalse((self.folder / "k.wtrace").exists())
            part = subprocess.run([BIN / "trace-view", "--partial", "--summary", "--json", "k.wtrace.part"], cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertIn('"work_groups":31', part.stdout.replace(" ", ""))
            found.append((done.stderr, done.stdout, part.stdout))
        self.assertTrue(all(one == found[0] for one in found))


if __name__ == "__main__":
    unittest.main()
