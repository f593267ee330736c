"""Races in the summary: one line of at most 100 columns for each kind."""
import unittest

import support  # noqa: F401  (finds the package)
from warpscope.show.summary import races


def race(scope, first, second, **more):
    accesses = [{"kind": kind, "file": file, "line": line, "work_item": item} for kind, file, line, item in (first, second)]
    return {"kernel": "void (anonymous namespace)::reduce<float, 128>(float *)", "scope": scope, "accesses": accesses, "object": "sums", "cuda": True,
            "remedy": "__syncwarp()", **more}


WARP = race("warp", ("store", "r.cu", 14, [16, 0, 0]), ("load", "r.cu", 14, [0, 0, 0]))
GROUP = race("work-group", ("store", "r.cl", 10, [0, 1, 0]), ("load", "r.cl", 11, [1, 0, 0]), cuda=False, kernel="mt",
             remedy="barrier(CLK_LOCAL_MEM_FENCE)")


class Lines(unittest.TestCase):
    def lines(self, *found):
        return races.lines({"races": {"races": list(found)}}, "x.wtrace")

    def test_one_of_each_kind_and_how_many_more(self):
        self.assertEqual(self.lines(GROUP, WARP, GROUP, WARP), [
            "RACE in mt: store r.cl:10, load :11 of sums: add barrier(); items [0,1], [1,0] of 2 warps",
            "RACE in reduce: store and load r.cu:14 of sums: add __syncwarp(); threads 16, 0 of one warp",
            "     and 2 more: trace-view --races x.wtrace"])

    def test_other_files_and_unknown_lines(self):
        self.assertIn("store r.cu:14, load s.h:3 of sums", self.lines(race("warp", ("store", "r.cu", 14, [1, 0, 0]),
                                                                           ("load", "s.h", 3, [0, 0, 0])))[0])
        self.assertIn("store at an unknown line, load r.cu:3", self.lines(race("warp", ("store", "", 0, [1, 0, 0]), ("load", "r.cu", 3, [0, 0, 0])))[0])

    def test_nothing_to_say(self):
        self.assertEqual(self.lines(race("in-step", ("store", "r.cu", 14, [16, 0, 0]), ("load", "r.cu", 14, [0, 0, 0]))), [])
        self.assertEqual(races.lines({}), [])


if __name__ == "__main__":
    unittest.main()
