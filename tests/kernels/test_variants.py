"""Kernels with variants chosen by macros: each computes what the host computes, in OpenCL and CUDA, with the same accesses.

Of the near-field kernel's 144 legal combinations a few in which every pair of settings occurs; WARPSCOPE_ALL_VARIANTS=1 takes
all. That illegal ones do not compile is tested too. A run takes a sixth of each, which follows from the commit (sample.py);
WARPSCOPE_TEST_KERNELS=all, as in scripts/test --long kernels, takes the others, too.
"""
import itertools
import os
import unittest

from launches import Launch
from sample import some
from support import ToolTest, kernel

# In addition to the values in the launch files, which test_every_kernel.py takes.
VARIANTS = {
    "load_pattern": [{"PATTERN": 2}, {"PATTERN": 5}],
    "op_chain": [{"OPERATION": operation, "CHAINS": chains} for operation, chains in ((0, 4), (1, 1), (2, 2), (3, 1), (4, 4))],
    "reduction_ladder": [{"STEP": 0}, {"STEP": 4}],
    "scan": [{"PADDED": 1}],
    "search_shared": [{"VARIANT": 1}, {"VARIANT": 2}, *({"VARIANT": variant, "KEYS": 1000} for variant in range(3))],
}
SWITCHES = {"SHMEM": (0, 1), "TRANS": (0, 1), "UJAM": (1, 2, 4), "VECPACK": (0, 1), "RSQRT": (0, 1), "PREFETCH": (0, 1),
            "TIGHT": (0, 1)}


def is_legal(switches):
    return switches["SHMEM"] or not switches["TRANS"]


def all_combinations():
    for values in itertools.product(*SWITCHES.values()):
        switches = dict(zip(SWITCHES, values))
        if is_legal(switches):
            yield switches


def loads_ahead_are_undone(defines):
    """A known deviation of the CUDA twin, tests/validation/DEVIATIONS.md."""
    return defines.get("PREFETCH") == 1 and bool(defines["SHMEM"] or not defines["VECPACK"])


def pairs(switches):
    return set(itertools.combinations(switches.items(), 2))


def covering():
    """Combinations in which every legal pair of settings occurs, each taking as many new pairs as any can (greedy)."""
    candidates = list(all_combinations())
    missing = set().union(*map(pairs, candidates))
    while missing:
        best = max(candidates, key=lambda switches: len(missing & pairs(switches)))
        missing -= pairs(best)
        yield best


class Variants(ToolTest):
    def check(self, name, defines):
        launch = Launch(name, defines=defines)
        for source, to in ((launch.source, "opencl"), (launch.source.with_suffix(".cu"), "cuda")):
            self.run_tool("trace-kernel", source, *launch.options, "-o", f"{to}.wtrace", "--dump-buffers", to)
            self.assertEqual(launch.run_check(self.folder / to), "", to)
        streams = [self.run_tool("warpsched", f"{one}.wtrace", "--format", "text", "-o", "-") for one in ("opencl", "cuda")]
        self.assertEqual(streams[0] == streams[1], not loads_ahead_are_undone(defines), "accesses: equal")

    def test_variants_of_one_macro(self):
        for name, variants in VARIANTS.items():
            for defines in some(variants):
                with self.subTest(name, **defines):
                    self.check(name, defines)

    def test_combinations_of_the_near_field_kernel(self):
        self.assertEqual(len(list(all_combinations())), 144)
        chosen = all_combinations() if os.environ.get("WARPSCOPE_ALL_VARIANTS") else some(covering())
        for defines in chosen:
            with self.subTest(**defines):
                self.check("fmm_ulist", defines)

    def test_what_does_not_go_together_is_said(self):
        for source in (kernel("fmm_ulist"), kernel("fmm_ulist").with_suffix(".cu")):
            done = self.call("trace-kernel", source, "--size", "small", "-D", "SHMEM=0", "-D", "TRANS=1", "-o", "x.wtrace")
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"TRANS: expected with SHMEM=1 only", done.stderr)


if __name__ == "__main__":
    unittest.main()
