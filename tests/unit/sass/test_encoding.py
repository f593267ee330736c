"""The solver of encodings, asked about encodings made up here: it finds the bits that they were made with."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

from warpscope.sass.encoding import Decoded, opcodes, solve  # noqa: E402

# 32 bits: two opcode bits at the bottom and four at the top, as Kepler has them at both ends; three registers; a rounding bit; 7 unused
OPCODE = (0, 1, 28, 29, 30, 31)
NAMES = {0b000001: "FFMA", 0b000010: "FADD", 0b110001: "MOV"}
REGISTERS = ((2, 3, 4, 5), (6, 7, 8, 9), (17, 14, 15, 16))  # the lowest bit first; the third is scrambled
ROUNDING, IMMEDIATE = 20, tuple(range(10, 14))


def number(word, bits):
    return sum((word >> bit & 1) << at for at, bit in enumerate(bits))


def oracle(word):
    name = NAMES.get(number(word, OPCODE))
    if name is None:
        return None
    if name == "MOV":
        return Decoded(name, (), (("R", number(word, REGISTERS[0])), ("imm", -number(word, IMMEDIATE))))
    operands = tuple(("R", number(word, bits)) for bits in REGISTERS[:2 if name == "FADD" else 3])
    return Decoded(name, ("RZ",) if word >> ROUNDING & 1 else (), operands)


def word_of(opcode, rest=0):
    return sum((opcode >> at & 1) << bit for at, bit in enumerate(OPCODE)) | rest


class Solver(unittest.TestCase):
    def test_fields_of_every_instruction(self):
        choose = random.Random(3)
        inner = sum(1 << bit for bit in range(2, 28))
        words = [word_of(opcode, choose.getrandbits(32) & inner) for opcode in NAMES for _ in range(3)]
        found = solve(words, 32, oracle)
        ffma = found["FFMA", ("R", "R", "R")]
        self.assertEqual({number: {bit: 1 << at for at, bit in enumerate(bits)} for number, bits in enumerate(REGISTERS)}, ffma.operands)
        self.assertEqual((ffma.modifiers, ffma.refused), ({ROUNDING}, set(OPCODE)))  # no other instruction is one bit away
        self.assertEqual(ffma.unused, set(range(10, 14)) | set(range(18, 28)) - {ROUNDING})
        mov = found["MOV", ("R", "imm")]
        self.assertEqual(mov.operands[1], {bit: -(1 << at) for at, bit in enumerate(IMMEDIATE)})  # weights have a sign
        for word in words[:3]:
            self.assertEqual([ffma.value(number, word) for number in range(3)], [value for _, value in oracle(word).operands])

    def test_a_flip_to_another_instruction_is_an_opcode_bit(self):
        found = solve([word_of(1)], 32, lambda word: Decoded("X" if word >> 28 & 1 else "FFMA", (), ()) if word & 3 == 1 else None)
        fields = found["FFMA", ()]
        self.assertEqual((fields.opcode, fields.refused, len(fields.unused)), ({28}, {0, 1}, 29))

    def test_all_opcodes_by_trying_the_opcode_bits_only(self):
        self.assertEqual(opcodes(word_of(1, 1 << 5), OPCODE, oracle), NAMES)

    def test_a_word_that_is_none(self):
        with self.assertRaisesRegex(ValueError, "0x0 is no instruction"):
            solve([0], 32, oracle)


if __name__ == "__main__":
    unittest.main()
