"""Replays of every benchmark kernel: recorded sites equal walked ones, and the two rules of reconvergence agree."""
import unittest

from launches import Launch
from support import GTX480_L1, ToolTest, kernels

# A jump out of two loops and a loop with two entries: the rules may differ there (scheduler/README.md).
UNSTRUCTURED = {"flow"}
POLICIES = ("warp", "rr", "random", "sequential")


class Replay(ToolTest):
    def trace(self, launch, *options):
        self.run_tool("trace-kernel", launch.source, *launch.options, "-o", "x.wtrace", *options)

    def test_recorded_sites_equal_walked_ones_for_every_access(self):
        for name in kernels():
            self.trace(Launch(name), "--record-order")
            self.assertIn(b"OK, 1 launch", self.run_tool("trace-check", "x.wtrace"))
            for policy in POLICIES:
                for rule in ("ipdom", "loops") if policy == "warp" else ("ipdom",):
                    with self.subTest(name, policy=policy, rule=rule):
                        self.run_tool("warpsched", "x.wtrace", "--self-check", "--policy", policy,
                                      "--reconvergence", rule, "-o", "/dev/null")
            with self.subTest(name):
                self.run_tool("cachesim", "x.wtrace", *GTX480_L1, "--self-check", "--json", "/dev/null")

    def test_recording_the_order_changes_no_access(self):
        for name in kernels():
            with self.subTest(name):
                streams = []
                for options in ((), ("--record-order",)):
                    self.trace(Launch(name), *options)
                    streams.append(self.run_tool("warpsched", "x.wtrace", "--format", "text", "-o", "-"))
                self.assertTrue(streams[0] == streams[1], "streams differ")

    def test_loops_and_ipdom_give_the_same_stream_on_structured_kernels(self):
        self.assertLess(UNSTRUCTURED, set(kernels()))
        for name in set(kernels()) - UNSTRUCTURED:
            with self.subTest(name):
                self.trace(Launch(name))
                streams = [self.run_tool("warpsched", "x.wtrace", "--policy", "warp", "--reconvergence", rule,
                                         "--format", "text", "-o", "-") for rule in ("ipdom", "loops")]
                self.assertTrue(streams[0] == streams[1], "streams differ")
                self.assertGreater(streams[0].count(b"\n"), 64)


if __name__ == "__main__":
    unittest.main()
