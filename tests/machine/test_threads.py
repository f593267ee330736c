"""Captures of machine code, what it leaves in memory and what it counts are the same bytes on any number of threads, whether work-groups run at the same time or in turns. The code is that of committed cubins; where there is
an nvcc, also of a sixth of the suite's kernels (WARPSCOPE_TEST_KERNELS=all: of all)."""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests"), str(SOURCE / "python")]
import sampled  # noqa: E402
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

SUITE = SOURCE / "benchmarks" / "kernels"
DATA = SOURCE / "tests" / "unit" / "machine" / "data"
NVCC = cuda_tools.look("nvcc")
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
    "sums of integers and of reals": ("executed/order_sm90.cubin", "counts", (*launch(120, 96), *buffer("param_0", 96 + 120), *buffer("param_1", 1, kind="float"))),
    "bytes of a word": ("executed/order_sm90.cubin", "bytes", (*launch(120, 96), *buffer("param_0", 120 * 96, kind="uchar"))),
    "what others wrote": ("executed/order_sm90.cubin", "neighbours", (*launch(120, 96), *buffer("param_0", 120 * 96), *buffer("param_1", 120 * 96), "--arg", "param_2=0")),
    "clusters": ("executed/clusters_sm90.cubin", "numbers", (*launch(60, 64), *buffer("param_0", 60 * 16), "--cluster", "2,1,1")),
    "many small work-groups": ("executed/order_sm90.cubin", "in_place", (*launch(3000, 32), *buffer("param_0", 3000 * 32))),
}


# What the summary says of those that run in turns. "": of several causes one comes first.
IN_TURNS = {
    "an atomic's result": "what an atomic returned",
    "a lock": "what an atomic returned",
    "look-back": "others",
    "a barrier of the grid": "",
    "bytes of a word": "access what others write",
    "what others wrote": "access what others write",
    "clusters": "cluster",
}


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_tool(self, *words, **environment):
        return subprocess.run([BIN / "trace-kernel", *map(str, words)], cwd=self.folder, capture_output=True, text=True, env={**os.environ, "WARPSCOPE_CACHE": "", **environment})

    def written(self):
        return [(self.folder / "k.wtrace").read_bytes(), *(path.read_bytes() for path in sorted((self.folder / "out").iterdir()))]


@unittest.skipUnless(NVCC, "no nvcc in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class SuiteNeedsCudaToolkit(WithFolder):
    def compile_once(self, name):
        """A folder for CUDA_HOME whose nvcc hands out again what it made first."""
        tools, kept = self.folder / name / "bin", self.folder / f"{name}.cubin"
        tools.mkdir(parents=True)
        (tools / "ptxas").symlink_to(pathlib.Path(NVCC).parent / "ptxas")
        (tools / "nvcc").write_text(f"""#!/bin/sh
[ "$1 $5" = "-cubin -o" ] || exec {NVCC} "$@"
[ -e {kept} ] || {NVCC} "$@" || exit
[ -e {kept} ] || cp "$6" {kept}
cp {kept} "$6"
""")
        (tools / "nvcc").chmod(0o755)
        return {"CUDA_HOME": str(tools.parent)}

    def test_the_same_bytes(self):
        """Captures; counters without a capture; buffers of both."""
        for name in sampled.some(sorted(path.stem for path in SUITE.glob("*/*.cu") if path.stem == path.parent.name)):
            words = [SUITE / name / f"{name}.cu", "--machine=h100", *(["--size", "small"] if '"small"' in (SUITE / name / f"{name}.launch").read_text() else [])]
            environment = self.compile_once(name)
            with self.subTest(name):
                found = {"-o": set(), "--counters": set(), "--dump-buffers": set()}
                for option, threads in itertools.product(("-o", "--counters"), THREADS):
                    file, buffers = self.folder / "made", self.folder / f"{name}{option}{threads}"
                    done = self.run_tool(*words, "--threads", threads, option, file, "--dump-buffers", buffers, **environment)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found[option].add(file.read_bytes())
                    found["--dump-buffers"].add(tuple((path.name, path.read_bytes()) for path in sorted(buffers.iterdir())))
                self.assertEqual([len(contents) for contents in found.values()], [1, 1, 1], list(found))


class Threads(WithFolder):
    def trace(self, cubin, kernel, words, threads, *more):
        return self.run_tool(DATA / cubin, "--kernel", kernel, *words, "--threads", threads, *more)

    def test_the_same_bytes(self):
        for name, given in KERNELS.items():
            with self.subTest(name):
                found = []
                for threads in THREADS:
                    done = self.trace(*given, threads, "-o", "k.wtrace", "--dump-buffers", "out")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    turns = re.findall("work-groups ran in turns on one thread: (.*)", done.stderr)
                    self.assertEqual(len(turns), 1 if threads > 1 and name in IN_TURNS else 0, done.stderr)
                    self.assertTrue(not turns or IN_TURNS[name] in turns[0], turns)
                    found.append(self.written())
                self.assertTrue(all(one == found[0] for one in found))

    def test_the_same_counters(self):
        for name, given in KERNELS.items():
            with self.subTest(name):
                found = []
                for threads in THREADS:
                    done = self.trace(*given, threads, "--gpu", "h100", "--counters", "c.json")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found.append((self.folder / "c.json").read_bytes())
                self.assertTrue(all(one == found[0] for one in found))

    def test_a_part(self):
        """Also where work-groups that are not recorded do not run."""
        cubin, kernel, words = KERNELS["sums of integers and of reals"]
        for more in ((), ("--skip-others",), ("--group-order", "random(3)")):
            found = []
            for threads in THREADS:
                done = self.trace(cubin, kernel, words, threads, "--work-groups", "3-40,77", "-o", "k.wtrace", *more)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("in turns", done.stderr)
                found.append((self.folder / "k.wtrace").read_bytes())
            self.assertTrue(all(one == found[0] for one in found), more)

    def test_a_limit(self):
        """The same message, where it is reached and where not."""
        cubin, kernel, words = KERNELS["plain"]
        for limit, status in ((700000, 3), (717696, 0), (1000, 3)):
            found = set()
            for threads in THREADS:
                done = self.trace(cubin, kernel, words, threads, "--limit-instructions", limit, "-o", "k.wtrace")
                self.assertEqual(done.returncode, status, done.stderr)
                found.add(done.stderr if status == 3 else "")
            self.assertEqual(len(found), 1, found)

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
