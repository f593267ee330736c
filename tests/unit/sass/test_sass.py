"""Document Zhang et al., PPoPP 2017: which register is in which bank, conflicts of an SGEMM's registers, control words; and listings."""
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "python"))

from warpscope.base.errors import InputError  # noqa: E402
from warpscope.sass import allocate, banks, control, listing  # noqa: E402

KEPLER, MAXWELL, VOLTA = (banks.ARCHITECTURES[name] for name in ("kepler", "maxwell", "volta"))
TABLE_3 = {0: (0, 2, 8, 10, 16, 18, 24, 26), 1: (1, 3, 9, 11, 17, 19, 25, 27), 2: (4, 6, 12, 14, 20, 22, 28, 30),
           3: (5, 7, 13, 15, 21, 23, 29, 31)}


def found(text, architecture=KEPLER):
    return banks.degrees(architecture, listing.parse("x", text))


def sgemm(of_c, starts):
    """A 12 × 12 block, two double-buffered steps twice: C = A · B + C with C[i][j] in of_c(i, j)."""
    lines = []
    for step, i, j in itertools.product(range(4), range(12), range(12)):
        a, b = starts[2 * (step % 2):][:2]
        lines.append(f"FFMA R{of_c(i, j)}, R{a + i}, R{b + j}, R{of_c(i, j)};")
    return "\n".join(lines)


class Allocation(unittest.TestCase):
    """Section 4.1 of the paper: registers of a 12 × 12 block."""

    def test_the_two_patterns_of_the_paper(self):
        self.assertEqual([one.c for one in allocate.patterns()], [((1, 2), (3, 0)), ((3, 1), (0, 2))])

    def test_no_conflicts_in_192_registers(self):
        for pattern in allocate.patterns():
            one = allocate.allocate(12, 12, pattern)
            self.assertEqual(sorted(one.used()), list(range(192)))  # every bank equally, so none is left out
            self.assertEqual(allocate.conflicts(one), {1: 576, 2: 0, 3: 0})
            for part in (*one.a, *one.b):  # pairs for loads of 64 bits
                self.assertTrue(all(part[at] % 2 == 0 and part[at + 1] == part[at] + 1 for at in range(0, 12, 2)))
            # the same by a listing that knows nothing of the allocation
            lines = [f"FFMA R{c}, R{one.a[step % 2][i]}, R{one.b[step % 2][j]}, R{c};"
                     for step in range(4) for i, row in enumerate(one.c) for j, c in enumerate(row)]
            self.assertEqual(set(found("\n".join(lines))), {1})

    def test_without_banks_in_mind(self):
        self.assertEqual(allocate.conflicts(allocate.naive(12, 12)), {1: 576 - 368 - 64, 2: 368, 3: 64})

    def test_what_does_not_fit(self):
        self.assertIsNone(allocate.allocate(15, 15, allocate.patterns()[0]))


class Kepler(unittest.TestCase):
    def test_banks_are_those_of_table_3(self):
        for bank, registers in TABLE_3.items():
            self.assertEqual({KEPLER.bank(register) for register in registers}, {bank})

    def test_degrees_are_those_of_table_2(self):
        text = "FFMA R5, R4, R1, R0\nFMUL R4, R1, R0\nFFMA R5, R2, R1, R0\nFFMA R5, R9, R3, R1\nFMUL R4, R2, R0"
        self.assertEqual(found(text), [1, 1, 2, 3, 2])

    def test_naive_sgemm_has_368_and_64_conflicts_of_576(self):
        counts = collections.Counter(found(sgemm(lambda i, j: 12 * i + j, (144, 156, 168, 180))))
        self.assertEqual((counts.total(), counts[2], counts[3]), (576, 368, 64))

    def test_proposed_pattern_has_none(self):
        # A in banks 0 and 1, B in 2 and 3, C = [1 2; 3 0]: every C has another bank than its A and B
        pattern = ((1, 2), (3, 0))
        for i, j in itertools.product(range(2), range(2)):
            registers = [TABLE_3[i][0], TABLE_3[2 + j][0], TABLE_3[pattern[i][j]][1]]
            self.assertEqual(banks.degree(KEPLER, registers), 1)

    def test_throughput_is_the_measured_one(self):
        self.assertAlmostEqual(banks.relative_rate(KEPLER, [2, 2]), 0.935, 3)
        self.assertAlmostEqual(banks.relative_rate(KEPLER, [3]), 0.741, 3)
        self.assertAlmostEqual(1 / banks.relative_rate(KEPLER, [1, 3]), (1 + 127.50 / 94.52) / 2)
        self.assertIsNone(banks.relative_rate(VOLTA, [1]))


class Others(unittest.TestCase):
    def test_maxwell_has_four_banks_in_turn(self):
        self.assertEqual(found("FFMA R0, R1, R2, R3\nFFMA R0, R1, R5, R3\nFFMA R0, R1, R5, R9", MAXWELL), [1, 2, 3])

    def test_volta_delivers_two_of_a_bank(self):
        self.assertEqual(found("FFMA R0, R2, R4, R5\nFFMA R0, R2, R4, R6", VOLTA), [1, 2])

    def test_the_same_register_is_delivered_once(self):
        self.assertEqual(found("FFMA R0, R2, R2, R2\nFFMA R0, R4, R4, R6", VOLTA), [1, 1])

    def test_a_kept_operand_needs_no_bank_in_its_place_and_once(self):
        text = "FFMA R0, R2.reuse, R3, R5\nFFMA R1, R2, R4, R6\nFFMA R1, R2, R4, R6"
        self.assertEqual(found(text, VOLTA), [1, 1, 2])
        self.assertEqual(found("FFMA R0, R2.reuse, R3, R5\nFFMA R1, R4, R2, R6", VOLTA), [1, 2])


class Listings(unittest.TestCase):
    def one(self, text):
        return listing.parse_line("x", 1, text)

    def test_what_disassemblers_print(self):
        self.assertEqual(self.one("        /*0070*/      @!P0 FFMA.FTZ R5, R4, R1.reuse, -|R0| ;  /* 0x1234 */").sources, (4, 1, 0))
        self.assertEqual(self.one("/*0070*/ FFMA R5, R4, R1.reuse, R0 ;").reused, (1,))
        self.assertEqual(self.one("FFMA R5, R4, c[0x0][0x20], RZ").sources, (4,))
        self.assertEqual(self.one("ISETP.GE.AND P0, PT, R3, R7, PT").sources, (3, 7))
        self.assertEqual(self.one("STG.E [R2+0x10], R9").sources, (2, 9))
        self.assertEqual(self.one("LDS.64 R8, [R2+0x10]").sources, (2,))

    def test_empty_lines_comments_and_labels_are_none(self):
        for text in ("", "// FFMA R0, R0, R0, R0", "# x", ".L_1:", "/*0008*/"):
            self.assertIsNone(self.one(text), text)


# Lines of nvdisasm and cuobjdump 11.8: headers, data, encodings, labels.
NVDISASM = """	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"
	.elftype	@"ET_EXEC"


//--------------------- .debug_frame              --------------------------
	.section	.debug_frame,"",@progbits
.debug_frame:
        /*0000*/ 	.byte	0xff, 0xff, 0xff, 0xff, 0x24, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff
        /*0044*/ 	.dword	wide
//--------------------- .text.wide                --------------------------
	.section	.text.wide,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
	.align	128
        .global         wide
        .type           wide,@function
        .size           wide,(.L_x_3 - wide)
        .other          wide,@"STO_CUDA_ENTRY STV_DEFAULT"
wide:
.text.wide:
        /*0040*/                   IMAD.WIDE R2, R12, R3, c[0x0][0x160] ;           /* 0x000058000c027625 */
                                                                                    /* 0x001fca00078e0203 */
        /*0050*/                   LDG.E.128 R8, [R2.64] ;                          /* 0x0000000402087981 */
                                                                                    /* 0x000ea2000c1e1d00 */
.L_x_0:
        /*0190*/                   BRA `(.L_x_0);                                   /* 0xfffffff000007947 */
                                                                                    /* 0x000fc0000383ffff */
"""
CUOBJDUMP = """
Fatbin elf code:
================
arch = sm_80
code version = [1,7]
host = linux
compile_size = 64bit

	code for sm_80
		Function : mm
	.headerflags    @"EF_CUDA_SM80 EF_CUDA_PTX_SM(EF_CUDA_SM80)"
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;         /* 0x00000a00ff017624 */
                                                                                   /* 0x000fc400078e00ff */
        /*02f0*/                   NOP;                                             /* 0x0000000000007918 */
                                                                                    /* 0x000fc00000000000 */
		..........


"""
KEPLER_DUMP = """		Function : k
	.headerflags    @"EF_CUDA_SM37 EF_CUDA_PTX_SM(EF_CUDA_SM37)"
                                                          /* 0x0800000000bc10c0 */
        /*0008*/                   MOV R1, c[0x0][0x44];  /* 0x64c03c00089c0006 */
        /*0010*/                 { FFMA R5, R4, R1, R0;   /* 0x64c03c00089c0006 */
        /*0018*/                   EXIT;        }         /* 0x18000000001c003c */
"""
# Instruction, the 32-bit registers that it reads and writes: what `nvdisasm -plr` 11.8 shows for our kernels, and fragments by the PTX ISA.
WIDTHS = (("LDS.128 R16, [R8]", {8}, {16, 17, 18, 19}), ("STS.128 [R0], R12", {0, 12, 13, 14, 15}, set()),
          ("LDG.E.128 R8, [R2.64]", {2, 3}, {8, 9, 10, 11}), ("LDG.E.64.CONSTANT R8, desc[UR4][R2.64+0x10]", {2, 3}, {8, 9}),
          ("LD.E.128 R12, [R2]", {2, 3}, {12, 13, 14, 15}), ("STG.E.64 [R4.64+0x200], R22", {4, 5, 22, 23}, set()),
          ("LDG.E.LTC128B R6, [R2.64]", {2, 3}, {6}), ("LDG.E.U8 R6, [R2.U32+UR4]", {2}, {6}), ("LDL.64 R6, [R1]", {1}, {6, 7}),
          ("RED.E.ADD.64.STRONG.GPU [R2.64+0x200], R4", {2, 3, 4, 5}, set()), ("LDGSTS.E.BYPASS.128 [R0], [R2.64]", {0, 2, 3}, set()),
          ("LDSM.16.M88.4 R8, [R0]", {0}, {8, 9, 10, 11}),
          ("DFMA R8, R6, R10, R8", {6, 7, 8, 9, 10, 11}, {8, 9}), ("DSETP.GT.AND P0, PT, R2, R4, PT", {2, 3, 4, 5}, set()),
          ("IMAD.WIDE.U32 R2, R5, 0x8, R2", {5, 2, 3}, {2, 3}), ("F2I.S64.F64.TRUNC R6, R8", {8, 9}, {6, 7}),
          ("F2I.F64.TRUNC R6, R8", {8, 9}, {6}), ("I2F.F64 R6, R8", {8}, {6, 7}), ("F2F.F32.F64 R6, R8", {8, 9}, {6}),
          ("F2F.F64.F32 R6, R8", {8}, {6, 7}), ("CS2R R2, SRZ", set(), {2, 3}), ("IADD3 R0, P0, R2, R4, RZ", {2, 4}, {0}),
          ("HMMA.16816.F32 R20, R4.reuse, R16, RZ", {4, 5, 6, 7, 16, 17}, {20, 21, 22, 23}),
          ("HMMA.16816.F16 R20, R4, R16, R20", {4, 5, 6, 7, 16, 17, 20, 21}, {20, 21}),
          ("HMMA.1688.F32 R8, R2, R4, R8", {2, 3, 4, 8, 9, 10, 11}, {8, 9, 10, 11}),
          ("HMMA.1688.F32.TF32 R8, R12, R4, R8", {12, 13, 14, 15, 4, 5, 8, 9, 10, 11}, {8, 9, 10, 11}),
          ("HMMA.884.F32.F32.STEP0 R8, R2.reuse.COL, R4.ROW, R8", {2, 3, 4, 5, 8, 9}, {8, 9}),
          ("IMMA.16832.S8.S8 R8, R12.ROW, R4.COL, R8", {12, 13, 14, 15, 4, 5, 8, 9, 10, 11}, {8, 9, 10, 11}),
          ("IMMA.8816.S8.S8 R8, R12.ROW, R4.COL, R8", {12, 4, 8, 9}, {8, 9}), ("DMMA.884 R8, R2, R4, R8", {2, 3, 4, 5, 8, 9, 10, 11}, {8, 9, 10, 11}),
          ("HGMMA.64x16x16.F32 R24, R20, gdesc[UR4], R24", {20, 21, 22, 23, *range(24, 32)}, set(range(24, 32))))


class Disassemblers(unittest.TestCase):
    def names(self, text):
        return [one.name for one in listing.parse("x", text)]

    def test_headers_data_and_encodings_are_no_instructions(self):
        self.assertEqual(self.names(NVDISASM), ["IMAD.WIDE", "LDG.E.128", "BRA"])
        self.assertEqual(self.names(CUOBJDUMP), ["IMAD.MOV.U32", "NOP"])
        self.assertEqual(self.names(KEPLER_DUMP), ["MOV", "FFMA", "EXIT"])
        self.assertEqual([one.line for one in listing.parse("x", CUOBJDUMP)], [12, 14])

    def test_what_is_neither_is_refused(self):
        for text in ("hello", "FFMA: R0", "/*0000*/ 0x12", "code for you"):
            with self.assertRaisesRegex(InputError, "^x:2: "):
                listing.parse("x", "NOP\n" + text)
        for text in ("LDS.128 R252, [R0]", "DFMA R0, R2, R254, R4"):
            with self.assertRaisesRegex(InputError, "behind it, expected R0 to R254"):
                listing.parse("x", text)
        with self.assertRaisesRegex(InputError, "no instructions"):
            listing.parse("x", CUOBJDUMP.split("/*0000*/", maxsplit=1)[0])

    def test_widths(self):
        for text, read, written in WIDTHS:
            one = listing.parse_line("x", 1, text)
            self.assertEqual({register + at for register, count in zip(one.sources, one.widths) for at in range(count)}, read, text)
            self.assertEqual(set(one.written), written, text)

    def test_wide_operands_are_read_register_by_register(self):
        """R2, R4 and R6 are in one bank of two that give two registers each, and so are R3, R5 and R7."""
        self.assertEqual(found("DFMA R0, R2, R4, R6\nDFMA R0, R2, R5, R6\nSTS.128 [R0], R4", VOLTA), [2, 1, 1])
        self.assertEqual(found("DFMA R0, R2.reuse, R4, R6\nDFMA R0, R2, R4, R6", VOLTA), [2, 1])


class ControlWords(unittest.TestCase):
    def test_the_word_of_figure_7(self):
        self.assertEqual([f"{code:02x}" for code in control.codes(0x08dc109c14801410)], "04 05 20 05 27 04 37".split())

    def test_opcode_bits_are_in_no_code(self):
        self.assertEqual(control.codes(0xFC00000000000003), [0] * 7)

    def test_turns(self):
        self.assertEqual(control.turns(0x08dc109c14801410), 5)  # 04 05, 20, 05, 27, 04 37
        pairs = sum(code << (2 + 8 * place) for place, code in enumerate((0x20, 4, 5, 4, 5, 4, 5)))
        self.assertEqual(control.turns(pairs), 4)  # equation (2): seven instructions in four cycles
        # table 4: 97.06 % of 192 lanes in pairs; one by one 4 · 32 of them
        self.assertEqual(round(100 * control.IN_PAIRS / control.LANES, 2), 97.06)
        self.assertAlmostEqual(control.ONE_BY_ONE / control.LANES, 4 * 32 / 192, 2)

    def test_meanings(self):
        for code, text in ((0x00, "stall 16 cycles"), (0x20, "single issue"), (0x2C, "stall 12 cycles"),
                           (0x94, "stall 4 cycles, barrier of shared memory and texture")):
            self.assertEqual(control.meaning(code), text)


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def call(self, *words):
        return subprocess.run(["/usr/bin/python3", "-B", str(SOURCE / "scripts" / "warpscope"), "disassemble", *words], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_naive_sgemm(self):
        (self.folder / "sgemm.sass").write_text(sgemm(lambda i, j: 12 * i + j, (144, 156, 168, 180)))
        done = self.call("sgemm.sass", "--banks", "kepler")
        self.assertIn("576 instructions: 144 without conflict (25.00%), 368 with 2-way conflicts (63.89%), 64 with 3-way conflicts "
                      "(11.11%)", done.stdout)
        self.assertEqual(json.loads(self.call("sgemm.sass", "--banks", "kepler", "--json").stdout)["degrees"], {"1": 144, "2": 368, "3": 64})

    def test_the_old_word_says_the_new_one(self):
        done = subprocess.run(["/usr/bin/python3", "-B", str(SOURCE / "scripts" / "warpscope"), "sass", "a.sass", "--banks", "volta"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("expected for example warpscope disassemble LISTING --banks volta", done.stderr)

    def test_bad_input_is_one_line(self):
        (self.folder / "bad").write_text("FFMA R0, R1, R2, R3\nhello world\n")
        (self.folder / "empty").write_text("// nothing\n")
        (self.folder / "high").write_text("MOV R0, R255\n")
        (self.folder / "binary").write_bytes(b"\xff\xfe\x00")
        for words, message in ((["bad", "--banks", "kepler"], "bad:2: 'hello world', expected an instruction"),
                               (["empty", "--banks", "kepler"], "empty: no instructions"),
                               (["high", "--banks", "kepler"], "high:1: register R255, expected R0 to R254, or RZ"),
                               (["binary", "--banks", "kepler"], "binary: not text in UTF-8"),
                               (["bad", "--banks", "fermi"], "--banks fermi, expected one of kepler, maxwell, volta"),
                               (["--banks", "kepler"], "no listing"),
                               (["none", "--banks", "kepler"], "none: No such file"), (["bad", "--banks"], "--banks: has no value"),
                               (["--bogus"], "not an option"), (["--control", "xyz"], "--control xyz: expected a 64-bit number"),
                               (["--control", "0x10000000000000000"], "64 bits"), (["bad", "--control", "0x0"], "expected it alone")):
            with self.subTest(words=words):
                done = self.call(*words)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
