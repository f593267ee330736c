"""warpscope diff: lines, kernels, launches and accesses that belong together, and the numbers of both."""
import copy
import json
import random
import re
import shutil
import unittest

import support
from support import KINDS
from warpscope.explore.compare import difference, matching, page, sources, text
from warpscope.result import rates


class Lines(unittest.TestCase):
    def test_by_hand(self):
        pair = sources.line_map("a\nb\nlong line one\nc\n", "a\nnew\nb\nlong line two\nc\nend\n")
        self.assertEqual(pair.lines, {1: 1, 2: 3, 3: 4, 4: 5})
        self.assertEqual((pair.changed, pair.removed, pair.added), ({3}, 0, 2))

    def test_indentation_is_no_change(self):
        pair = sources.line_map("x = 1;\ny = 2;", "  x = 1;\n\ty = 2;  ")
        self.assertEqual((pair.lines, pair.changed), ({1: 1, 2: 2}, set()))

    def test_a_line_that_has_nothing_in_common_is_none(self):
        self.assertEqual(sources.line_map("a = b[i];", "return;").lines, {})

    def test_random_edits(self):
        """Unchanged lines are found again, whatever was put in or taken out around them; the map keeps the order."""
        draw = random.Random(7)
        for _ in range(60):
            before = [f"line {number} = {draw.random()};" for number in range(draw.randint(1, 60))]
            after, truth = [], {}
            for number, line in enumerate(before, 1):
                what = draw.random()
                if what < 0.15:
                    continue
                if what > 0.85:
                    after.append(f"// put in {draw.random()}")
                after.append(line)
                truth[number] = len(after)
            pair = sources.line_map("\n".join(before), "\n".join(after))
            self.assertEqual({line: to for line, to in pair.lines.items() if line not in pair.changed}, truth)
            self.assertEqual(sorted(pair.lines.values()), [to for _, to in sorted(pair.lines.items())])
            self.assertEqual(pair.removed, len(before) - len(pair.lines))
            self.assertEqual(pair.added, len(after) - len(pair.lines))

    def test_the_rows_of_the_page_are_all_lines_in_order(self):
        draw = random.Random(3)
        for _ in range(40):
            before, after = ([draw.choice("abcdefgh") * 3 for _ in range(draw.randint(0, 12))] for _ in range(2))
            pair = sources.line_map("\n".join(before), "\n".join(after))
            rows = page.aligned_lines(pair, len(before), len(after))
            self.assertEqual([i for i, _ in rows if i], list(range(1, len(before) + 1)))
            self.assertEqual([j for _, j in rows if j], list(range(1, len(after) + 1)))

    def test_files_of_other_names(self):
        def result(*files):
            return {"sources": [{"name": name, "text": content} for name, content in files]}

        same, other = "one\ntwo\nthree\n", "four\nfive\nsix\n"
        found = sources.match(result(("a", same), ("b", other), ("gone", "x")), result(("c", other), ("a", same), ("new", "y")))
        self.assertEqual([(pair.before, pair.after) for pair in found], [(0, 1), (1, 0)])


class Launches(unittest.TestCase):
    def test_kernels_by_name_then_in_order(self):
        self.assertEqual(matching.kernels(["a", "b", "c"], ["c", "x", "b"]), {"a": "x", "b": "b", "c": "c"})
        self.assertEqual(matching.kernels(["a", "b"], ["b"]), {"b": "b"})

    def test_in_order(self):
        def result(*groups):
            return {"launch_groups": [{"kernel": kernel, "launches": launches} for kernel, launches in groups]}

        self.assertEqual(matching.numbers("0,2-4,9"), [0, 2, 3, 4, 9])
        found = matching.launches(result(("a", "0,2-3"), ("b", "1"), ("a", "4")), result(("b", "0"), ("a", "1-2,5"), ("a", "3")),
                                  {"a": "a", "b": "b"})
        self.assertEqual([numbers for _, _, numbers in found], [[(0, 1), (2, 2)], [(1, 0)], [(3, 3)], [(4, 5)]])


class Diff(support.ToolTest):
    def compared(self, before, after, *more):
        self.run_tool("warpscope", "diff", support.result_path(before), support.result_path(after), "--json", "d.json", *more)
        return json.loads((self.folder / "d.json").read_text())

    def test_transposition(self):
        """A padded tile: a column of 32 elements takes one wavefront and not 32. 64 × 64 elements are 128 requests."""
        found = self.compared("mt_tiled", "mt_padded_tile")
        first = found["lines"][0]
        self.assertEqual([first[side]["local_wavefronts"] for side in ("before", "after")], [128 * 32, 128])
        self.assertEqual((first["before"]["line"], first["after"]["line"], first["after"]["name"]), (12, 12, "load tile"))
        self.assertEqual(first["change"], 128 - 128 * 32)
        self.assertEqual([row["change"] for row in found["lines"][1:]], [0, 0, 0])
        self.assertEqual(found["fixed"]["ratio"]["local_wavefronts"], (128 + 128) / (128 + 128 * 32))
        self.assertEqual(found["context"], [])
        self.assertEqual(found["sources"], [{"before": "mt_tiled.cl", "after": "mt_padded_tile.cl", "changed": 1, "removed": 0, "added": 0}])

    def test_numbers_are_the_results(self):
        """Whatever is matched, both sides add up to the totals of their results."""
        for names in (("mt_tiled", "mt_padded_tile"), ("mm", "mm_tiled"), ("mm_tiled", "mt_tiled")):
            found = self.compared(*names)
            for side, name in zip(("before", "after"), names):
                total = support.result(name)["total"]
                transactions = sum(total[kind]["transactions"] for kind in KINDS)
                misses = sum(rates.missed(total[kind]) for kind in KINDS)
                for measure, expected in (("transactions", transactions), ("misses", misses)):
                    rows = [row[side] for row in found["lines"] if row[side]]
                    self.assertEqual(sum(row[measure] for row in rows), expected, (name, measure))
                    self.assertEqual(sum(row[side][measure] for row in found["kernels"]), expected)
                    self.assertEqual(sum(row["count"] * row[side][measure] for row in found["launches"]), expected)
                cycles = support.result(name)["timed"]["total"]["timing"]["cycles"]
                self.assertEqual(found["timed"][side]["cycles"], cycles)
                self.assertEqual(found["kernels"][0][side]["timed_cycles"], cycles)
                self.assertEqual(found["launches"][0][side]["cycles"], cycles)

    def test_an_access_that_moved_keeps_its_buffer(self):
        """The multiplication reads A in its loop, the tiled one where it fills its tile."""
        moved = {row["after"]["name"]: row for row in self.compared("mm", "mm_tiled")["lines"] if row["before"] and row["after"]}
        self.assertEqual(sorted(moved), ["load A", "load B", "store C"])
        self.assertEqual((moved["load A"]["before"]["line"], moved["load A"]["after"]["line"]), (6, 13))

    def test_the_same_twice(self):
        path = support.result_path("mm")
        shown = self.run_tool("warpscope", "diff", path, path, "--tolerance", "0").decode()
        self.assertIn("Nothing changed", shown)

    def test_folders_of_reports(self):
        mm, tiled = support.result_path("mm"), support.result_path("mm_tiled")
        expected = self.run_tool("warpscope", "diff", mm, tiled).decode().splitlines()[3:]
        for name, path in (("before", mm), ("after", tiled)):
            (self.folder / name).mkdir()
            shutil.copy(path, self.folder / name / "result.json")
        self.assertEqual(self.run_tool("warpscope", "diff", "before", "after").decode().splitlines()[3:], expected)
        (self.folder / "empty").mkdir()
        self.assert_refused(self.call("warpscope", "diff", "before", "empty"), "empty: is a folder without result.json, expected a folder of warpscope -o")

    def test_captures_as_results(self):
        self.run_tool("warpscope", "diff", support.capture("mt_tiled"), support.result_path("mt_padded_tile"), "--json", "c.json")
        found = json.loads((self.folder / "c.json").read_text())
        expected = self.compared("mt_tiled", "mt_padded_tile")
        for key in ("fixed", "timed", "lines", "kernels", "launches"):
            self.assertEqual(found[key], expected[key], key)

    def test_json_on_standard_output(self):
        words = ("diff", support.result_path("mm"), support.result_path("mm_tiled"))
        done = self.call("warpscope", *words, "--json", "-")
        json.loads(done.stdout)
        self.assertEqual(done.stderr, self.run_tool("warpscope", *words))

    def test_another_gpu_is_said(self):
        shown = self.run_tool("warpscope", "diff", support.result_path("mm"), support.result_path("mm", "gtx480", "fixed")).decode()
        self.assertIn("Not the same settings: GPU: h100 -> gtx480", shown)
        self.assertIn("Cycles are not compared: after has no timed result (--clock fixed)", shown)

    def test_another_version_of_the_model_is_said(self):
        """The same program gets other numbers: that alone is no change of it, and no other setting."""
        old, new = copy.deepcopy(support.result("mm")), support.result("mm")
        for before, said in ((new["context"]["model_version"] - 1, f"{new['context']['model_version'] - 1}"), (None, "none")):
            old["context"]["model_version"] = before
            if before is None:
                del old["context"]["model_version"]  # a result of before it was counted
            shown = " ".join(text.lines(difference.between(old, new, ("a", "b"))))
            self.assertIn(f"Another version of the model, which alone moves numbers: {said} -> {new['context']['model_version']}", shown)
            self.assertNotIn("Not the same settings", shown)
        self.assertNotIn("version of the model", " ".join(text.lines(difference.between(new, new, ("a", "b")))))

    def test_is_short(self):
        shown = list(text.lines(difference.between(support.result("mm"), support.result("mm_tiled"), ("a", "b"))))
        self.assertLessEqual(len(shown), 40)
        self.assertLessEqual(max(map(len, shown)), 110)
        self.assertRegex(shown[3], r"cycles \(estimated\) ")

    def test_the_page_asks_nothing_of_a_network(self):
        self.compared("mm", "mm_tiled", "--html", "d.html")
        content = (self.folder / "d.html").read_text()
        elements = support.Elements(content)
        self.assertEqual(elements.open, [])
        fetching = {"src", "href", "srcset", "data", "action", "poster"}
        self.assertEqual([one for one in elements.found if fetching & set(one[1]) or one[0] == "script"], [])
        self.assertIsNone(re.search(r"url\(|@import", content))
        for shown in ("mm.cl:6 -> mm_tiled.cl:13", "1,024 → 64 (-94 %)", "A[y * width"):
            self.assertIn(shown, elements.text)

    def test_names_cannot_end_an_element(self):
        results_of = [support.result("mm") for _ in range(2)]
        for result in results_of:
            result["sources"][0]["text"] = result["sources"][0]["text"].replace("uint width", "</td><script>uint width", 1)
            for site in result["sites"]:
                for buffer in site["buffers"]:
                    buffer["name"] = "<script>"
        compared = difference.between(*results_of, ("<b>", "x"))
        found = support.Elements(page.document(compared, *results_of))
        self.assertNotIn("script", [name for name, _ in found.found])
        self.assertEqual(found.open, [])

    def test_bad_input(self):
        mm, mt = support.result_path("mm"), support.capture("mt_tiled")
        for words, message in (((mm,), "1 inputs given, expected two"),
                               ((mm, mm, "--gpu", "h100"), "--gpu: both inputs are results"),
                               ((mm, "none.json"), "none.json: No such file or directory, expected"),
                               ((mm, support.kernel("mm")), r"mm.cl: not JSON \(.*expected a result"),
                               ((mm, mt, "--clock", "fast"), "--clock fast: expected one of auto"),
                               ((mm, mm, "--json"), "--json: has no value"),
                               ((mm, mm, "--json", "no/such/file"), "--json no/such/file: no folder no/such"),
                               ((mm, mm, "--html", "."), r"--html \.: is a folder"),
                               ((mm, mm, "--json", "a", "--json", "b"), r"--json b: is given already \(a\)"),
                               ((mm, mm, "--top", "3"), "'--top': unknown option, expected one of --json"),
                               ((mm, mm, "--tolerance", "x"), "--tolerance x: expected percent"),
                               ((mm, mt, "--gpu", "nosuch"), "nosuch")):
            with self.subTest(words=words):
                done = self.call("warpscope", "diff", *words)
                self.assert_refused(done, message)
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_help(self):
        shown = self.run_tool("warpscope", "diff", "--help").decode()
        self.assertEqual(len(re.findall(r"(?m)^  warpscope diff ", shown)), 5)


if __name__ == "__main__":
    unittest.main()
