"""warpscope diff --machine: pairs of committed cubins against what was counted without Warpscope (pairs/README.md)."""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
sys.path.insert(0, str(SOURCE / "python"))
from support import BIN, ToolTest  # noqa: E402
from warpscope.base.errors import InputError  # noqa: E402
from warpscope.commands import diff  # noqa: E402
from warpscope.explore.compare import machine  # noqa: E402
from warpscope.run.machine_code import Compilation, Launch, functions  # noqa: E402

PAIRS = pathlib.Path(__file__).resolve().parent / "pairs"
COUNTED = json.loads((PAIRS / "counts.json").read_text())
NAMES = [line.split("|")[0].strip() for line in (PAIRS / "pairs.txt").read_text().splitlines() if not line.startswith("#")]


def cubin(name, side):
    return str(PAIRS / f"{name}_{side}.cubin")


def compared(name, launch=Launch(), texts=()):
    sides = [[one for one in functions(cubin(name, side), Compilation(), launch) if one["kernel"]] for side in ("old", "new")]
    return machine.between(*sides, ("old", "new"), texts)


class Pairs(unittest.TestCase):
    def test_every_pair_has_the_counted_numbers(self):
        self.assertGreaterEqual(len(NAMES), 20)
        for name in NAMES:
            for row in compared(name)["kernels"]:
                for side, key in (("old", "before"), ("new", "after")):
                    with self.subTest(name, side=side, kernel=row["kernel"]):
                        self.check(row[key], COUNTED[f"{name}_{side}"].get(row["kernel"]))

    def check(self, ours, counted):
        if counted is None:
            self.assertIsNone(ours)
            return
        for key in ("registers", "stack_bytes", "shared_bytes", "spill_bytes", "instructions"):
            self.assertEqual(ours[key], counted[key], key)
        self.assertEqual({name: count for name, count in ours["accesses"].items() if count}, counted["accesses"])
        for name, count in counted["classes"].items():
            self.assertEqual(ours["classes"].get(name, 0), count, name)
        self.assertEqual(sum(ours["classes"].values()), counted["instructions"])

    def test_lines_are_those_of_the_disassembler(self):
        for name in ("lines", "lines75"):
            for side in ("old", "new"):
                found = functions(cubin(name, side), Compilation())[0]["counts"]["lines"]
                self.assertEqual({f"{pathlib.PurePath(one['file']).name}:{one['line']}": one["instructions"] for one in found},
                                 COUNTED[f"{name}_{side}"]["lines"]["lines"])

    def test_lines_are_matched_through_the_difference_of_the_sources(self):
        texts = [PAIRS / f"lines_{side}.cu" for side in ("old", "new")]
        rows = compared("lines", texts=texts)["kernels"][0]["lines"]
        self.assertEqual([(row["line_before"], row["line_after"], row["before"]["instructions"], row["after"]["instructions"]) for row in rows],
                         [(3, 4, 4, 6)])  # the only line that was changed; those below moved by one
        self.assertEqual((rows[0]["before"]["accesses"]["global_load_4"], rows[0]["after"]["accesses"]["global_load_4"]), (1, 2))

    def test_work_groups_of_an_h100(self):
        """65,536 registers. 38 of 32 lanes are 1,216, in units of 256 1,280, of 8 warps 10,240: 6 work-groups. 24 are 768, 6,144: 10,
        but 2,048 work-items are 8 work-groups of 256."""
        row = compared("spills", Launch("h100", "256"))["kernels"][0]
        self.assertEqual([(row[side]["registers"], row[side]["work_groups"]) for side in ("before", "after")], [(38, 6), (24, 8)])
        self.assertEqual(row["before"]["limited_by"], "registers")


class Command(ToolTest):
    def diff(self, *words):
        return subprocess.run([sys.executable, "-B", str(SOURCE / "scripts" / "warpscope"), "diff", "--machine", *map(str, words)],
                              cwd=self.folder, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "WARPSCOPE_BIN": str(BIN)})

    def test_the_text_says_what_changed(self):
        done = self.diff(cubin("spills", "old"), cubin("spills", "new"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("38 -> 24 (-37 %)", "0 -> 424", "local store, 4 bytes", "ptxas 13.0.88, sm_90"):
            self.assertIn(part, done.stdout)
        self.assertIn("the same instructions", self.diff(cubin("ptxas80", "old"), cubin("ptxas80", "old")).stdout)
        self.assertIn("clear (new)", self.diff(cubin("kernels", "old"), cubin("kernels", "new")).stdout)

    def test_conditions_end_with_status_4(self):
        pair = (cubin("unroll", "old"), cubin("unroll", "new"))  # 14 -> 21 registers, 22 -> 51 instructions
        for condition, status in (("registers > 10%", 4), ("registers > +50%", 0), ("registers >= +50%", 4), ("registers > 21", 0),
                                  ("instructions > +28", 4), ("kernels[sums].classes.fma > 12", 4), ("spill_bytes > 0", 0)):
            done = self.diff(*pair, "--fail-if", condition)
            self.assertEqual(done.returncode, status, condition + done.stderr)
        done = self.diff(*pair, "--fail-if", "registers > 10%")
        self.assertEqual(done.stderr, "warpscope: --fail-if 'registers > 10%': sums: it is 21, +50 % from 14\n")

    def test_two_folders_are_compared_kernel_by_kernel(self):
        for side in ("old", "new"):
            (self.folder / side).mkdir()
            for name in ("unroll", "widths"):
                shutil.copy(cubin(name, side), self.folder / side / f"{name}.cubin")
        done = self.diff("old", "new", "--json", "-")
        self.assertEqual([row["kernel"] for row in json.loads(done.stdout)["kernels"]], ["sums", "copy"], done.stderr)

    def test_errors_are_one_line(self):
        pair = (cubin("unroll", "old"), cubin("unroll", "new"))
        for words, expected in (((pair[0],), "1 inputs given"), ((pair[0], "none.cubin"), "none.cubin: No such file"),
                                ((*pair, "--kernel", "x"), "no kernel x, expected one of sums"), ((*pair, "--local", "32"), "expected --gpu GPU"),
                                ((*pair, "--tolerance", "1"), "--tolerance: says nothing about machine code"),
                                ((*pair, "--fail-if", "regs > 1"), "no 'regs', expected one such as"),
                                ((*pair, "--fail-if", "kernels[x].registers > 1"), "no kernel x, expected one of sums"),
                                ((*pair, "--fail-if", "registers"), "expected 'PATH OP NUMBER"),
                                ((*pair, "--source", "a.cu"), "expected it twice"),
                                ((*pair, "--arch", "sm_70", "--arch", "sm_75", "--arch", "sm_80"), "is given 3 times"),
                                ((str(SOURCE / "tests" / "machine"), pair[1]), "expected a file with kernels")):
            with self.assertRaises(InputError, msg=str(words)) as caught:
                diff.run(["--machine", *words])
            self.assertIn(expected, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaisesRegex(InputError, "--arch: of machine code, expected --machine with it"):
            diff.run([*pair, "--arch", "sm_90"])

    def test_errors_of_the_tool_are_one_line(self):
        pair = (cubin("unroll", "old"), cubin("unroll", "new"))
        for words, expected in (((*pair, "--gpu", "voodoo"), "--gpu"), ((*pair, "--gpu", "h100", "--local", "0"), "1 to 1024"),
                                ((*pair, "--arch", "sm_70"), "no code for sm_70"), ((PAIRS / "pairs.txt", pair[1]), "pairs.txt")):
            done = self.diff(*words)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), f"{words}: {done.stderr}")
            self.assertIn(expected, done.stderr)

    @unittest.skipUnless(shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists(), "no nvcc")
    def test_options_of_one_source_NeedsCudaToolkit(self):
        source = PAIRS / "sums.cu"
        done = self.diff(source, source, "--nvcc-options", "-DLOOP=1", "--nvcc-options", "-DLOOP=4", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads(done.stdout)["kernels"][0]
        self.assertEqual([row[side]["accesses"]["global_load_4"] for side in ("before", "after")], [1, 5])
        done = self.diff(source, source, "--nvcc", "/bin/false", "--nvcc-options", "-DLOOP=1")
        self.assertEqual((done.returncode, done.stderr), (2, f"warpscope: {source}: false does not compile it: no message\n"))


if __name__ == "__main__":
    unittest.main()
