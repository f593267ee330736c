"""Small kernels with one planted problem each: the first finding of `warpscope` names it, with numbers from arithmetic."""
import json
import pathlib
import sys
import unittest

from support import SOURCE, ToolTest

sys.path.insert(0, str(SOURCE / "python"))
from warpscope.result import machine
from warpscope.show.summary import find

PLANTED = pathlib.Path(__file__).resolve().parent / "planted"
ITEMS = 32768
OUT = f"out=count={ITEMS},fill=zero"


class Planted(ToolTest):
    def findings(self, name, count, *words, items=ITEMS, local=256, gpu="gtx480"):
        """(the findings of a planted kernel whose `in` has `count` elements, all lines that warpscope prints)."""
        done = self.call("warpscope", PLANTED / f"{name}.cl", "--global", items, "--local", local, "--arg", OUT,
                         "--arg", f"in=count={count},fill=iota", "--gpu", gpu, "--no-plots", "-o", "out", *words)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        lines = done.stdout.decode().splitlines()
        self.assertLessEqual(len(lines), 25)
        self.assertLessEqual(max(map(len, lines)), 100)
        result = json.loads((self.folder / "out" / "result.json").read_text())
        return find.findings(result, machine.busy(result, result.get("timed")))[0], lines

    def first(self, name, count, *words, **more):
        """The costliest finding about an access."""
        found, lines = self.findings(name, count, *words, **more)
        found = [finding for finding in found if finding.access]
        self.assertTrue(found, lines)
        return found[0]

    def test_a_good_kernel_has_no_finding_about_an_access(self):
        for gpu in ("gtx480", "h100"):
            found, _ = self.findings("good", ITEMS, gpu=gpu)
            self.assertEqual([finding.what for finding in found if finding.access], [], gpu)

    def test_misaligned(self):
        finding = self.first("misaligned", ITEMS + 31)
        self.assertEqual((finding.rule, finding.grade), ("uncoalesced", "exact"))
        # Each of 1024 warps takes two lines where one would do.
        self.assertEqual((finding.what, finding.amount), ("misaligned: 2 lines per request, 1 would do",
                                                          "1,024 of 2,048 transactions too many"))
        finding = self.first("misaligned", ITEMS + 31, gpu="h100")
        self.assertEqual(finding.what, "misaligned: 5 sectors per request, 4 would do")

    def test_strided(self):
        for gpu, text in (("gtx480", "32 lines per request, 1"), ("h100", "32 sectors per request, 4")):
            finding = self.first("strided", 32 * ITEMS, gpu=gpu)
            self.assertEqual(finding.what, f"strided or scattered: {text} would do")
            self.assertEqual((finding.access.buffers, finding.access.line), (["in"], 4))

    def test_bank_conflicts_of_an_unpadded_tile(self):
        for gpu in ("gtx480", "h100", "v100"):
            finding = self.first("banks", ITEMS, items=f"{ITEMS // 32},32", local="32,32", gpu=gpu)
            self.assertEqual((finding.rule, finding.grade, finding.access.buffers), ("bank-conflicts", "exact", ["tile"]))
            # 1024 warps, a pass each, 32 wavefronts instead of 1.
            self.assertEqual(finding.amount, "31,744 of 32,768 wavefronts too many")

    def test_conflicts_in_sets(self):
        finding = self.first("sets", 8192, "--set", "l1_set_index=linear")
        self.assertEqual((finding.rule, finding.grade, finding.access.buffers), ("set-conflicts", "modelled", ["in"]))

    def test_capacity(self):
        finding = self.first("capacity", 16384)
        self.assertEqual((finding.rule, finding.grade, finding.access.buffers), ("capacity", "modelled", ["in"]))

    def test_private_memory(self):
        found, _ = self.findings("private", 4096, local=64)
        self.assertIn("private-memory", [finding.rule for finding in found])

    def test_copies_of_one_access_are_one_row(self):
        finding = self.first("unrolled", 32 * ITEMS)
        self.assertEqual((finding.rule, finding.access.copies), ("uncoalesced", 4))
        self.assertIn("(×4)", finding.access.name())


if __name__ == "__main__":
    unittest.main()
