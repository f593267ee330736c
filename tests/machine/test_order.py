"""Launches of machine code that may do something else in another run say so: trace-kernel, the capture, the result and its summary."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "python")]
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402
from warpscope.result import program  # noqa: E402

CODE = SOURCE / "tests" / "unit" / "machine" / "data" / "executed" / "order.cu"
NVCC = cuda_tools.look("nvcc")
# (kernel, arguments, causes in the capture, what the line says)
DEPENDENT = [
    ("clocks", ("values=count=256,type=long", "wide=1"), {"clock"}, "reads a clock (CS2R"),
    ("cores", ("values=count=256,type=uint", "warps=0"), {"core"}, "reads where its warp runs (S2"),
    ("tickets", ("next=count=1,type=uint,fill=zero", "values=count=256,type=uint", "swaps=0"), {"atomic"}, "uses what an atomic returned (ATOMG"),
    ("shared_tickets", ("values=count=256,type=uint",), {"atomic"}, "uses what an atomic returned (ATOMS"),
    ("neighbours", ("values=count=256,type=uint,fill=zero", "out=count=256,type=uint", "sums=1"), {"others"}, "reads what other work-groups wrote (LDG"),
    ("waits", ("word=count=1,type=uint,fill=zero", "out=count=256,type=uint"), {"wait", "others"}, "reads what other work-groups wrote (LDG"),
]
CLEAN = [("in_place", ("values=count=256,type=uint,fill=zero",)), ("mirrored", ("values=count=256,type=uint", "out=count=256,type=uint")), ("counts", ("values=count=68,type=uint,fill=zero", "sum=count=1,type=float,fill=zero")),
         ("bytes", ("values=count=256,type=uchar,fill=zero",))]


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class OrderNeedsCudaToolkit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        subprocess.run([NVCC, "-cubin", "-arch=sm_90", "-lineinfo", "-o", "order.cubin", CODE], cwd=self.folder, check=True)

    def run_tool(self, *words):
        done = subprocess.run([str(BIN / words[0]), *map(str, words[1:])], cwd=self.folder, capture_output=True, text=True, env={**os.environ, "WARPSCOPE_CACHE": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def facts(self, kernel, arguments):
        """(The line of trace-kernel, causes in the capture with their lines, lines of the result's head)."""
        words = [word for argument in arguments for word in ("--arg", argument)]
        said = self.run_tool("trace-kernel", "order.cubin", "--kernel", kernel, "--grid", 4, "--block", 64, *words, "-o", "k.wtrace").stderr
        self.run_tool("trace-check", "k.wtrace")
        code = json.loads(self.run_tool("trace-view", "--instructions", "--json", "k.wtrace").stdout)["launches"][0]["machine_code"]
        self.run_tool("cachesim", "k.wtrace", "--gpu", "h100", "--json", "k.json")
        result = json.loads((self.folder / "k.json").read_text())
        found = {one["cause"]: code["instructions"][one["instruction"]]["location"] for one in code.get("order_dependent", ())}
        return [line.strip() for line in said.splitlines() if "order-dependent" in line], found, program.lines(result)

    def test_causes(self):
        source = CODE.read_text().splitlines()
        for kernel, arguments, causes, text in DEPENDENT:
            with self.subTest(kernel=kernel):
                said, found, head = self.facts(kernel, arguments)
                self.assertEqual(set(found), causes)
                self.assertEqual(len(said), 1)
                self.assertIn(text, said[0])
                self.assertTrue(said[0].endswith("; another GPU run may differ"), said)
                self.assertEqual(head[1:], said)
                begin = next(number for number, line in enumerate(source) if f" {kernel}(" in line)
                end = next(number for number in range(begin, len(source)) if source[number] == "}")
                for location in found.values():
                    name, _, line = location.partition(":")
                    self.assertEqual(name, "order.cu")
                    self.assertTrue(begin < int(line) <= end, f"{location}, expected within lines {begin + 1} to {end + 1}")

    def test_others_say_nothing(self):
        for kernel, arguments in CLEAN:
            with self.subTest(kernel=kernel):
                said, found, head = self.facts(kernel, arguments)
                self.assertEqual((said, found, len(head)), ([], {}, 1))


if __name__ == "__main__":
    unittest.main()
