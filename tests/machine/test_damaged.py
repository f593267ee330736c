"""Machine code whose control flow is damaged, through trace-kernel: a launch comes to its end, or is ended by one line and status 3; its capture replays as it was executed.
Needs no toolkit: the code is that of committed cubins. WARPSCOPE_TEST_KERNELS=all takes many more programs.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests")]
import sampled  # noqa: E402
from support import BIN  # noqa: E402

DATA = SOURCE / "tests" / "unit" / "machine" / "data" / "executed"
MEETINGS = SOURCE / "tests" / "machine" / "meetings"
LIMIT = 200000
PROGRAMS = 2000 if os.environ.get(sampled.VARIABLE) == "all" else 90
# Opcodes (bits 0 to 11) that say which lanes go on where: WARPSYNC, ENDCOLLECTIVE, BMOV, BSYNC, BREAK, CALL, BSSY, YIELD, BRA, BRX, JMP, EXIT, RET, BAR; their forms with registers and constants.
FLOW = {0x148, 0x348, 0x948, 0x91b, 0x355, 0x356, 0x941, 0x942, 0x943, 0x944, 0x945, 0x946, 0x947, 0x949, 0x94a, 0x94d, 0x950, 0x544, 0x547, 0xb1d, 0x31d}
BRANCH, RETURN, NOTHING = 0x947, 0x950, 0x918
FILES = {"ways": "ways", "growing": "collectives", "branches": "collectives", "functions": "collectives"}
THROUGH_POINTERS = {75: "pointers_8_sm75_O3", 86: "pointers_51_sm86_O0", 90: "pointers_1_sm90_O3"}
BUFFERS = {"in": "count=128,type=uint,fill=random(5)", "all": "count=256,type=uint,fill=random(5)", "out": "count=128,type=uint,fill=zero"}
PARAMETERS = {"ways": ("in", "out", "deep"), "growing": ("out",), "branches": ("in", "out", "deep"), "functions": ("in", "out"), "random_kernel": ("all", "out")}


class Code:
    """A cubin; places are those of instructions in the file."""

    def __init__(self, architecture, kernel):
        self.kernel = kernel
        file = MEETINGS / f"{THROUGH_POINTERS[architecture]}.cubin" if kernel == "random_kernel" else DATA / f"{FILES[kernel]}_sm{architecture}.cubin"
        self.bytes = bytearray(file.read_bytes())
        number = lambda at, size: int.from_bytes(self.bytes[at:at + size], "little")
        headers, count, names = number(40, 8), number(60, 2), number(62, 2)
        header = lambda which: headers + 64 * which
        texts = number(header(names) + 24, 8)
        self.sections, self.pointers = [], []
        for which in range(count):
            name = texts + number(header(which), 4)
            if self.bytes[name:name + 6] == b".text.":
                first = number(header(which) + 24, 8)
                self.sections.append(range(first, first + number(header(which) + 32, 8), 16))
            if self.bytes[name:name + 16] == b".nv.global.init\0":
                first = number(header(which) + 24, 8)
                self.pointers = [place for place in range(first, first + number(header(which) + 32, 8), 8) if number(place, 8) != 0]
        self.places = [place for section in self.sections for place in section]
        self.flow = [place for place in self.places if self.opcode(place) in FLOW]

    def opcode(self, place):
        return int.from_bytes(self.bytes[place:place + 2], "little") & 0xfff

    def word(self, place):
        return int.from_bytes(self.bytes[place:place + 16], "little")

    def put(self, place, word):
        self.bytes[place:place + 16] = word.to_bytes(16, "little")

    def jump(self, place, instructions):
        """A branch of all lanes by so many instructions, counted from itself. On sm_90 the lowest bits of the target lie apart (machine/ISA.md)."""
        field = ((1 << 48) - 1) << 34
        branch = next(self.word(one) for one in reversed(self.places) if self.opcode(one) == BRANCH)  # to itself, and unconditional
        words = (instructions - 1) * 4
        if self.is_90:
            return self.put(place, branch & ~field & ~(0xff << 16) | (words & 0xff) << 16 | (words >> 8) % (1 << 48) << 34)
        self.put(place, branch & ~field | words % (1 << 48) << 34)


def damaged(code, draw):
    """One to three instructions that are moved, taken away, changed in their guard or in any bits, or that jump somewhere."""
    for _ in range(draw.randrange(1, 4)):
        place, other, how = draw.choice(code.flow), draw.choice(code.places), draw.randrange(5)
        if how == 0:
            code.put(other, code.word(place))
        elif how == 1:
            code.put(place, code.word(other))
        elif how == 2:
            code.put(place, code.word(place) & ~(15 << 12) | draw.randrange(16) << 12)
        elif how == 3:
            code.put(draw.choice([place, other]), code.word(place) ^ 1 << draw.randrange(104) ^ 1 << draw.randrange(104))
        else:
            code.jump(place, draw.choice([0, 1, -1, draw.randrange(-200, 200), draw.getrandbits(30) - (1 << 29)]))


class Damaged(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def code(self, architecture, kernel="ways"):
        code = Code(architecture, kernel)
        code.is_90 = architecture == 90
        return code

    def run_one(self, code, deep=3):
        """(Status, message) of a launch, which takes one line; what comes to its end replays as it was executed."""
        (self.folder / "k.cubin").write_bytes(code.bytes)
        (self.folder / "k.wtrace").unlink(missing_ok=True)
        given = [f"param_{place}={BUFFERS.get(name, deep)}" for place, name in enumerate(PARAMETERS[code.kernel])]
        command = [BIN / "trace-kernel", "k.cubin", "--kernel", code.kernel, "--global", 128, "--local", 64, *(word for one in given for word in ("--arg", one)),
                   "--limit-instructions", LIMIT, "-o", "k.wtrace"]
        done = subprocess.run([*map(str, command)], cwd=self.folder, capture_output=True, text=True, timeout=60, env={**os.environ, "WARPSCOPE_CACHE": ""})
        if done.returncode == 0:
            checked = subprocess.run([BIN / "trace-check", "k.wtrace"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        else:
            self.assertFalse((self.folder / "k.wtrace").exists())
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.returncode, done.stderr

    def test_any_damage(self):
        ends = {0: 0, 2: 0, 3: 0}
        for seed in range(PROGRAMS):
            draw = random.Random(f"damage {seed}")
            code = self.code(draw.choice([75, 80, 90]))
            damaged(code, draw)
            with self.subTest(seed=seed):
                status, said = self.run_one(code)
                self.assertIn(status, ends, said)
                ends[status] += 1
        self.assertGreater(ends[0], PROGRAMS // 20)
        self.assertGreater(ends[3], PROGRAMS // 3)

    def test_any_damage_where_lanes_meet(self):
        came_to_an_end = 0
        for seed in range(PROGRAMS // 3):
            draw = random.Random(f"meetings {seed}")
            code = self.code(draw.choice([75, 80, 90, 90, 90]), draw.choice(["growing", "branches", "functions"]))
            damaged(code, draw)
            with self.subTest(seed=seed):
                status, said = self.run_one(code, 0xffffffff)
                self.assertIn(status, (0, 2, 3), said)
                came_to_an_end += status == 0
        self.assertGreater(came_to_an_end, PROGRAMS // 30)

    def test_any_damage_with_calls_through_pointers(self):
        came_to_an_end = 0
        for seed in range(PROGRAMS // 3):
            draw = random.Random(f"pointers {seed}")
            code = self.code(draw.choice(list(THROUGH_POINTERS)), "random_kernel")
            damaged(code, draw)
            with self.subTest(seed=seed):
                status, said = self.run_one(code)
                self.assertIn(status, (0, 2, 3), said)
                came_to_an_end += status == 0
        self.assertGreater(came_to_an_end, PROGRAMS // 30)

    def test_pointers_to_no_function(self):
        """Where the code has the functions' addresses: nowhere, in the middle of one, before one, data, the kernel's own beginning."""
        for architecture in THROUGH_POINTERS:
            for wrong in (1 << 40, lambda at: at + 16, lambda at: at + 8, 0x2000000000, (1 << 64) - 16, 0):
                with self.subTest(architecture=architecture, wrong=wrong):
                    code = self.code(architecture, "random_kernel")
                    self.assertTrue(code.pointers)
                    for place in code.pointers:
                        at = int.from_bytes(code.bytes[place:place + 8], "little")
                        code.bytes[place:place + 8] = (wrong(at) if callable(wrong) else wrong).to_bytes(8, "little")
                    status, said = self.run_one(code)
                    self.assertEqual(status, 3, said)
                    if not callable(wrong):
                        self.assertRegex(said, "jumps to 0x[0-9a-f]+, which is not (in its code|among the places that the code names)")

    def ended(self, message, change, deep=3):
        for architecture in (75, 80, 90):
            with self.subTest(architecture=architecture):
                code = self.code(architecture)
                change(code)
                status, said = self.run_one(code, deep)
                self.assertEqual(status, 3, said)
                self.assertRegex(said, message)

    def kernel(self, code):
        return code.sections[-1] if len(code.sections[-1]) > len(code.sections[0]) else code.sections[0]

    def test_jumps_out_of_the_code(self):
        for far in (100000, -100000):
            self.ended("jumps out of its code", lambda code: code.jump(self.kernel(code)[0], far))

    def test_loops_without_an_end(self):
        self.ended(rf"without coming to an end \(limit {LIMIT}\)", lambda code: code.jump(self.kernel(code)[2], 0))

    def test_the_end_of_the_code(self):
        """Nothing jumps or ends: the lanes come to what is behind the last instruction."""
        def change(code):
            nothing = next(code.word(place) for place in code.places if code.opcode(place) == NOTHING)
            for place in self.kernel(code):
                code.put(place, nothing)
        self.ended("jumps out of its code", change)

    def test_returns_without_a_call(self):
        def change(code):
            code.put(self.kernel(code)[1], next(code.word(place) for place in code.places if code.opcode(place) == RETURN))
        self.ended(".", change)

    def test_stacks_that_are_too_small(self):
        self.ended("the stack overflows", lambda code: None, deep=1000)


if __name__ == "__main__":
    unittest.main()
