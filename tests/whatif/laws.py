"""What the tests of this folder share: a kernel, what a change makes of its capture, and the kernel really changed."""
import json
import pathlib
import shutil
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent / "endtoend"), str(FOLDER.parent)]

import sampled  # noqa: E402
from support import KINDS, ToolTest  # noqa: E402

KERNELS = FOLDER / "layouts.cl"
COUNTED = (*KINDS, "miss_classes", "write_backs", "evictions", "local_memory", "outside_l1", "l1_to_l2_read_sectors")


def line_of(text):
    """Number of the only line of layouts.cl that holds `text`."""
    (number,) = [number for number, line in enumerate(KERNELS.read_text().splitlines(), 1) if text in line]
    return number


def counters(result):
    """All counters of a result but those that name instructions: whole, by core, by buffer with its address and size, and by memory
    instruction in any order."""
    def part(entry, *more):
        return {key: entry[key] for key in (*COUNTED, *more) if key in entry}

    return {
        "total": part(result["total"]),
        "cores": [part(core) for core in result["cores"]],
        "buffers": [part(buffer, "name", "address", "size") for buffer in result["buffers"]],
        "sites": sorted(json.dumps(part(site, "kind", "buffer"), sort_keys=True) for site in result["sites"]),
    }


def differences(left, right, path=""):
    """Where two values differ: "total.load.hits: 3, 4", at most ten."""
    if isinstance(left, dict) and isinstance(right, dict):
        keys = list(dict.fromkeys([*left, *right]))
        return [line for key in keys for line in differences(left.get(key), right.get(key), f"{path}.{key}")][:10]
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [line for at, pair in enumerate(zip(left, right)) for line in differences(*pair, f"{path}[{at}]")][:10]
    return [] if left == right else [f"{path}: {str(left)[:200]}, {str(right)[:200]}"]


class LawTest(ToolTest):
    GPUS = ("gtx480", "h100")
    TIMED = "h100"
    SQUARE = 64  # rows that are more work-groups than a GPU has cores
    PADDING_IS_FREE = True  # other rows take no other instructions

    def launch(self, output, kernel, size, local, arguments, *more, source=KERNELS):
        """Captures a kernel of layouts.cl."""
        words = [word for argument in arguments for word in ("--arg", argument)]
        self.run_tool("trace-kernel", source, "--kernel", kernel, "--global", size, "--local", local, *words, *more, "-o", output)
        return output

    def change(self, capture, *changes, output="changed.wtrace"):
        self.run_tool("trace-change", capture, *changes, "-o", output)
        self.run_tool("trace-check", output)
        return output

    def simulated(self, capture, gpu, *more):
        result = self.result(capture, "--gpu", gpu, "--self-check", *more)
        self.assert_conserved(result)
        return result

    def timed(self, capture, gpu):
        return json.loads(self.run_tool("cachesim", "timed", capture, "--gpu", gpu, "--json", "-"))

    def assert_law(self, before, changes, really, gpus=None):
        """The change of `before` counts what `really` counts; and it is no change that changes nothing."""
        changed = self.change(before, *changes)
        different = False
        for gpu in gpus or self.GPUS:
            expected = counters(self.simulated(really, gpu))
            self.assertEqual(differences(counters(self.simulated(changed, gpu)), expected), [], (changes, gpu))
            different = different or counters(self.simulated(before, gpu)) != expected
        self.assertTrue(different, changes)

    def assert_same_time(self, changed, really):
        """Also in timed mode, where both kernels have the same instructions."""
        left, right = (self.timed(capture, self.TIMED)["total"] for capture in (changed, really))
        self.assertGreater(left["timing"]["cycles"], 0)
        self.assertEqual(differences(left, right), [])


class OfMachineCode:
    """The same kernels as machine code, which is next to machine/make. Each run takes one architecture of three."""
    ARCHITECTURE = sampled.architecture("what-if", (75, 80, 90))
    GPUS = {75: ("rtx2080", "t4"), 80: ("a100", "l4"), 90: ("h100", "h200")}[ARCHITECTURE]
    TIMED = GPUS[0]
    SQUARE = 128 if ARCHITECTURE == 90 else 64
    PADDING_IS_FREE = False
    DEFAULTS = ("CHANGED=0", "FIRST=0", "PAD=0", "TILE=16")

    def launch(self, output, kernel, size, local, arguments, *more):
        macros = [word for option, word in zip(more, more[1:]) if option == "-D" and word not in self.DEFAULTS]
        others = [word for at, word in enumerate(more) if "-D" not in more[max(at - 1, 0):at + 1]]
        code = "-".join(["layouts", *macros]) + ".fatbin"
        for path in (FOLDER / "machine" / code, KERNELS):  # names of parameters are those of the source next to the code
            shutil.copy(path, self.folder)
        return super().launch(output, kernel, size, local, arguments, f"--machine=sm_{self.ARCHITECTURE}", *others, source=code)
