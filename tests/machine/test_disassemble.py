"""warpscope disassemble and machine-code: kernels and instructions of committed cubins, words, and what is refused."""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
from support import BIN, ToolTest  # noqa: E402

DATA = SOURCE / "tests" / "unit" / "machine" / "data"
WARPSCOPE = SOURCE / "scripts" / "warpscope"


class Disassemble(ToolTest):
    def warpscope(self, *words):
        return subprocess.run([sys.executable, "-B", str(WARPSCOPE), "disassemble", *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, env={"PATH": "/usr/bin:/bin", "WARPSCOPE_BIN": str(BIN)})

    def test_a_summary_has_what_ptxas_said(self):
        done = self.warpscope(DATA / "saxpy_sm75.cubin")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {line.split()[1]: line.split()[2:] for line in done.stdout.splitlines()[1:]}
        self.assertEqual(rows["saxpy"][:5], ["24", "8", "1024", "380", "4"])  # registers, stack, shared, constant, parameters
        self.assertEqual(rows["spill"][:4], ["40", "584", "0", "360"])

    def test_an_instruction_has_its_control_word_and_line(self):
        done = self.warpscope(DATA / "saxpy_sm90.cubin", "--kernel", "saxpy")
        self.assertIn("saxpy.cu:14          ISETP.GE.AND P0, PT, R0, UR4, PT", done.stdout)
        self.assertIn("B------:R-:W0:-:S01  saxpy.cu:11          LDC R1, c[0x0][0x28]", done.stdout)
        self.assertNotIn("unknown words", done.stdout)
        self.assertIn("rebuild with -lineinfo", self.warpscope(DATA / "tiny.o", "--kernel", "all").stdout)

    def test_json_has_every_instruction(self):
        found = json.loads(self.warpscope(DATA / "tiny_size.fatbin", "--kernel", "tiny", "--json").stdout)
        function = found["functions"][0]
        self.assertEqual((function["architecture"], function["compiler"], function["parameter_bytes"]), (90, "ptxas 13.0.88", 8))
        self.assertEqual(len(function["instructions"]) * 16, function["code_bytes"])
        self.assertIn("EXIT", [one["text"] for one in function["instructions"]])

    def test_words_are_printed_line_by_line(self):
        (self.folder / "words").write_text("0000000007f5e0ff00005c0003068a10\n0x0000000000800000000003f000000947 180\n"
                                           "ffffffffffffffffffffffffffffffff\n")
        done = self.warpscope("--words", "words", "--arch", "sm_70")
        self.assertEqual(done.stdout.splitlines(), ["@!P0 IADD3 R6, P2, R3, c[0x0][0x170], RZ", "@P0 BRA P1, 0x580",
                                                    ".word 0xffffffffffffffffffffffffffffffff"])
        (self.folder / "words").write_text("12\n")
        done = self.warpscope("--words", "words", "--arch", "sm_70")
        self.assertEqual((done.returncode, done.stderr), (2, "machine-code: words:1: 12 is no word, expected 32 hexadecimal digits\n"))

    def test_banks_of_a_cubin_are_those_of_its_listing(self):
        """Volta and later: two banks by the register's lowest bit, two reads of each at once."""
        (self.folder / "listing").write_text("FFMA R0, R2, R4, R6\nFFMA R0, R2, R4, R5\n")  # three of one bank; two and one
        self.assertIn("2 instructions: 1 without conflict (50.00%), 1 with 2-way conflicts (50.00%)",
                      self.warpscope("listing", "--banks", "volta").stdout)
        plain = self.warpscope(DATA / "saxpy_sm90.cubin", "--kernel", "spill", "--plain").stdout.splitlines()[1:]
        (self.folder / "listing").write_text("\n".join(line.split(None, 1)[1] for line in plain if line.startswith("  ")))
        self.assertEqual(self.warpscope(DATA / "saxpy_sm90.cubin", "--kernel", "spill", "--banks", "volta").stdout,
                         self.warpscope("listing", "--banks", "volta").stdout)

    def test_what_cannot_be_read_is_refused(self):
        (self.folder / "libcublas.so").write_bytes((DATA / "tiny.o").read_bytes())
        for words, expected in ((("libcublas.so",), "a library of NVIDIA's"), ((DATA / "tiny.cu", "--arch", "90x"), "nvcc"),
                                ((DATA / "tiny.o", "--kernel", "x"), "no kernel x, expected one of tiny"),
                                ((DATA / "tiny.o", "--arch", "sm_20"), "expected sm_70 to sm_90"), (("--words", "x"), "--words needs --arch")):
            done = self.warpscope(*words)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(expected, done.stderr)

    @unittest.skipUnless(shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists(), "no nvcc")
    def test_a_source_is_compiled_by_nvcc_NeedsCudaToolkit(self):
        done = self.warpscope(DATA / "tiny.cu", "--arch", "sm_86", "--kernel", "tiny")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tiny.cu:2 ", done.stdout)
        self.assertIn("STG.E desc[", done.stdout)


if __name__ == "__main__":
    unittest.main()
