"""Benchmark kernels at their small size, each captured once in every way and then looked at from all sides:

- It computes what the host computes (check.py), with and without instrumentation.
- Oclgrind counts what trace-kernel counts. It interprets the kernel and knows nothing of our pass, PoCL or our recorder.
  With the bitcode that is instrumented this tests instrumentation and recording (source text would not do: Oclgrind does
  not merge and promote accesses as a GPU's compiler does); with --optimize O0 and the source text, which Oclgrind
  compiles by itself, all but private memory (which our mode still partly moves to registers), also the front end.
- NAME.cu next to NAME.cl makes the same accesses and computes what the host computes.
- Kernels that are recorded in boxes of work-items give the capture that recording these one by one gives,
  also where nothing but their addresses is computed.
- A .sim file gives the same capture as the launch file; buffers' content comes from
  benchmarks/kernels/buffer_content.py, which knows nothing of trace-kernel's.
- Replays give every access the site that was recorded; the capture that is replayed was made with one thread, the one with
  which it is compared with two (tests/endtoend/test_determinism.py compares bytes).

A test is a (kernel, view) pair. sample.py says which kernels are taken; test_every_kernel.py EveryKernel.test_mm_cuda takes one pair.
WARPSCOPE_SHARD=i/n takes every n-th of the kernels, so that ctest runs parts side by side.
"""
import filecmp
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from counts import interpreted, recorded
from features import features_of
from launches import BIN, SOURCE, Launch
from sample import CORE, VARIABLE, chosen, commit, drawn
from support import GTX480_L1, captures as shared, kernels

# A jump out of two loops and a loop with two entries: the two rules of reconvergence may differ (scheduler/README.md).
UNSTRUCTURED = {"flow"}
POLICIES = ("warp", "rr", "random", "sequential")
THREADS = {"POCL_MAX_PTHREAD_COUNT": "2"}

folders = tempfile.TemporaryDirectory()


class Captures:
    """One kernel's captures, made when first asked for."""

    def __init__(self, name):
        self.launch = Launch(name)
        self.folder = pathlib.Path(folders.name) / name
        self.folder.mkdir()

    def run(self, tool, *words, **environment):
        done = subprocess.run([str(BIN / tool), *map(str, words)], cwd=self.folder, capture_output=True,
                              stdin=subprocess.DEVNULL, env={**os.environ, **environment})
        if done.returncode:
            raise AssertionError(f"{tool} {words}: {done.stderr.decode()}")
        return done

    def trace(self, source, name, *options, **environment):
        done = self.run("trace-kernel", source, *self.launch.options, "-o", f"{name}.wtrace", *options, **environment)
        return done.stderr.decode()

    def verified(self, mode):
        """Also compared with a run without instrumentation; buffers and the compiler's files are kept."""
        return self.trace(self.launch.source, mode, "--verify", "--dump-buffers", f"{mode}.buffers", "--optimize", mode,
                          "--keep-temporaries", f"{mode}.kept", **THREADS)

    @functools.cached_property
    def gpu(self):
        return self.verified("gpu")

    @functools.cached_property
    def o0(self):
        return self.verified("O0")

    @functools.cached_property
    def cuda(self):
        return self.trace(self.launch.source.with_suffix(".cu"), "cuda", "--dump-buffers", "cuda.buffers")

    @functools.cached_property
    def boxes(self):
        """As trace-kernel records it without further options; other tests read this capture, too."""
        return shared.capture(self.launch.source.stem, *self.launch.options)

    @functools.cached_property
    def stream(self):
        self.gpu
        return self.stream_of("gpu")

    def stream_of(self, name, *options):
        """A line of text per access: address, R or W, work-group, warp, site. The capture's sites are numbered along the
        control-flow graph, so that even their numbers agree."""
        return self.run("warpsched", f"{name}.wtrace", "--format", "text", "-o", "-", *options).stdout

    def view(self, name, what):
        return json.loads(self.run("trace-view", what, "--json", f"{name}.wtrace").stdout)["launches"][0]


@functools.cache
def captures(name):
    return Captures(name)


class EveryKernel(unittest.TestCase):
    maxDiff = 2000

    def assert_computes(self, one, buffers):
        self.assertEqual(one.launch.run_check(one.folder / buffers), "")

    def assert_sound(self, one, name):
        """The invariants of a capture, and nothing of this machine in it."""
        self.assertIn(b"OK, 1 launch", one.run("trace-check", f"{name}.wtrace").stdout)
        text = json.dumps(one.view(name, "--sites"))
        for place in (one.folder, SOURCE, tempfile.gettempdir()):
            self.assertNotIn(f"{place}/", text)

    def view_result(self, one):
        for mode, said in (("gpu", one.gpu), ("O0", one.o0)):
            self.assertIn("verified: all buffers equal", said)
            self.assert_computes(one, f"{mode}.buffers")
            self.assert_sound(one, mode)

    def view_boxes(self, one):
        one.trace(one.launch.source, "one-by-one", "--dump-buffers", "one-by-one.buffers", "--no-boxes")
        self.assert_computes(one, "one-by-one.buffers")
        self.assertTrue(filecmp.cmp(one.boxes, one.folder / "one-by-one.wtrace", shallow=False), "captures differ")
        one.trace(one.launch.source, "alone", "--addresses-only")
        self.assertTrue(one.stream == one.stream_of("alone"), "accesses differ")

    def view_oclgrind(self, one):
        if not shutil.which("oclgrind-kernel"):
            self.skipTest("needs Debian's package oclgrind")
        for mode, program, options in (
                ("gpu", one.folder / "gpu.kept" / "optimised.bc", ()),
                ("O0", one.launch.source, ("--build-options", f"{one.launch.build_options} -cl-opt-disable"))):
            getattr(one, mode.lower())
            theirs = self.theirs(one, program, *options)
            ours = recorded(one.view(mode, "--sites"))
            if mode == "O0":
                ours, theirs = ({key: value for key, value in counts.items() if key[1] != "private"}
                                for counts in (ours, theirs))
            self.assertEqual(ours, theirs, mode)
            self.assertGreater(sum(number for (_, space), (number, _) in ours.items() if space == "global"), 0)

    def theirs(self, one, program, *options):
        sim = one.folder / "oclgrind.sim"
        one.launch.write_sim(sim, program)
        done = subprocess.run(["oclgrind-kernel", "--inst-counts", *options, sim], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("rror", done.stderr)
        return interpreted(done.stdout)

    def view_cuda(self, one):
        one.cuda
        self.assertGreater(one.stream.count(b"\n"), 64)
        self.assertTrue(one.stream == one.stream_of("cuda"), "accesses differ")
        self.assertEqual(*(self.counts(one, name) for name in ("gpu", "cuda")))
        self.assert_computes(one, "cuda.buffers")
        self.assertIn(b"OK, 1 launch", one.run("trace-check", "cuda.wtrace").stdout)

    def counts(self, one, name):
        launch = one.view(name, "--summary")
        return {key: launch[key] for key in ("global", "local", "loads", "stores", "atomics", "barriers", "work_items",
                                             "by_address_space")}

    def view_sim_file(self, one):
        shutil.copy(one.launch.source, one.folder / one.launch.source.name)
        one.launch.write_sim(one.folder / "launch.sim", one.launch.source.name)
        defines = [word for name, value in one.launch.defines.items() for word in ("-D", f"{name}={value}")]
        one.run("trace-kernel", "launch.sim", *defines, "-o", "sim.wtrace")
        self.assertTrue(one.stream == one.stream_of("sim"), "accesses differ")

    def view_replay(self, one):
        one.trace(one.launch.source, "order", "--record-order", POCL_MAX_PTHREAD_COUNT="1")
        self.assertIn(b"OK, 1 launch", one.run("trace-check", "order.wtrace").stdout)
        for policy in POLICIES:
            one.run("warpsched", "order.wtrace", "--self-check", "--policy", policy, "-o", "/dev/null")
        results = [one.run("cachesim", "order.wtrace", *GTX480_L1, "--cores", "5", "--self-check", "--threads", threads,
                           "--json", "-").stdout for threads in ("1", "3")]
        self.assertTrue(results[0] == results[1], "results differ with the threads")
        self.assertTrue(one.stream == one.stream_of("order"), "recording the order, or one thread, changes accesses")
        loops = one.run("warpsched", "order.wtrace", "--self-check", "--policy", "warp", "--reconvergence", "loops",
                        "--format", "text", "-o", "-").stdout
        if one.launch.source.stem not in UNSTRUCTURED:
            self.assertTrue(loops == one.stream_of("order", "--policy", "warp"), "the rules of reconvergence differ")


class Suite(unittest.TestCase):
    def test_has_the_files_of_every_kernel(self):
        self.assertGreaterEqual(len(kernels()), 50)
        for name in kernels():
            folder = SOURCE / "benchmarks" / "kernels" / name
            for file in (f"{name}.cl", f"{name}.cu", f"{name}.launch", "check.py", "README.md"):
                self.assertTrue((folder / file).exists(), f"{name}/{file}")

    def test_sizes_grow(self):
        for name in kernels():
            with self.subTest(name):
                groups = [Launch(name, size) for size in ("small", "", "large")]
                work = [self.bytes(launch) for launch in groups]
                self.assertLess(work[0], work[1])
                self.assertLess(work[1], work[2])

    def bytes(self, launch):
        """Elements of all buffers, and work-items: one of them grows with a size."""
        return sum(given.count or 0 for given in launch.arguments.values()) + launch.groups

    def test_the_table_of_kernels_is_complete(self):
        text = (SOURCE / "benchmarks" / "kernels" / "README.md").read_text(encoding="utf-8")
        for name in kernels():
            self.assertRegex(text, rf"(?m)^\|[^|]*\b{name}\b")


class Sample(unittest.TestCase):
    def test_takes_the_core_and_a_sixth_that_moves_with_the_commit(self):
        others = sorted(set(kernels()) - set(CORE))
        self.assertEqual(len(CORE), 12)
        self.assertLessEqual(set(CORE), set(kernels()))
        taken = [drawn(others, commit) for commit in map(str, range(60))]
        self.assertEqual({len(names) for names in taken}, {-(-len(others) // 6)})
        self.assertEqual(set().union(*taken), set(others), "in 60 commits each comes up")
        self.assertEqual(drawn(others, commit()), drawn(others, commit()))

    def test_the_core_has_every_feature_of_the_suite(self):
        """Of all kernels in scripts/test --long kernels, of the sampled ones else."""
        features = {name: features_of(name) for name in {*CORE, *chosen()}}
        core = set().union(*(features[name] for name in CORE))
        for name, found in features.items():
            self.assertEqual(found - core, set(), f"{name} has features that no kernel of CORE has (sample.py)")


VIEWS = ("result", "boxes", "oclgrind", "cuda", "sim_file", "replay")


def add_tests():
    for name in kernels():
        for view in VIEWS:
            def test(self, name=name, view=view):
                try:
                    getattr(self, f"view_{view}")(captures(name))
                except Exception as error:
                    error.add_note(f"kernel {name}, again: /usr/bin/python3 -B {__file__} EveryKernel.test_{name}_{view}")
                    raise
            setattr(EveryKernel, f"test_{name}_{view}", test)


def load_tests(loader, _tests, _pattern):
    """Without names of tests: this part's kernels. What is not about one kernel is in the first part."""
    part, parts = map(int, os.environ.get("WARPSCOPE_SHARD", "0/1").split("/"))
    suite = unittest.TestSuite(EveryKernel(f"test_{name}_{view}") for name in chosen()[part::parts] for view in VIEWS)
    if part == 0:
        suite.addTests(map(loader.loadTestsFromTestCase, (Suite, Sample)))
    return suite


add_tests()
if __name__ == "__main__":
    unittest.main()
