"""From a plan of `cachesim infer` to the launches of hw-profile, and from its CSV back to the cache."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import SOURCE

from collect import measurements, suite_launches
from warpscope.base.errors import InputError

KERNELS = SOURCE / "benchmarks" / "kernels"
CACHESIM = pathlib.Path(os.environ["WARPSCOPE_BIN"]) / "cachesim"


class Probe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def infer(self, *arguments):
        done = subprocess.run([CACHESIM, "infer", *arguments, "--json", self.folder / "x.json"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "x.json").read_text(encoding="utf-8"))

    def plan(self, *rows, header="pattern,mask,step,places,rounds,hot"):
        path = self.folder / "plan.csv"
        path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        return path

    def test_rows_become_launches_of_one_program(self):
        """In words of 4 bytes; a row of address bits steps from bit to bit."""
        path = self.plan("chase,all,96,100,8,0", "chase,0x2080,1,4,8,0", "chase,all,96,100,8,0", "store-load,all,128,32,1,0")
        launches = suite_launches.probe_launches(path, KERNELS)
        self.assertEqual([launch.name for launch in launches], [
            "probe/probe.launch:medium:MASK=4294967295,STEP=24,PLACES=100,ROUNDS=8,HOT=0",
            "probe/probe.launch:medium:MASK=2080,STEP=1,PLACES=4,ROUNDS=8,HOT=0",
            "store_load/store_load.launch:small", "store_load/store_load.launch:small:LOAD_FIRST=0",
            "store_store/store_store.launch:small"])
        self.assertEqual(len({launch.program_key for launch in launches[:2]}), 1)
        self.assertEqual(len({launch.program_key for launch in launches[2:4]}), 2)  # this kernel uses the macro
        self.assertEqual([launches[1].value(name) for name in ("mask", "step", "places", "rounds", "hot")], [2080, 1, 4, 8, 0])

    def test_masks_beyond_the_buffer_get_a_larger_one_that_is_aligned(self):
        """Address bit 26: 2^27 bytes, 2^25 words. Bit 21: the 4 MiB of the launch file."""
        launches = suite_launches.probe_launches(self.plan("chase,0x4000080,1,4,8,0", "chase,0x200080,1,4,8,0"), KERNELS)
        self.assertEqual([launch.variant.get("WORDS") for launch in launches[:2]], [str(2 ** 25), None])
        self.assertEqual([launch.arguments["zeros"].count for launch in launches[:2]], [2 ** 25, 2 ** 20])
        self.assertEqual([launch.defines_are_arguments for launch in launches], [True, True, False, False, False])
        for launch in launches[:2]:  # as the tool evaluates the launch file with these macros
            other = suite_launches.launch_named(launch.name, KERNELS)
            self.assertEqual((other.defines, other.global_size), (launch.defines, launch.global_size))
            self.assertEqual({name: vars(one) for name, one in other.arguments.items()},
                             {name: vars(one) for name, one in launch.arguments.items()})

    def test_the_whole_plan_is_one_program_of_probe(self):
        launches = suite_launches.probe_launches(SOURCE / "validation" / "hardware" / "probe_plan.csv", KERNELS)
        self.assertEqual(len({launch.program_key for launch in launches if launch.folder == "probe"}), 1)
        self.assertEqual(len({launch.name for launch in launches}), len(launches))

    def test_a_csv_of_hw_profile_gives_the_cache(self):
        """Counts that a simulated P100 would give, under the names that hw-profile gives to launches and counters."""
        simulated = self.infer("--simulate", "--preset", "p100", "--csv", self.folder / "rows.csv")
        lines = (self.folder / "rows.csv").read_text(encoding="utf-8").splitlines()[1:]
        rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]
        launches = suite_launches.probe_launches(self.folder / "rows.csv", KERNELS)
        chases = [row for row in rows if row["pattern"] == "chase"]
        stores = [next(row for row in rows if row["pattern"] == kind) for kind in ("load-store-load", "store-load", "store-store")]
        self.assertEqual(len(launches), len(chases) + len(stores))
        table = []
        for launch, row in zip(launches, [*chases, *stores]):
            one = {"launch": launch.name, "input": launch.input, "global": launch.global_size, "local": launch.local_size}
            for kind in ("load", "store"):
                if row[f"{kind}s"]:
                    misses = float(row[f"{kind}_misses"])
                    table.append(measurements.row(one, f"{kind}.misses", [misses]))
                    table.append(measurements.row(one, f"{kind}.hits", [float(row[f"{kind}s"]) - misses]))
        measurements.write(self.folder / "gpu.csv", {"gpu": "simulated"}, table)
        found = self.infer(self.folder / "gpu.csv")
        for name, one in simulated["properties"].items():
            self.assertEqual((name, found["properties"][name]["status"], found["properties"][name]["value"]),
                             (name, "found", one["value"]))

    def test_bad_plans_are_refused(self):
        for rows, header, message in (
                (["chase,all,x,1,1,0"], None, "plan.csv:2: invalid literal"), (["chase,all,2,1,1,0"], None, "whole words"),
                (["chase,0x3,1,1,1,0"], None, "whole words"), (["chase,all,4"], None, "3 columns, expected 6"),
                ([], None, "no row of pattern 'chase'"), (["a,b"], "pattern,step", "no column 'mask'")):
            path = self.plan(*rows, header=header or "pattern,mask,step,places,rounds,hot")
            with self.assertRaisesRegex(InputError, message.replace("'", ".")):
                suite_launches.probe_launches(path, KERNELS)
        with self.assertRaisesRegex(InputError, "expected a plan"):
            suite_launches.probe_launches(self.folder / "none.csv", KERNELS)


if __name__ == "__main__":
    unittest.main()
