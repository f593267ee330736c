"""From a kernel file to the report: exact counts of the multiplication, conservation laws, pipes."""
import json
import subprocess
import unittest

from support import BIN, GTX480_L1, ToolTest, kernel, kernels
from support import load_third as load_tests  # noqa: F401


class Path(ToolTest):
    def test_multiplication_of_256_has_exact_counts(self):
        self.capture("mm", "--global", "256,256", "--local", "16,16")
        launch = json.loads(self.run_tool("trace-view", "--summary", "--json", "capture.wtrace"))["launches"][0]
        self.assertEqual(launch["loads"], 2 * 256**3)
        self.assertEqual(launch["stores"], 256**2)
        self.assertEqual(launch["work_items"], 256**2)
        self.assertEqual(launch["global"], [256, 256, 1])
        result = self.result("capture.wtrace", "--preset", "gtx480", "--policy", "warp")
        self.assert_conserved(result)
        self.assertEqual(result["total"]["load"]["lanes"], 2 * 256**3)
        self.assertEqual(result["total"]["load"]["requests"], 2 * 256**3 // 32)
        # A warp covers 2 rows of 16: two lines of A, half a line of B, two half lines of C.
        self.assertEqual(result["total"]["load"]["transactions"], 256**3 // 32 * 3)
        self.assertEqual(result["total"]["store"]["transactions"], 256**2 // 32 * 2)

    def test_front_command_writes_everything(self):
        done = self.call("warpscope", kernel("mm"), "--global", "64,64", "--local", "16,16", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        names = {"mm.wtrace", "report.html", "report.txt", "result.json"}
        for plot in ("access_pattern", "miss_classes", "reuse_distance"):
            names |= {f"{plot}.png", f"{plot}.svg"}
        self.assertEqual({path.name for path in (self.folder / "out").iterdir()}, names)
        self.assertIn("\nFiles: out/ (mm.wtrace, report.txt, report.html, result.json, 3 plots)\n", done.stdout.decode())
        self.assertLessEqual(done.stdout.decode().count("\n"), 25)
        for path in (self.folder / "out").glob("*.png"):
            self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertIn("A[y * width + k] * B[k * width + x]", (self.folder / "out" / "report.txt").read_text())
        self.assert_conserved(json.loads((self.folder / "out" / "result.json").read_text()))

    def test_every_kernel_runs_through_and_conserves(self):
        for name in kernels():
            with self.subTest(name):
                self.capture(name, "--size", "small")
                result = self.result("capture.wtrace", "--preset", "gtx480", "--self-check")
                self.assert_conserved(result)
                self.assertGreater(sum(result["total"][kind]["transactions"] for kind in ("load", "store")), 0)

    def test_sampled_work_groups_are_all_that_counts_and_every_result_says_so(self):
        options = ("--global", "64,64", "--local", "16,16")
        self.capture("mm", *options, "--work-groups", "every:4")
        result = self.result("capture.wtrace", "--preset", "gtx480", "--self-check")
        self.assertEqual(result["context"]["sampling"], "every:4")
        # 4 of 16 groups, each 256 work-items with 2 loads in each of 64 iterations.
        self.assertEqual(result["total"]["load"]["lanes"], 4 * 256 * 2 * 64)
        self.run_tool("warpsched", "capture.wtrace", "-o", "stream.wsched")
        self.run_tool("cachesim", "coalesce", "stream.wsched", "-o", "stream.wtxn")
        for stream in ("stream.wsched", "stream.wtxn"):
            text = self.run_tool("cachesim", stream, *GTX480_L1, "--json", "s.json").decode()
            self.assertIn("ONLY WORK-GROUPS every:4 WERE RECORDED", text)
        self.capture("mm", *options)
        self.assertEqual(self.result("capture.wtrace", "--preset", "gtx480")["context"]["sampling"], "all")

    def test_a_stream_and_its_capture_give_the_same_counts(self):
        self.capture("stencil", "--global", "128,14,6")
        self.run_tool("warpsched", "capture.wtrace", "--policy", "warp", "--preset", "gtx480", "-o", "stream.wsched")
        from_capture = self.result("capture.wtrace", *GTX480_L1, "--policy", "warp", "--preset", "gtx480")
        from_stream = self.result("stream.wsched", *GTX480_L1, "--preset", "gtx480")
        for result in (from_capture, from_stream):
            del result["context"]
        self.assertEqual(from_capture, from_stream)


class LongNames(ToolTest):
    def test_a_folder_may_have_the_longest_name_that_there_is(self):
        """255 bytes; the work folder next to it has a name of its own."""
        self.capture("mm", "--size", "small")
        for name in ("o" * 243, "o" * 255, "ö" * 127):
            self.run_tool("warpscope", "capture.wtrace", "--gpu", "gtx480", "--clock", "fixed", "--no-plots", "--advice-budget", "0", "-o", name)
            self.assertTrue((self.folder / name / "result.json").is_file())


class Pipes(ToolTest):
    def test_three_tools_in_a_pipe_equal_the_same_over_files(self):
        options = ("--global", "32,32", "--local", "16,16")
        line = (f"'{BIN}/trace-kernel' '{kernel('mm')}' {' '.join(options)} -o - | "
                f"'{BIN}/warpsched' - --policy warp -o - | '{BIN}/cachesim' - {' '.join(GTX480_L1)} --json -")
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        piped = json.loads(done.stdout)
        self.capture("mm", *options)
        self.run_tool("warpsched", "capture.wtrace", "--policy", "warp", "-o", "mm.wsched")
        filed = self.result("mm.wsched", *GTX480_L1)
        for result in (piped, filed):
            del result["context"]["input"]
        self.assertEqual(piped, filed)

    def test_the_systems_name_of_an_open_file_is_not_replaced(self):
        """With > FILE /dev/fd/1, as /dev/stdout, is a file; a new one under its name would end the name, for everyone."""
        self.capture("mm", "--size", "small")
        expected = self.run_tool("cachesim", "capture.wtrace", "--gpu", "gtx480", "--json", "-")
        with open(self.folder / "all", "wb") as file:
            file.write(b"before\n")
            file.flush()
            done = subprocess.run([BIN / "cachesim", "capture.wtrace", "--gpu", "gtx480", "--json", "/dev/fd/1"], cwd=self.folder,
                                  stdout=file, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "all").read_bytes()
        self.assertTrue(text.startswith(b"before\n"))
        self.assertIn(expected, text)

    def test_a_reader_that_leaves_early_ends_the_writer_quietly(self):
        self.capture("mm", "--global", "128,128", "--local", "16,16")
        line = f"'{BIN}/warpsched' capture.wtrace --policy warp --format text -o - | head -n 2"
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.stdout.count(b"\n"), 2)


if __name__ == "__main__":
    unittest.main()
