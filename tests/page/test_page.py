"""report.html: that its numbers are the result's, that it is bounded, and that it asks nothing of a network."""
import copy
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))

import conforms  # noqa: E402
from warpscope.base.errors import InputError  # noqa: E402
from warpscope.result import results  # noqa: E402
from warpscope.show import page  # noqa: E402
from warpscope.show.page import data, html_file  # noqa: E402

KINDS = ("load", "store", "atomic")
MOST_BYTES = 5_000_000
FETCHING = {"src", "href", "srcset", "data", "action", "poster"}  # attributes that name something to fetch


class Elements(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the text of its scripts and style sheets."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found, self.texts, self.open = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.open = [tag, dict(attrs), ""]

    def handle_data(self, text):
        if self.open:
            self.open[2] += text

    def handle_endtag(self, tag):
        if self.open and tag == self.open[0]:
            self.texts.append(tuple(self.open))
            self.open = None


def run(tool, *words, folder):
    done = subprocess.run([str(BIN / tool), *map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{tool} {words}: {done.stderr}")


def shown(text):
    """The data in a page."""
    return next(json.loads(content) for tag, attributes, content in Elements(text).texts if attributes.get("id") == "result")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        kernel = SOURCE / "benchmarks" / "kernels" / "mt_tiled" / "mt_tiled.cl"
        run("warpscope", kernel, "--size", "small", "--gpu", "h100", "--no-plots", "-o", "out", folder=cls.folder)
        cls.result = results.load(cls.folder / "out" / "result.json")
        page.make(cls.result, cls.folder / "out", cls.folder / "out" / "mt_tiled.wtrace")  # with samples, which --no-plots leaves out
        cls.text = (cls.folder / "out" / "report.html").read_text(encoding="utf-8")
        cls.data = shown(cls.text)

    def total(self, parts, kind, counter):
        return sum(part.get(kind, {}).get(counter, 0) for part in parts)

    def test_launches_sites_and_buffers_of_the_page_add_up_to_the_result(self):
        for kind in KINDS:
            for counter in ("requests", "transactions", "hits", "misses", "sector_misses", "wavefronts"):
                expected = self.result["total"][kind][counter]
                for parts in (self.data["launches"]["rows"], self.data["sites"], self.data["buffers"], [self.data["total"]]):
                    self.assertEqual(self.total(parts, kind, counter), expected, (kind, counter))

    def test_the_data_has_the_types_that_the_program_reads(self):
        self.assertEqual(conforms.differences(data.Page, self.data), [])
        for change, line in (({"title": 3}, "page.title: is 3, expected <class 'str'>"), ({"surprise": 1}, "page.surprise: has no type"),
                             ({"residency": [[0, 1]]}, "page.residency[0]: has 2 elements, expected 3")):
            self.assertEqual(conforms.differences(data.Page, self.data | change), [line])
        short = {name: value for name, value in self.data.items() if name != "sets"}
        self.assertEqual(conforms.differences(data.Page, short), ["page.sets: is missing"])

    def test_requests_are_those_that_the_source_makes(self):
        """Rows of 32 floats in, rows out: 4 sectors each. The tile is written by rows and read by columns of 32 words: one bank."""
        requests = {(one["space"], one["site"]): one["addresses"] for sample in self.data["samples"] for one in sample["requests"]}
        self.assertEqual(len(requests), 4)
        for (space, _), addresses in requests.items():
            self.assertEqual(len(addresses), 32)
            self.assertEqual(len({address // 32 for address in addresses}), 32 if addresses[1] - addresses[0] == 128 else 4, space)
        columns = [addresses for (space, _), addresses in requests.items() if space == "local" and addresses[1] - addresses[0] == 128]
        self.assertEqual([{address // 4 % 32 for address in addresses} for addresses in columns], [{columns[0][0] // 4 % 32}])

    def test_nothing_is_fetched(self):
        elements = Elements(self.text)
        for tag, attributes in elements.found:
            self.assertFalse(FETCHING & set(attributes), (tag, attributes))
        self.assertIn("default-src 'none'", dict(elements.found[3][1]).get("content", "") + str(elements.found))
        for tag, _, text in elements.texts:
            if tag == "style":
                self.assertNotRegex(text, r"@import|url\((?!data:)")
        program = next(text for tag, attributes, text in elements.texts if tag == "script" and "id" not in attributes)
        self.assertEqual(set(re.findall(r"https?://[\w.]+", program)) - {"http://www.w3.org"}, set())  # names of SVG and MathML

    def test_text_of_a_kernel_cannot_leave_its_place(self):
        result = copy.deepcopy(self.result)
        evil = "</script><script>alert(1)</script><!-- \u2028 & \x1b[31m \ud800"
        result["sources"][0]["text"] = evil + "\n" + result["sources"][0]["text"]
        result["launches"][0]["kernel"] = evil
        page.write(result, None, None, self.folder / "evil.html")
        text = (self.folder / "evil.html").read_text(encoding="utf-8")
        self.assertEqual(len(Elements(text).texts), len(Elements(self.text).texts))
        self.assertIn("</script><script>alert(1)", shown(text)["sources"][0]["pieces"][0][1])
        self.assertNotIn("\x1b", text)

    def test_same_result_same_bytes(self):
        for name in ("a.html", "b.html"):
            page.make(self.result, self.folder, self.folder / "out" / "mt_tiled.wtrace").rename(self.folder / name)
        self.assertEqual((self.folder / "a.html").read_bytes(), (self.folder / "b.html").read_bytes())

    def test_a_page_of_20000_launches_and_10000_instructions_is_bounded_and_says_what_is_missing(self):
        result = copy.deepcopy(self.result)
        launch, site = result["launches"][0], result["sites"][0]
        result["launches"] = [{**launch, "launch": number, "kernel": f"kernel{number % 40}"} for number in range(20_000)]
        heavy = {**launch, "launch": 20_000, "kernel": "heaviest", "load": {kind: 100 * n for kind, n in launch["load"].items()}}
        result["launches"].append(heavy)
        for name in ("launch_groups", "kernels"):  # what the launches were
            result.pop(name, None)
        result["sites"] = [{**site, "site": number} for number in range(10_000)]
        result["sources"] = [{"name": result["sources"][0]["name"], "text": "int a;\n" * 400_000}]
        page.write(result, None, None, self.folder / "large.html")
        self.assertLess((self.folder / "large.html").stat().st_size, MOST_BYTES)
        large = shown((self.folder / "large.html").read_text(encoding="utf-8"))
        launches = large["launches"]
        self.assertEqual(launches["count"], 20_001)
        self.assertEqual(len(launches["rows"]) + launches["left_out"], 20_001)
        self.assertIn("heaviest", [row["kernel"] for row in launches["rows"]])
        self.assertEqual(len(large["sites"]) + large["sites_left_out"], 10_000)
        self.assertFalse(large["sources"][0]["whole"])
        self.assertEqual(large["sources"][0]["lines"], 400_000)

    def test_pieces_of_a_long_source_have_their_lines(self):
        result = copy.deepcopy(self.result)
        result["sources"][0]["text"] = "\n".join(f"line {number}" for number in range(1, 300_001))
        used = sorted({place["line"] for site in result["sites"] for place in site["locations"]})
        pieces = data.shape(result)["sources"][0]["pieces"]
        found = {first + at: text for first, piece in pieces for at, text in enumerate(piece.split("\n"))}
        for line in used:
            for near in range(line - data.AROUND, line + data.AROUND + 1):
                self.assertEqual(found[near], f"line {near}")
        self.assertNotIn(used[-1] + data.AROUND + 1, found)

    def test_report_makes_the_page_again_from_a_result_alone(self):
        run("warpscope", "report", "out/result.json", "--no-plots", "-o", "again", folder=self.folder)
        again = shown((self.folder / "again" / "report.html").read_text(encoding="utf-8"))
        self.assertEqual(again["samples"], [])
        self.assertEqual(again["total"], self.data["total"])

    def test_a_missing_program_is_one_line(self):
        with tempfile.TemporaryDirectory() as empty:
            with unittest.mock.patch.object(html_file, "bundle_folder", lambda: pathlib.Path(empty)):
                with self.assertRaisesRegex(InputError, r"report\.css: No such file.*, expected the page's program"):
                    page.write(self.result, None, None, self.folder / "none.html")
        self.assertFalse((self.folder / "none.html").exists())


if __name__ == "__main__":
    unittest.main()
