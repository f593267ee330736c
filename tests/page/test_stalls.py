"""Stalls of launches on the page: what the result counts, of warps where it has them, and how long a warp takes from instruction to instruction."""
import collections
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "python"), str(pathlib.Path(__file__).resolve().parent)]

import conforms  # noqa: E402
from test_sections import BIN  # noqa: E402
from warpscope.result import instructions, results  # noqa: E402
from warpscope.show.page import data, machine_code  # noqa: E402
from warpscope.show.summary import rate_lines, warp_cycles  # noqa: E402

KERNEL = SOURCE / "benchmarks" / "kernels" / "mt_tiled" / "mt_tiled.cl"
OF_WARPS = {"selected": 40, "not_selected": 0, "wait": 100, "long_scoreboard": 260}


class Stalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        subprocess.run([BIN / "warpscope", KERNEL, "--size", "small", "--gpu", "h100", "--no-plots", "-o", "out"], cwd=folder, check=True, capture_output=True)
        cls.result = results.load(folder / "out" / "result.json")

    def shaped(self, change):
        result = copy.deepcopy(self.result)
        change(result)
        shaped = json.loads(json.dumps(data.shape(result)))
        self.assertEqual(conforms.differences(data.Page, shaped), [])
        return shaped["timed"]["stalls"]

    def test_of_schedulers(self):
        (one,) = self.shaped(lambda result: None)
        timing = self.result["timed"]["launches"][0]["timing"]
        counted = {name: cycles for name, cycles in timing["scheduler_cycles"].items() if name != "empty" and cycles}
        self.assertEqual((one["of"], one["reasons"], one["cycles"]), ("schedulers", counted, timing["cycles"]))
        # 4 work-groups of 32 warps, each resident from its begin to its end; an instruction of a scheduler is an issued one.
        self.assertEqual(one["reasons"]["issued"], timing["warp_instructions"])
        self.assertEqual(one["per_issued"], timing["resident_warp_cycles"] / timing["warp_instructions"])

    def test_of_warps_under_the_profilers_names(self):
        def change(result):
            timing = result["timed"]["launches"][0]["timing"]
            timing |= {"warp_stalls": OF_WARPS, "resident_warp_cycles": sum(OF_WARPS.values()), "warp_instructions": OF_WARPS["selected"]}

        (one,) = self.shaped(change)
        self.assertEqual((one["of"], one["reasons"], one["per_issued"]), ("warps", {name: cycles for name, cycles in OF_WARPS.items() if cycles}, 10))

    def test_of_machine_code(self):
        """What the timed engine counts of the GPU's own instructions, as it is in the result."""
        with tempfile.TemporaryDirectory() as folder:
            for path in (SOURCE / "tests" / "machine" / "suite" / "mt_tiled.fatbin", *(KERNEL.with_suffix(suffix) for suffix in (".cu", ".launch"))):
                shutil.copy(path, folder)
            for words in (("trace-kernel", "mt_tiled.fatbin", "--machine=sm_80", "--global", "64,64", "-o", "m.wtrace"),
                          ("cachesim", "timed", "m.wtrace", "--gpu", "a100", "--json", "m.json")):
                subprocess.run([BIN / words[0], *words[1:]], cwd=folder, check=True, capture_output=True)
            result = results.load(pathlib.Path(folder) / "m.json")
            result["instructions"] = instructions.of_capture(pathlib.Path(folder) / "m.wtrace", result)
        self.each_instruction(result)
        (one,) = json.loads(json.dumps(data.shape(result)))["timed"]["stalls"]
        timing = result["launches"][0]["timing"]
        self.assertEqual((one["of"], one["reasons"]), ("warps", {name: cycles for name, cycles in timing["warp_stalls"].items() if cycles}))
        self.assertEqual(one["reasons"]["selected"], timing["warp_instructions"])

    def each_instruction(self, result):
        """The page has of each instruction what the result has; the lines that the summary names are their sums."""
        (code,) = json.loads(json.dumps(machine_code.of_result(result)))
        self.assertEqual(conforms.differences(machine_code.MachineCode, code), [])
        (counted,) = result["instruction_stalls"]
        counted = {row["address"]: row["warp_stalls"] for row in counted["instructions"]}
        self.assertEqual({row[0]: {code["stalls"][number]: cycles for number, cycles in row[9]} for row in code["instructions"] if row[9]}, counted)
        whole, sums = sum(result["total"]["timing"]["warp_stalls"].values()), collections.Counter()
        for row in code["instructions"]:
            sums[f"{row[1]}:{row[2]}" if row[2] else f"{code['kernel']}+{row[0]:#x}"] += sum(counted.get(row[0], {}).values())
        places = warp_cycles.places(result)
        self.assertEqual({one.where: round(one.share * whole) for one in places}, {where: cycles for where, cycles in sums.items() if cycles})
        self.assertEqual(places, sorted(places, key=lambda one: -one.share))
        self.assertIn(f" at {places[0].where} ({places[0].reason})", rate_lines.warp_cycles_line(result))

    def test_the_costliest_launches_first_and_bounded(self):
        def change(result):
            launch, group = result["timed"]["launches"][0], result["timed"]["launch_groups"][0]
            numbers = range(2 * data.STALLS)
            result["timed"]["launches"] = [{**launch, "launch": number, "timing": {**launch["timing"], "cycles": 1000 + number}} for number in numbers]
            result["timed"]["launch_groups"] = [{**group, "first": number, "launches": f"{number}", "count": 3 if number == 1 else 1} for number in numbers]

        stalls = self.shaped(change)
        self.assertEqual(len(stalls), data.STALLS)
        self.assertEqual([one["name"] for one in stalls[:3]], ["1: mt_tiled", "79: mt_tiled", "78: mt_tiled"])
        self.assertEqual(stalls[0]["count"], 3)


if __name__ == "__main__":
    unittest.main()
