"""Sections of the page against arithmetic: pictures of buffers, roofline, other caches, generations, what-ifs."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))
os.environ["WARPSCOPE_BIN"] = str(BIN)

from warpscope.base.errors import InputError  # noqa: E402
from warpscope.result import results  # noqa: E402
from warpscope.show import page  # noqa: E402
from warpscope.show.page import buffer_pictures, caches, comparisons, machine_code, roofline  # noqa: E402

N, TILE = 256, 16  # mm_tiled as it is launched without --size


def run(tool, *words, folder):
    done = subprocess.run([str(BIN / tool), *map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{tool} {words}: {done.stderr}")
    return done.stdout


def shown(path):
    text = path.read_text(encoding="utf-8")
    start = text.index(page.DATA) + len(page.DATA)
    return json.loads(text[start:text.index("</script>", start)])


class SectionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        path = SOURCE / "benchmarks" / "kernels" / "mm_tiled" / "mm_tiled.cl"
        run("warpscope", path, "--global", f"{N},{N}", "--gpu", "h100", "--no-plots", "-o", "out", folder=cls.folder)
        cls.capture = cls.folder / "out" / "mm_tiled.wtrace"
        cls.result = results.load(cls.folder / "out" / "result.json")
        cls.data = shown(page.make(cls.result, cls.folder / "out", cls.capture))

    def test_who_used_a_sector_before(self):
        """Work-groups in a row of the grid read the same 16 rows of A, and columns of B of their own. A warp reads 16 columns of each."""
        sample = self.data["samples"][0]
        pictures = {one["name"]: one for one in sample["buffers"]}
        groups = int(sample["near"].split()[-1]) + 1
        self.assertTrue(1 < groups <= N // TILE, sample["near"])
        rows = TILE * N * 4 // 32  # sectors of 16 rows, or of 16 columns
        first, other = "first use", "another work-group"
        self.assertEqual({name: count for name, count in pictures["A"]["by"].items() if count}, {first: rows, other: (groups - 1) * rows})
        self.assertEqual({name: count for name, count in pictures["B"]["by"].items() if count}, {first: groups * rows})

    def test_parts_and_patterns(self):
        pictures = {one["name"]: one for one in self.data["samples"][0]["buffers"]}
        for name, step in (("A", TILE * 4), ("B", TILE * N * 4)):
            self.assertEqual(pictures[name]["part_bytes"], 4096)  # 256 KiB in at most 96 parts of a power of two
            self.assertEqual(len(pictures[name]["loads"]), N * N * 4 // 4096)
            self.assertEqual(sum(pictures[name]["stores"]), 0)
            (_, kind, text), = pictures[name]["patterns"]
            self.assertEqual((kind, text), ("load", "neighbouring lanes at neighbouring places; the next request of a warp "
                                                    f"{step:,} bytes on"))
        self.assertEqual(sum(pictures["C"]["loads"]), 0)

    def test_patterns_in_words(self):
        for lanes, times, expected in (({4: 31}, {}, "neighbouring lanes at neighbouring places"),
                                       ({0: 31}, {4: 7}, "all lanes at the same place; the next request of a warp 4 bytes on"),
                                       ({128: 30, 4: 1}, {-4: 3}, "neighbouring lanes 128 bytes apart; the next request of a warp 4 bytes back"),
                                       ({4: 1, 8: 1, 12: 1}, {4: 1, 8: 1, 0: 1}, "scattered: neighbouring lanes have no common distance; the next request anywhere")):
            self.assertEqual(buffer_pictures.pattern(*(collections.Counter(steps) for steps in (lanes, times)), 4), expected)

    def test_roofline_counts_a_multiplication(self):
        (kernel,) = self.data["roofline"]["kernels"]
        self.assertEqual(kernel["flops"], 2 * N ** 3)
        timing = self.result["timed"]["total"]["timing"]
        self.assertEqual(kernel["instructions"], timing["warp_instructions"])
        self.assertAlmostEqual(kernel["seconds"], timing["cycles"] / 1980e6)  # core_clock_mhz of the preset
        self.assertEqual(kernel["bytes"]["L1"], sum(self.result["total"][kind]["bytes"] for kind in ("load", "store", "atomic")))
        self.assertEqual(self.data["roofline"]["ceilings"]["DRAM"], 3352e9)
        self.assertAlmostEqual(self.data["roofline"]["ceilings"]["flops"], 128 * 2 * 132 * 1980e6)

    def test_flops_of_blocks(self):
        blocks = [{"mix": {"fp32_add": 1}, "sites": []}, {"mix": {"fp32_fma": 2, "int_alu": 9}, "sites": [0, 1]}]
        floats, doubles, integers = roofline.COUNTED.values()
        self.assertEqual(roofline.operations_of(blocks, {0: 10, 1: 10}, 3, floats), 1 * 3 + 2 * 2 * 10)
        self.assertEqual(roofline.operations_of(blocks, {0: 10, 1: 10}, 3, integers), 9 * 10)
        self.assertIsNone(roofline.operations_of(blocks, {0: 10, 1: 11}, 3, floats))  # how often the block is executed is not known
        self.assertIsNone(roofline.operations_of([*blocks, {"mix": {"fp32_mul": 1}, "sites": []}], {0: 10, 1: 10}, 3, floats))
        blocks = [{"mix": {"fp64": 2, "fp64_fma": 1, "fp16_fma": 3}, "sites": [0]}]
        self.assertEqual([roofline.operations_of(blocks, {0: 10}, 0, classes) for classes in (floats, doubles)], [3 * 2 * 10, (2 + 2) * 10])

    def test_other_caches_are_what_cachesim_says(self):
        found = self.data["caches"]
        for size, ways in ((8, 1), (32, 4), (256, 16)):
            text = run("cachesim", "sweep", self.capture, "--gpu", "h100", "--size", size, "--ways", ways, "--json", "-", folder=self.folder)
            expected = json.loads(text)["cells"][0]["load"]
            looked_up = sum(expected.values())
            self.assertAlmostEqual(found["misses"][found["ways"].index(ways)][found["sizes"].index(size)],
                                   100 * (looked_up - expected["hits"]) / looked_up, places=3)

    def test_caches_only_where_they_are_cheap(self):
        heavy = {**self.result, "total": {**self.result["total"], "load": {**self.result["total"]["load"], "transactions": 10 ** 8}}}
        self.assertIsNone(caches.of_capture(heavy, self.capture))

    def test_several_gpus_are_side_by_side(self):
        run("warpscope", self.capture, "--gpu", "h100,gtx480", "--no-plots", "-o", "both", folder=self.folder)
        rows = {row["preset"]: row for row in shown(self.folder / "both" / "report.html")["generations"]}
        self.assertEqual(list(rows), ["h100", "gtx480"])
        for name, row in rows.items():
            result = results.load(self.folder / "both" / f"result-{name}.json")
            self.assertEqual(row["load"], result["total"]["load"])
            self.assertEqual(row["cycles"], result["timed"]["total"]["timing"]["cycles"])
        self.assertEqual(rows["gtx480"]["generation"], "Fermi")

    def test_what_ifs_are_added_to_the_page(self):
        folder = self.folder / "noted"
        run("warpscope", self.capture, "--gpu", "gtx480", "--clock", "fixed", "--no-plots", "-o", folder, folder=self.folder)
        capture = folder / "mm_tiled.wtrace"
        capture.write_bytes(self.capture.read_bytes())
        before = shown(folder / "report.html")
        for change in (("--groups", "tile:2x2"), ("--groups", "morton"), ("--groups", "tile:2x2")):
            said = run("warpscope", "what-if", capture, *change, "--gpu", "gtx480", "--clock", "fixed", folder=self.folder)
            self.assertIn("Added to ", said)
        after = shown(folder / "report.html")
        self.assertEqual([one["changes"] for one in after["what_ifs"]], [["--groups morton"], ["--groups tile:2x2"]])  # the latest of each
        self.assertEqual({**after, "what_ifs": []}, before)
        self.assertEqual(comparisons.what_ifs(folder), after["what_ifs"])
        run("warpscope", capture, "--gpu", "gtx480", "--clock", "fixed", "--no-plots", "-o", folder, folder=self.folder)
        self.assertEqual(shown(folder / "report.html")["what_ifs"], [])

    def test_machine_code_of_another_kernel_is_refused(self):
        cubin = SOURCE / "tests" / "machine" / "pairs" / "lines_old.cubin"
        done = subprocess.run([str(BIN / "warpscope"), "report", "out/result.json", "--no-plots", "-o", "other", "--machine-code", str(cubin)],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("has lines, expected a kernel of the result for sm_70 to sm_90: mm_tiled", done.stderr)

    def test_what_ifs_that_cannot_be_read_are_none(self):
        for text in ("", "{", "[1, {}]", "{}"):
            (self.folder / comparisons.WHAT_IFS).write_text(text)
            self.assertEqual(comparisons.what_ifs(self.folder), [])

    def test_only_pages_get_more(self):
        (self.folder / "other.html").write_text("<html></html>")
        with self.assertRaisesRegex(InputError, "other.html: not a page of warpscope"):
            page.add(self.folder / "other.html", what_ifs=[])


class MachineCode(unittest.TestCase):
    """Against what was counted in the text of NVIDIA's disassembler (tests/machine/pairs)."""

    def code(self, name):
        pairs = SOURCE / "tests" / "machine" / "pairs"
        counted = json.loads((pairs / "counts.json").read_text())[name]
        kernel = next(iter(counted))
        return machine_code.of_file(str(pairs / f"{name}.cubin"), {"launch_groups": [{"kernel": kernel}], "context": {}}), counted[kernel]

    def test_every_instruction_is_there_with_its_line_and_access(self):
        found, counted = self.code("lines_old")
        rows = found[0]["instructions"]
        self.assertEqual((len(rows), found[0]["registers"], found[0]["left_out"]), (counted["instructions"], counted["registers"], 0))
        self.assertEqual(collections.Counter(f"{file}:{line}" for _, file, line, *_ in rows), counted["lines"])
        shown = collections.Counter(access for *_, access, _, _, _, counts, stalls in rows if access and not counts and not stalls)
        self.assertEqual(shown, {"constant load, 4 B": 3, "constant load, 8 B": 4, "global load, 4 B": 2, "global store, 4 B": 1})
        self.assertEqual([row[0] for row in rows], list(range(0, 16 * len(rows), 16)))

    def test_without_lines(self):
        found, _ = self.code("widths_new")
        self.assertEqual({row[2] for row in found[0]["instructions"]}, {0})


if __name__ == "__main__":
    unittest.main()
