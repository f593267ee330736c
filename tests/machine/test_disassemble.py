"""warpscope disassemble and machine-code: kernels and instructions of committed cubins, words, and what is refused."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
from support import BIN, ToolTest  # noqa: E402

DATA = SOURCE / "tests" / "unit" / "machine" / "data"
PAIRS = SOURCE / "tests" / "machine" / "pairs"
WARPSCOPE = SOURCE / "scripts" / "warpscope"


class Disassemble(ToolTest):
    def warpscope(self, *words):
        return subprocess.run([sys.executable, "-B", str(WARPSCOPE), "disassemble", *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, env={"PATH": "/usr/bin:/bin", "WARPSCOPE_BIN": str(BIN)})

    def test_a_summary_has_what_ptxas_said(self):
        done = self.warpscope(DATA / "saxpy_sm75.cubin")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {line.split()[-1]: line.split()[1:] for line in done.stdout.splitlines()[1:]}
        self.assertEqual(rows["saxpy"][:6], ["24", "0", "8", "1024", "380", "4"])  # registers, spilled, stack, shared, constant, parameters
        self.assertEqual(rows["spill"][:5], ["40", "146", "584", "0", "360"])  # the whole stack, in words of 4 bytes

    def test_a_kernel_is_found_by_its_name_in_the_source_and_by_its_symbol(self):
        atax = DATA / "kernels" / "sm_75" / "atax.cubin"
        by_name, by_symbol = (self.warpscope(atax, "--kernel", name, "--plain").stdout for name in ("atax", "_Z4ataxPKfS0_Pfj"))
        self.assertEqual(by_name, by_symbol)
        self.assertGreater(len(by_name.splitlines()), 10)
        done = self.warpscope(atax, "--kernel", "Z4atax")
        self.assertEqual((done.returncode, done.stderr), (2, f"machine-code: {atax}: no kernel Z4atax, expected one of atax\n"))

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

    def test_blocks_and_edges_are_those_of_the_labels_in_nvidias_listing(self):
        """nvdisasm 11.8: BRX at 0120 with the targets 0160, 0130 and 0220; BRA to 0180, 0270, 0220 and itself."""
        done = self.warpscope(DATA / "choice_sm80.cubin", "--cfg", "text")
        self.assertEqual([line.split() for line in done.stdout.splitlines()], [line.split() for line in (
            "choice: 10 basic blocks", "0000 5 instructions -> 0180, 0050", "0050 14 instructions -> 0160 (table), 0130 (table), 0220 (table)",
            "0130 3 instructions -> end", "0160 2 instructions -> end", "0180 2 instructions -> 0270, 01a0", "01a0 2 instructions -> 0220, 01c0",
            "01c0 6 instructions -> end", "0220 5 instructions -> end", "0270 5 instructions -> end", "02c0 1 instructions -> 02c0")])
        done = self.warpscope(PAIRS / "levels_old.cubin", "--cfg", "text")  # two loops; BRA at 00e0, 0140, 0410, 0440, 0570
        self.assertEqual([line.split("->")[1].strip() for line in done.stdout.splitlines()[1:]],
                         ["0580, 00f0", "0420, 0150", "0170", "0170, 0420", "0580, 0450", "04a0", "04a0, 0580", "end", "0640"])

    def test_a_graph_for_graphviz_has_the_same_edges(self):
        done = self.warpscope(DATA / "choice_sm80.cubin", "--kernel", "choice", "--cfg", "dot")
        self.assertEqual(re.findall(r"f0_b(\d+) -> f0_b(\d+) \[style=(\w+)\]", done.stdout)[:5],
                         [("0", "4", "solid"), ("0", "1", "dashed"), ("1", "3", "dotted"), ("1", "2", "dotted"), ("1", "7", "dotted")])
        self.assertIn('label="choice";', done.stdout)
        self.assertIn("0120  BRX R4 -0x130\\l\"];", done.stdout)
        self.assertEqual(done.stdout.count("{"), done.stdout.count("}"))

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
        for library in ("libcublasLt.so.13", "libcudnn_ops.so.9", "libcufft_static.a", "libcusparse.so.12.6.3.3"):
            (self.folder / library).write_bytes((DATA / "tiny.o").read_bytes())
            self.assertIn("a library of NVIDIA's", self.warpscope(library).stderr, library)
        for words, expected in ((("libcublas.so",), "a library of NVIDIA's"), ((DATA / "tiny.cu", "--arch", "90x"), "nvcc"),
                                ((DATA / "tiny.o", "--kernel", "x"), "no kernel x, expected one of tiny"),
                                ((DATA / "tiny.o", "--arch", "sm_20"), "expected sm_70 to sm_90"), (("--words", "x"), "--words needs --arch"),
                                ((DATA / "tiny.o", "--cfg", "svg"), "--cfg svg: expected dot or text"),
                                ((DATA / "tiny.o", "--cfg", "dot", "--json"), "expected one of them")):
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
