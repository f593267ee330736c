"""What the machine can do to the tools, and bad input that passes from one tool to the next."""
import pathlib
import unittest

from support import GTX480_L1, ToolTest, kernel

SMALL = ("--global", "32,32", "--local", "16,16")


class Machine(ToolTest):
    def test_pocl_is_missing(self):
        (self.folder / "vendors").mkdir()
        done = self.call("trace-kernel", kernel("mm"), *SMALL, "-o", "x.wtrace",
                         environment={"OCL_ICD_VENDORS": str(self.folder / "vendors")})
        self.assert_refused(done, r"pocl-opencl-icd")
        self.assertFalse(list(self.folder.glob("x.wtrace*")))

    def test_clang_15_is_missing(self):
        tools = self.folder / "path"
        tools.mkdir()
        for folder in ("/usr/bin", "/bin"):
            for tool in pathlib.Path(folder).iterdir():
                if not tool.name.startswith("clang") and not (tools / tool.name).exists():
                    (tools / tool.name).symlink_to(tool)
        done = self.call("trace-kernel", kernel("mm"), *SMALL, "-o", "x.wtrace", environment={"PATH": str(tools)})
        self.assert_refused(done, r"clang-15: not found")
        self.assertFalse(list(self.folder.glob("x.wtrace*")))

    def test_disk_is_full(self):
        self.capture("mm", *SMALL)
        for words in (("trace-kernel", kernel("mm"), *SMALL),
                      ("warpsched", "capture.wtrace", "--policy", "warp"),
                      ("warpsched", "capture.wtrace", "--policy", "rr", "--format", "text")):
            with self.subTest(words):
                for target in ("-", "/dev/full"):
                    with open("/dev/full", "wb") as full:
                        done = self.call(*words, "-o", target, stdout=full)
                    self.assertEqual(done.returncode, 2, done.stderr.decode())
                    self.assertRegex(done.stderr.decode(), "No space left on device")
        with open("/dev/full", "wb") as full:
            done = self.call("cachesim", "capture.wtrace", *GTX480_L1, "--json", "-", stdout=full)
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        self.assertRegex(done.stderr.decode(), "No space left on device")
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())

    def test_output_folder_does_not_exist(self):
        self.capture("mm", *SMALL)
        for words in (("trace-kernel", kernel("mm"), *SMALL, "-o", "none/x"),
                      ("warpsched", "capture.wtrace", "--policy", "warp", "-o", "none/x"),
                      ("cachesim", "capture.wtrace", *GTX480_L1, "--json", "none/x")):
            with self.subTest(words[0]):
                done = self.call(*words)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr.decode(), r"none/x.*No such file or directory")


class Inputs(ToolTest):
    def test_each_tool_refuses_a_file_of_another_kind(self):
        (self.folder / "text").write_text("hello, world\n" * 10)
        (self.folder / "empty").write_bytes(b"")
        for name in ("text", "empty", "missing"):
            for words in (("warpsched", name, "--policy", "warp", "-o", "x"), ("cachesim", name, *GTX480_L1),
                          ("trace-view", "--summary", name), ("trace-check", name)):
                with self.subTest(words):
                    done = self.call(*words)
                    self.assertEqual(done.returncode, 2, done.stderr.decode())
                    self.assertIn(name, done.stderr.decode())
                    self.assertFalse((self.folder / "x").exists())

    def test_a_cut_capture_stops_every_tool_and_partial_is_recorded(self):
        path = self.capture("mm", *SMALL)
        whole = path.read_bytes()
        path.write_bytes(whole[:len(whole) - len(whole) // 3])
        for words in (("warpsched", "capture.wtrace", "--policy", "warp", "-o", "x"),
                      ("cachesim", "capture.wtrace", *GTX480_L1)):
            with self.subTest(words[0]):
                self.assertEqual(self.call(*words).returncode, 2)
        self.assertFalse((self.folder / "x").exists())

    def test_a_flipped_byte_is_found_wherever_it_is(self):
        path = self.capture("mm", *SMALL)
        whole = path.read_bytes()
        for place in range(8, len(whole) - 20, max(1, len(whole) // 40)):
            damaged = bytearray(whole)
            damaged[place] ^= 0x10
            path.write_bytes(damaged)
            done = self.call("cachesim", "capture.wtrace", *GTX480_L1)
            self.assertEqual(done.returncode, 2, f"byte {place}: {done.stderr.decode()}")

    def test_compile_errors_name_the_line(self):
        (self.folder / "bad.cl").write_text("__kernel void f(__global int* a) {\n  a[0] = b;\n}\n")
        done = self.call("trace-kernel", "bad.cl", "--global", "32", "--local", "32", "-o", "x")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), r"bad\.cl:2:\d+:.*undeclared identifier 'b'")

    def test_the_front_command_passes_messages_and_status_on(self):
        result = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema" / "result-1.json"  # any JSON file
        for words, message in ((("missing.cl",), "missing.cl"), ((result,), "is shown by warpscope report"), ((kernel("mm"), "--global", "33,32"), "33"),
                               ((kernel("mm"), *SMALL, "--policy", "nonsense"), "nonsense"),
                               ((kernel("mm"), *SMALL, "--preset", "nonsense"), "nonsense"),
                               ((kernel("mm"), *SMALL, "--cache", "10,128,4,LRU,WTNA"), "set index: hopper-xor")):
            with self.subTest(words):
                done = self.call("warpscope", *words, "-o", "out")
                self.assertEqual(done.returncode, 2, done.stderr.decode())
                self.assertIn(message, done.stderr.decode())
                self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
