"""Same input, same bytes: captures under any number of PoCL threads, streams, results."""
import unittest

from support import GTX480_L1, ToolTest

# With more work-groups than threads, unlike the small sizes at which tests/kernels compares all kernels.
LAUNCHES = ("collatz", "flow", "gather", "histogram", "mm", "mm_tiled", "mt", "reduction", "stencil")
POLICIES = ("random", "sequential", "rr", "warp")


class Determinism(ToolTest):
    def test_captures_do_not_depend_on_the_threads_of_pocl(self):
        for name in LAUNCHES:
            with self.subTest(name):
                bytes_of = []
                for run, threads in enumerate(("1", "2", "4", "2")):
                    path = self.capture(name, output=f"run{run}.wtrace",
                                        environment={"POCL_MAX_PTHREAD_COUNT": threads})
                    bytes_of.append(path.read_bytes())
                for other in bytes_of[1:]:
                    self.assertTrue(bytes_of[0] == other, "captures differ")

    def test_streams_and_results_are_the_same_bytes_each_time(self):
        self.capture("mm", "--global", "48,48", "--local", "16,16")
        for policy in POLICIES:
            for form in ("binary", "text"):
                with self.subTest(policy=policy, form=form):
                    options = ("--policy", policy, "--format", form, "--seed", 7, "--cores", 3)
                    streams = [self.run_tool("warpsched", "capture.wtrace", *options, "-o", "-") for _ in range(2)]
                    self.assertTrue(streams[0] == streams[1], "streams differ")
                    self.assertGreater(len(streams[0]), 100)
                    results = [self.run_tool("cachesim", "-", *GTX480_L1, "--json", "-", input=stream)
                               for stream in streams]
                    self.assertTrue(results[0] == results[1], "results differ")

    def test_threads_of_a_timed_simulation_change_no_byte(self):
        for name in ("gather", "histogram", "mm_tiled"):
            self.capture(name)
            for gpu in ("v100", "h100"):  # an L2 in one part and in two
                with self.subTest(name, gpu=gpu):
                    results = {self.run_tool("cachesim", "timed", "capture.wtrace", "--gpu", gpu, "--threads", threads, "--json", "-")
                               for threads in (1, 2, 64)}
                    self.assertEqual(len(results), 1, "results differ")

    def test_random_choices_follow_the_seed(self):
        self.capture("mm", "--global", "48,48", "--local", "16,16")
        options = ("--policy", "random", "--format", "text", "-o", "-")
        first, again, other = (self.run_tool("warpsched", "capture.wtrace", *options, "--seed", seed)
                               for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(sorted(first.splitlines()), sorted(other.splitlines()))


if __name__ == "__main__":
    unittest.main()
