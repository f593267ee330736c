"""A number moves only with a new version of the model: the rules of scripts/update_golden.py, and that what is committed obeys them."""
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))
SPECIFICATION = importlib.util.spec_from_file_location("update_golden", SOURCE / "scripts" / "update_golden.py")
golden = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(golden)


def tables(cycles="10", more=""):
    return {"results.csv": "kernel,order,cache,hits\nmm,warp,16,3\n", "timed.csv": f"kernel,code,gpu,cycles\nmm,clang,v100,{cycles}\n{more}"}


class ModelVersion(unittest.TestCase):
    def test_what_is_committed_belongs_together(self):
        text = {name: (golden.FOLDER / name).read_text() for name in golden.TABLES}
        self.assertEqual(golden.faults(text, golden.read_models(), golden.model_version(), golden.described_version()), [])

    def test_a_number_that_moves_needs_a_version(self):
        old, new = tables(), tables(cycles="11")
        models = [["1", golden.digest(old)]]
        self.assertEqual(golden.faults(old, models, 1, 1), [])
        moved, added = golden.compare(old, new)
        self.assertEqual((moved, added), (["mm / clang / v100: ['10'] is now ['11']"], 0))
        with self.assertRaisesRegex(ValueError, "raise kModelVersion"):
            golden.recorded(new, moved, models, 1)
        self.assertIn("raise kModelVersion", golden.faults(new, models, 1, 1)[0])  # numbers were changed by hand
        raised = golden.recorded(new, moved, models, 2)
        self.assertEqual(raised, [*models, ["2", golden.digest(new)]])
        self.assertEqual(golden.faults(new, raised, 2, 2), [])
        self.assertEqual(len(golden.faults(new, raised, 2, 1)), 1)  # the change log says nothing of it
        self.assertEqual(len(golden.faults(new, raised, 3, 3)), 1)

    def test_a_new_row_needs_none(self):
        old, new = tables(), tables(more="mt,clang,v100,5\n")
        moved, added = golden.compare(old, new)
        self.assertEqual((moved, added), ([], 1))
        self.assertEqual(golden.recorded(new, moved, [["1", golden.digest(old)]], 1), [["1", golden.digest(new)]])

    def test_results_say_what_the_source_says(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "x.txt").write_text("1 1\n0x1000 R 0 0 1\n")
            done = subprocess.run([BIN / "cachesim", "x.txt", "16", "128", "4", "LRU", "WTNA", "--json", "result.json"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads((pathlib.Path(folder) / "result.json").read_text())["context"]["model_version"], golden.model_version())
            self.assertIn(f"; model {golden.model_version()}\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
