"""Facts that addresses alone say of an access, whatever it costs: by hand, in the profilers' units, two of a kind in the summary, all in the report."""
import copy
import unittest
from unittest import mock

import support
from warpscope.result import accesses
from warpscope.show.summary import exact, layout, rate_lines
from warpscope.show.summary.finding import Finding


def site(number, line, **more):
    """A load of `in` by 2 requests of 32 lanes, coalesced: 2 lines of 128 bytes."""
    found = copy.deepcopy(support.result()["sites"][0])
    found |= {"site": number, "locations": [{"file": "copy.cl", "line": line, "column": 5}]}
    found["load"] |= {"wavefronts": 2, **more.pop("load", {})}
    return found | more


def memory(kind, requests, wavefronts, conflicts):
    none = {"requests": 0, "lanes": 0, "wavefronts": 0, "conflicts": 0}
    own = {"requests": requests, "lanes": 32 * requests, "wavefronts": wavefronts, "conflicts": conflicts}
    return {"outside_l1": {kind: {"load": own, "store": none, "atomic": none}}, "reaches_l1": False, "load": support.kind()}


class Exact(unittest.TestCase):
    def result(self, *sites):
        return support.result() | {"sites": list(sites)}

    def told(self, *sites):
        return [(fact.kind, fact.access.line, fact.what) for every in exact.facts(self.result(*sites)).values() for fact in every]

    def test_what_is_ideal_is_not_told(self):
        self.assertEqual(self.told(site(0, 1)), [])

    def test_bank_conflicts_by_request_and_by_pass(self):
        """Doubles take two passes a request; of 16 wavefronts of 2 requests 4 are passes."""
        self.assertEqual(self.told(site(0, 3, space="local", **memory("local", 2, 16, 12))), [("bank conflicts", 3, "8 wavefronts per request, 4 per pass")])

    def test_constants_at_several_addresses_are_replayed(self):
        self.assertEqual(self.told(site(0, 3, space="constant", **memory("constant", 2, 10, 8))),
                         [("replays", 3, "5 wavefronts of constant memory per request, 1 would do")])

    def test_excess_and_its_replays(self):
        found = self.told(site(0, 3, load={"transactions": 5, "wavefronts": 4}))
        self.assertEqual(found, [("excess sectors", 3, "2.5 lines per request, ideal 1"), ("replays", 3, "2 wavefronts of the L1 per request, 1 would do")])

    def test_a_part_of_what_is_moved(self):
        """8 lanes of 4 bytes use 32 bytes of a line, or fewer if some of them load the same; one lane uses 4."""
        self.assertEqual(self.told(site(0, 3, load={"lanes": 16})), [("partial sectors", 3, "at most 32 of 128 bytes of each of the lines used")])
        self.assertEqual(self.told(site(0, 3, load={"lanes": 2})), [("partial sectors", 3, "4 of 128 bytes of each of the lines used")])
        self.assertEqual(self.told(site(0, 3, load={"lanes": 16}, space="private")), [])

    def test_a_part_that_is_nearly_all_is_not_told_and_the_most_wasted_comes_first(self):
        """Of 1,000 lines 1 lane is missing: 4 of 128,000 bytes. Of 2 lines 62 lanes waste 248 bytes, of 20 lines 4 lanes 16."""
        nearly = {"requests": 1000, "transactions": 1000, "wavefronts": 1000, "lanes": 31999}
        found = self.told(site(0, 3, load=nearly), site(1, 4, load={"requests": 20, "transactions": 20, "wavefronts": 20, "lanes": 20 * 32 - 4}),
                          site(2, 5, load={"lanes": 2}))
        self.assertEqual([line for _, line, _ in found], [5, 4])

    def test_two_of_a_kind_with_most_of_it_and_what_no_finding_tells(self):
        result = self.result(*(site(number, 10 + number, load={"transactions": 4 + number}) for number in range(4)))
        lines = exact.lines(result, [], False)
        self.assertEqual(lines, ["Exact, excess sectors: copy.cl:13 load in: 3.5 lines per request, ideal 1; copy.cl:12 load in: 3 lines per request, "
                                 "ideal 1; 2 more in report.txt"])
        findings = [Finding("uncoalesced", "", "exact", {}, access=access) for access in accesses.of_result(result) if access.line > 11]
        self.assertEqual(exact.lines(result, findings, False), ["Exact, excess sectors: copy.cl:11 load in: 2.5 lines per request, ideal 1; "
                                                                "copy.cl:10 load in: 2 lines per request, ideal 1"])
        self.assertEqual(len(exact.lines(result, findings, False, None)), 4)

    def test_the_summary_has_them_though_nothing_costs(self):
        result = self.result(site(0, 3), site(1, 4, space="local", **memory("local", 2, 4, 2)))
        result["total"]["load"] |= {"requests": 10**6, "transactions": 10**6, "wavefronts": 10**6}
        result["total"]["outside_l1"] = {}
        text = layout.summary(result)
        self.assertIn("Exact, bank conflicts: copy.cl:4 load in: 2 wavefronts per request, 2 per pass", text)
        self.assertLessEqual(len(text), layout.LINES)

    def test_with_little_room_the_first_kinds_are_told_and_the_others_named(self):
        result = self.result(site(0, 3, load={"transactions": 5, "wavefronts": 4}), site(1, 4, space="local", **memory("local", 2, 4, 2)))
        self.assertEqual(exact.lines(result, [], False, 1, 1), ["Exact, bank conflicts: copy.cl:4 load in: 2 wavefronts per request, 2 per pass; "
                                                                "excess sectors, replays in report.txt"])
        for lines in (9, 13, 16):
            with mock.patch.object(layout.bound, "lines", return_value=["Bound by"] * lines):
                text = layout.summary(result)
            self.assertIn("Exact, bank conflicts: copy.cl:4", "\n".join(text))
            self.assertLessEqual(len(text), layout.LINES + layout.EXTRA_LINES)

    def test_lanes_that_read_one_address_need_no_more_than_they_have(self):
        """Two requests of 32 lanes of 16 bytes: 512 bytes are 4 lines, but all lanes read one address, and get it with 1."""
        one = site(0, 3, width=16, load={"requests": 2, "lanes": 64, "transactions": 2})
        result = self.result(one)
        result["total"]["load"] |= {"requests": 2, "transactions": 2}
        self.assertIn("loads 1.00 (ideal 1.00)", rate_lines.request_line(result))
        one["load"]["transactions"] = result["total"]["load"]["transactions"] = 12
        self.assertIn("loads 6.00 (ideal 4.00)", rate_lines.request_line(result))

    def test_they_drive_out_no_finding_that_costs_a_fifth(self):
        result = self.result(site(0, 3), site(1, 4))
        found = [Finding("uncoalesced", f"number {number}", "exact", {}, f"costs {number}", accesses.of_result(result)[0], share=share)
                 for number, share in enumerate((0.4, 0.05, 0.3, 0.01))]
        facts = [f"Exact, fact {number}" for number in range(4)]
        with mock.patch.object(layout.advised, "of_result", return_value=(found, None)), mock.patch.object(layout, "_facts", return_value=facts), \
                mock.patch.object(layout.bound, "lines", return_value=["Bound by"] * 9):
            text = layout.summary(result)
        for part in (*facts, "number 0", "number 2"):
            self.assertIn(part, "\n".join(text))
        self.assertNotIn("number 3", "\n".join(text))
        self.assertLessEqual(len(text), layout.LINES + layout.EXTRA_LINES)


if __name__ == "__main__":
    unittest.main()
