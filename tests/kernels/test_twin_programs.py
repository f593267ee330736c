"""The CUDA twins of benchmarks/kernels as whole programs: the capture is that of trace-kernel on the kernel alone.

What may differ is who made the capture (options, build options, which device the program saw, where it launches), its source and
its buffers' names. Everything else is the same: sites with their lines, blocks, buffers, every access.
WARPSCOPE_TWINS_ALL=1 takes all kernels (scripts/test --long twins).
"""
import filecmp
import json
import os
import re
import unittest

from twin_program import TwinProgram  # finds support
from support import ToolTest, kernels

# Constant memory and two dimensions; vectors and dynamic shared memory.
SOME = ("conv2d", "nbody")
OF_THE_RUN = {"capture", "file"}
OF_A_LAUNCH = {"build_options", "source_name", "call_site"}  # only a program has the last
OF_A_BUFFER = {"own_name", "flags"}


def without(keys, one):
    return {key: value for key, value in one.items() if key not in keys}


class Twins(ToolTest):
    maxDiff = 2000

    def described(self, capture):
        """All that a capture says besides its accesses, without what may differ."""
        shown = self.run_tool("trace-view", "--sites", "--json", capture).decode()
        shown = re.sub(r'"[^"]*/(\w+\.cu:\d)', r'"\1', shown)  # a program has two files, whose folders may have one above both
        said = without(OF_THE_RUN, json.loads(shown))
        said["launches"] = [without(OF_A_LAUNCH, launch) for launch in said["launches"]]
        said["buffers"] = [without(OF_A_BUFFER, buffer) for buffer in said["buffers"]]
        return said

    def check_without_boxes(self, name):
        """Kernels that are recorded in boxes of work-items give the capture that recording these one by one gives."""
        os.environ["WARPSCOPE_NO_BOXES"] = "1"
        try:
            self.run_tool("warpscope-nvcc", f"{name}.cu", "-o", name)
        finally:
            del os.environ["WARPSCOPE_NO_BOXES"]
        self.run_tool("trace-kernel", "-o", "one-by-one.wtrace", "--", f"./{name}")
        self.assertTrue(filecmp.cmp(self.folder / "program.wtrace", self.folder / "one-by-one.wtrace", shallow=False))

    def check_twin(self, name):
        twin = TwinProgram(name)
        self.run_tool("warpscope-nvcc", twin.write(self.folder), "-o", name)
        self.run_tool("trace-kernel", "-o", "program.wtrace", "--", f"./{name}")
        self.run_tool("trace-kernel", twin.source, *twin.launch.options, "-o", "kernel.wtrace", "--dump-buffers", "kernel")
        self.run_tool("trace-check", "program.wtrace")
        self.assertEqual(self.described("program.wtrace"), self.described("kernel.wtrace"))
        # A line per access: address, kind, work-group, warp, site.
        streams = [self.run_tool("warpsched", f"{one}.wtrace", "--format", "text", "-o", "-") for one in ("program", "kernel")]
        self.assertGreater(streams[0].count(b"\n"), 64)
        self.assertTrue(streams[0] == streams[1], "accesses differ")
        self.assertEqual(twin.launch.run_check(self.folder), "")
        self.check_without_boxes(name)
        for buffer in twin.buffers:
            self.assertEqual((self.folder / f"{buffer}.bin").read_bytes(), (self.folder / "kernel" / f"{buffer}.bin").read_bytes(), buffer)


def add_tests():
    for name in kernels() if os.environ.get("WARPSCOPE_TWINS_ALL") else SOME:
        setattr(Twins, f"test_{name}", lambda self, name=name: self.check_twin(name))


add_tests()
if __name__ == "__main__":
    unittest.main()
