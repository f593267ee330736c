"""The laws of today's tests on captures of machine code. Needs no toolkit: suite/make made the code. Each run takes one architecture of
three."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests")]
import sampled  # noqa: E402
from support import TEST_BIN, OfMachineCode, ToolTest, kernel  # noqa: E402

MACHINES = 12  # drawn at random, for each capture
# Divergent loops, tiles, trees with barriers, atomics, rows of different lengths.
LAUNCHES = {"bfs": ("--size", "small"), "flow": ("--size", "small"), "histogram": ("--global", "1024"), "mm": ("--size", "small"), "mt_tiled": ("--global", "64,64"),
            "reduction": ("--global", "1024"), "spmv_csr": ("--size", "small"), "stencil": ("--global", "64,8,4")}


@unittest.skipUnless((TEST_BIN / "laws_test").exists(), "needs the target laws_test")
class Laws(OfMachineCode, ToolTest):
    ARCHITECTURE = sampled.architecture("laws", (75, 80, 90))

    def test_whole_and_parts(self):
        """Whole = sum of launches = stream = shares of threads = cell of a sweep = timed in fixed order; timed by one thread = by several."""
        captures = [self.capture(name, *words, output=f"{name}.wtrace") for name, words in LAUNCHES.items()]
        environment = {"WARPSCOPE_LAW_CAPTURES": ":".join(map(str, captures)), "WARPSCOPE_LAW_PROGRAMS": str(MACHINES)}
        done = subprocess.run([TEST_BIN / "laws_test", "--gtest_filter=Laws.HoldForMachineCode"], capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("[  PASSED  ] 1 test", done.stdout)


class Races(OfMachineCode, ToolTest):
    """Of kernels whose barriers were taken away: they race at the lines at which the same source races as the other compiler reads it."""
    ARCHITECTURE = sampled.architecture("races", (75, 80, 90))
    KERNELS = ("bitonic", "mm_tiled", "mt_tiled", "reduction", "scan", "stencil2d")

    def lines(self, capture):
        done = self.call("trace-view", "--races", "--race-groups", "all", "--json", capture)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["in_part"], found["not_checked"]), (False, []))
        return {access["line"] for race in found["races"] for access in race["accesses"]}

    def test_with_and_without_barriers(self):
        for name in self.KERNELS:
            with self.subTest(kernel=name):
                source = kernel(name).with_suffix(".cu")
                small = ["--size", "small"] if '"small"' in source.with_suffix(".launch").read_text() else []
                self.assertEqual(self.lines(self.capture(name, *small)), set())
                code, *machine = self.machine_code(name, self.SUITE / "broken" / f"{name}.fatbin")
                broken = code.with_suffix(".cu")
                broken.write_text(source.read_text().replace("__syncthreads();", ""))
                self.run_tool("trace-kernel", code, *machine, *small, "-o", "machine.wtrace")
                self.run_tool("trace-kernel", broken, *small, "-o", "source.wtrace")
                self.assertEqual(self.lines("machine.wtrace"), self.lines("source.wtrace"))
                self.assertTrue(self.lines("machine.wtrace"))


class Jumps(ToolTest):
    """ptxas leaves loops by conditional calls that are jumps. Here a function's return is behind two of them, and is reached by no other way."""
    BRANCH, CALL, RETURN, NOTHING = 0x947, 0x944, 0x950, 0x918  # opcodes of sm_80

    def places(self, code, opcode):
        return [at for at in range(0, len(code) - 16, 16) if int.from_bytes(code[at:at + 2], "little") & 0xfff == opcode]

    def moved_return(self, code):
        branch = int.from_bytes(code[(at := self.places(code, self.BRANCH)[-1]):at + 16], "little")  # the last one is unconditional
        first, free = self.places(code, self.RETURN)[0], self.places(code, self.NOTHING)
        field = ((1 << 48) - 1) << 34

        def jump(place, target, guard=7, opcode=self.BRANCH):
            word = branch & ~field & ~0xffff | guard << 12 | opcode | (target - place - 16) // 4 % (1 << 48) << 34
            code[place:place + 16] = (word | (opcode == self.CALL) << 86).to_bytes(16, "little")

        moved = int.from_bytes(code[first:first + 16], "little")
        relative = ((moved >> 34) - (free[3] - first) // 4) % (1 << 48)
        code[free[3]:free[3] + 16] = (moved & ~field | relative << 34).to_bytes(16, "little")
        jump(first, free[0])
        jump(free[0], free[3], 0, self.CALL)
        jump(free[1], free[3], 8, self.CALL)
        jump(free[2], free[2])

    def test_a_return_behind_calls_that_are_jumps(self):
        code = bytearray((SOURCE / "tests" / "unit" / "machine" / "data" / "executed" / "ways_sm80.cubin").read_bytes())
        words = ("--global", 128, "--local", 64, "--arg", "param_0=count=128,type=uint,fill=random(5)", "--arg", "param_1=count=128,type=uint,fill=zero", "--arg", "param_2=3")
        buffers = []
        for name in ("plain", "moved"):
            (self.folder / f"{name}.cubin").write_bytes(code)
            self.run_tool("trace-kernel", f"{name}.cubin", *words, "-o", f"{name}.wtrace", "--dump-buffers", name)
            self.run_tool("trace-check", f"{name}.wtrace")
            buffers.append((self.folder / name / "param_1.bin").read_bytes())
            self.moved_return(code)
        self.assertEqual(*buffers)


if __name__ == "__main__":
    unittest.main()
