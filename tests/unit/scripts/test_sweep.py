"""The pictures of a sweep whose numbers are known by hand."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import support  # noqa: F401  (finds the modules)
from warpscope.base.errors import InputError
from warpscope.show.plots import sweep as plot_sweep


def cell(size, ways, sets, rate, index="linear"):
    return {"size_kib": size, "line_bytes": 128, "ways": ways, "sets": sets, "set_index": index, "replacement": "LRU",
            "write_policy": "WTNA", "load_miss_rate_percent": rate}


def sweep():
    cells = [cell(4, 1, 32, 90.0), cell(8, 2, 32, 40.0), cell(16, 4, 32, 39.0), cell(8, 1, 64, 30.0, "xor-fold")]
    return {"schema": 1, "kind": "sweep", "cells": cells, "best": [0, 3], "preset_cell": 2,
            "curves": [{"cells": [0, 1, 2], "knees": [1]}],
            "context": {"cores": 15, "input": {"name": "mm.wtrace"}, "launches": [{"kernel": "mm"}]}}


class Sweep(unittest.TestCase):
    def load(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sweep.json"
            path.write_text(content if isinstance(content, str) else json.dumps(content))
            return plot_sweep.load(path)

    def test_the_best_cell_of_a_place_is_shown(self):
        numbered = list(enumerate([cell(4, 1, 32, 90.0), cell(4, 1, 32, 10.0), cell(8, 2, 32, None)]))
        self.assertEqual(plot_sweep.best_by_place(numbered, "ways", "sets"), {(1, 32): (10.0, 1)})

    def test_maps_are_split_by_what_has_several_values(self):
        self.assertEqual(plot_sweep.split_of(sweep(), None), "set_index")
        self.assertEqual(plot_sweep.split_of(sweep(), "replacement"), "replacement")

    def test_curves_are_named_by_what_differs(self):
        self.assertEqual(plot_sweep.curve_label(sweep(), sweep()["cells"][3]), "64 sets, xor-fold")

    def test_an_own_point_of_several_sizes_is_no_cell_of_the_maps(self):
        several = {**sweep(), "preset_l1_kib": [16, 8, 16]}
        self.assertEqual(plot_sweep.own_label(several), "the hardware's own, 8 to 16 KiB by launch")
        self.assertEqual([number for number, _ in plot_sweep.of_one_size(several)], [0, 1, 3])
        self.assertEqual(plot_sweep.own_label({**sweep(), "preset_l1_kib": None}), "the hardware's own")
        self.assertEqual(len(plot_sweep.of_one_size(sweep())), 4)
        plot_sweep.draw(several)

    def test_same_input_same_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            pictures = []
            for name in ("a", "b"):
                paths = plot_sweep.style.save(plot_sweep.draw(sweep()), pathlib.Path(folder) / name)
                pictures.append([path.read_bytes() for path in paths])
            self.assertEqual(*pictures)

    def test_refuses_what_is_no_sweep(self):
        self.assertEqual(self.load(sweep())["cells"], sweep()["cells"])
        for bad, message in (("x", "not JSON"), ({"schema": 1, "total": {}}, "no sweep"),
                             ({**sweep(), "schema": 9}, "schema 9"),
                             ({**sweep(), "cells": [cell(4, 1, 32, None)]}, "no loads")):
            with self.assertRaisesRegex(InputError, message), contextlib.redirect_stdout(io.StringIO()):
                self.load(bad)


if __name__ == "__main__":
    unittest.main()
