"""The summary: findings and costs by hand, at most 25 lines of 100 columns whatever the result, 20,000 launches in 2 s."""
import copy
import dataclasses
import shlex
import subprocess
import unittest

import support
from warpscope.result import accesses, machine, per_kernel, program, results
from warpscope.show import report
from warpscope.show.summary import bound, compare, find, launch_rules, layout, rate_lines, recompile, rules, wrapped
from warpscope.show.summary.finding import Finding, order


def local_site(wavefronts, conflicts, requests=2):
    """A load of local memory."""
    memory = {"requests": requests, "lanes": 32 * requests, "wavefronts": wavefronts, "conflicts": conflicts}
    empty = dict.fromkeys(memory, 0)
    return {**support.counts(), "kernel": "copy", "site": 9, "kind": "load", "space": "local", "operation": "", "width": 4, "alignment": 4,
            "function": "copy", "locations": [{"file": "copy.cl", "line": 3, "column": 5}], "source": 0, "reaches_l1": False,
            "bypasses_l1": False, "buffers": [{"buffer": 3, "name": "tile", "transactions": 0, "misses": 0}],
            "outside_l1": {"local": {"load": memory, "store": empty, "atomic": empty}}}


def used(**given):
    """Busy with nothing to do but what is given."""
    stalls = dict.fromkeys(machine.STALLS, 0.0) | given.pop("stalls", {})
    return machine.Busy(**{"cycles": 1000, "issue": 0.0, "tags": 0.0, "data": 0.0, "l2": 0.0, "dram": 0.0, "idle": 0.0, "warps": 32.0,
                           "stalls": stalls} | given)


def timed_result(result):
    """A timed result next to it: 2 cores of 2 schedulers, 100 cycles, the second core half of them; every number by hand."""
    timed = copy.deepcopy(result)
    timed["context"] |= {"cores": 2, "timed": {"schedulers": 2, "l1_units": 1, "assumed": [
        {"key": "l2_to_core_bytes_per_cycle", "value": "64"}, {"key": "core_to_l2_bytes_per_cycle", "value": "32"}]}}
    cycles = {"issued": 60, "load_store_full": 30, "unit_busy": 0, "dependency": 0, "memory": 150, "barrier": 0, "empty": 60}
    memory = {"l2_load_hits": 0, "dram_bytes_per_cycle": 0}
    timed.pop("launch_groups", None)  # the one launch is all that it has
    timed["total"]["timing"] = timed["launches"][0]["timing"] = {"cycles": 100, "active_cycles": 150, "resident_warp_cycles": 1500, "warps_per_core_mean": 7.5,
                                "scheduler_cycles": cycles, "l2_to_core_bytes": 4800, "core_to_l2_bytes": 1200, "memory": memory}
    return timed


class Accesses(unittest.TestCase):
    def test_copies_of_one_source_access_are_one_row(self):
        result = support.result()
        again = copy.deepcopy(result["sites"][0])
        again["site"] = 7
        result["sites"].append(again)
        first = accesses.of_result(result)[0]
        self.assertEqual((first.copies, first.requests, first.transactions, first.missed), (2, 4, 4, 4))
        self.assertEqual(first.name(), "load in (×2)")
        again["buffers"][0]["name"] = "other"
        self.assertEqual(accesses.of_result(result)[0].copies, 1)

    def test_the_ideal_is_that_of_neighbouring_elements(self):
        access = accesses.of_result(support.result())[0]
        self.assertEqual((accesses.ideal(access, 128), accesses.ideal(access, 32)), (1, 4))
        access.shapes = {(2, 2 * 8, 16): 1}  # 8 active lanes of 16 bytes: 128 bytes
        self.assertEqual((accesses.ideal(access, 128), accesses.ideal(access, 32)), (1, 4))

    def test_the_ideal_of_copies_of_two_widths_is_their_mean(self):
        access = accesses.of_result(support.result())[0]
        access.requests, access.shapes = 4, {(3, 3 * 32, 16): 1, (1, 32, 4): 1}  # 3 × 512 bytes and 128 bytes: 3 × 16 and 4 sectors
        self.assertEqual((accesses.ideal(access, 32), accesses.wanted_bytes(access)), ((3 * 16 + 4) / 4, 3 * 512 + 128))

    def test_the_column_is_told_where_a_line_has_several(self):
        result = support.result()  # in[i] + in[i + 1], and a store to out
        self.assertEqual([access.where() for access in accesses.of_result(result)], ["copy.cl:4:12", "copy.cl:4:20", "copy.cl:4"])
        del result["sites"][1]
        self.assertEqual([access.where() for access in accesses.of_result(result)], ["copy.cl:4", "copy.cl:4"])

    def test_an_access_of_two_kernels_is_two(self):
        result = support.result()
        other = copy.deepcopy(result["sites"][0])
        other["kernel"] = "other"
        result["sites"].append(other)
        self.assertEqual([(access.kernels, access.copies) for access in accesses.of_result(result) if access.column == 12], [(["copy"], 1), (["other"], 1)])


class Rules(unittest.TestCase):
    def setUp(self):
        self.result = support.result()
        self.machine = find.machine_of(self.result)

    def test_bank_conflicts_count_what_one_wavefront_a_pass_would_save(self):
        self.result["sites"].append(local_site(64, 62))
        finding = rules.bank_conflicts(accesses.of_result(self.result)[-1], self.machine)
        self.assertEqual((finding.rule, finding.grade, finding.extra["l1"]), ("bank-conflicts", "exact", 62))
        self.assertIn("32 wavefronts a pass", finding.what)
        self.assertIsNone(rules.bank_conflicts(accesses.of_result(support.result())[0], self.machine))

    def test_two_lines_where_one_would_do_are_misaligned_unless_a_warp_spans_rows(self):
        second = accesses.of_result(self.result)[1]  # in[i + 1]: 2 requests, 4 transactions
        finding = rules.uncoalesced(second, self.machine)
        self.assertEqual(finding.what, "misaligned: 2 lines per request, 1 would do")
        self.assertEqual(finding.extra["queue"], 2)
        self.machine.widths = {"copy": 16}
        self.assertIn("a warp spans 2 rows", rules.uncoalesced(second, self.machine).what)
        self.assertIsNone(rules.uncoalesced(accesses.of_result(self.result)[0], self.machine))

    def test_a_transaction_for_every_lane_is_strided(self):
        access = accesses.of_result(self.result)[1]
        access.transactions = 32 * access.requests
        self.assertIn("strided or scattered: 32 lines per request, 1 would do", rules.uncoalesced(access, self.machine).what)

    def test_what_is_only_read_and_fetched_again_could_take_the_read_only_path(self):
        load = accesses.of_result(self.result)[0]
        load.bypasses, name = 64, load.buffers[0]
        self.machine.readonly_path, self.machine.sizes, self.machine.stored = "l1", dict.fromkeys(load.objects, 16 * self.machine.unit_bytes), frozenset()
        finding = rules.read_only(load, self.machine)
        self.assertEqual((finding.extra, finding.what_if), ({"l2": 48, "waiting": 48}, f"--readonly {name}"))  # 64 fetches of 16 lines
        self.assertIn("loaded 4 times past the L1", finding.what)
        for change in ({"stored": load.objects}, {"readonly_path": ""}, {"sizes": dict.fromkeys(load.objects, 33 * self.machine.unit_bytes)}):
            self.assertIsNone(rules.read_only(load, dataclasses.replace(self.machine, **change)), change)

    def test_the_read_only_path_by_generation(self):
        def path(generation, takes, cache="unknown"):
            values = {"generation": generation, "l1_caches_global_loads": takes, "readonly_cache_kib": cache}
            return machine.readonly_path({"context": {"preset": {"values": {key: {"value": value} for key, value in values.items()}}}})

        self.assertEqual([path("Maxwell", False), path("Pascal", False), path("Kepler", False, 48)], ["l1", "l1", "cache"])
        self.assertEqual([path("Pascal", True), path("Kepler", False), path("Tesla", False), path("Fermi", True)], [""] * 4)

    def test_misses_of_a_class_are_findings_where_they_are_many(self):
        self.result["sites"][1]["miss_classes"]["conflict"] = 1
        second = accesses.of_result(self.result)[1]
        finding = rules.conflict_misses(second, self.machine)
        self.assertEqual((finding.grade, finding.extra["l2"]), ("modelled", 1))
        self.assertIn("25 % of look-ups", finding.what)
        self.assertIsNone(rules.capacity_misses(second, self.machine))


class LaunchRules(unittest.TestCase):
    def test_idle_cores_waiting_schedulers_and_barriers_cost_their_share(self):
        result = support.result()
        result["context"] |= {"cores": 4, "preset": {"name": "x", "values": {"max_warps_per_core": {"value": 64}}},
                              "schedule": {"residency": [{"launch": 0, "limited_by": "registers", "work_groups": 16}]}}
        busy = used(idle=0.25, warps=16, stalls={"memory": 0.4, "barrier": 0.2})
        found = {finding.rule: finding for finding in find.findings(result, busy)[0] if finding.access is None}
        self.assertEqual(set(found), {"idle-cores", "few-warps", "barriers"})
        self.assertEqual((found["idle-cores"].share, found["barriers"].share), (0.25, 0.2))
        self.assertAlmostEqual(found["few-warps"].share, 0.4 * 48 / 64)
        self.assertEqual(found["few-warps"].what, "16 of 64 warps per core, limited by registers: too few to hide the latency")
        self.assertEqual(found["idle-cores"].what, "2 work-groups for 4 cores")
        self.assertEqual(find.findings(result, used(warps=64))[0], [])

    def test_work_groups_of_a_part_of_a_warp_are_told_whatever_they_cost(self):
        """128 work-items: 64 groups of 2, of whose warps 30 of 32 lanes are idle; 4 of 32 are a whole warp each."""
        result = support.result()
        for local, told in ((2, "work-groups of 2 work-items fill 2 of 32 lanes of a warp"), (1, "work-groups of 1 work-item fill 1 of 32 lanes of a warp"),
                            (16, None), (32, None)):
            result["launch_groups"] = [{**results.launch_groups(support.result())[0], "count": 1, "global": [128, 1, 1], "local": [local, 1, 1]}]
            for busy in (None, used(issue=0.5, idle=0.5)):
                found = {finding.rule: finding for finding in find.findings(result, busy)[0]}
                self.assertEqual(found["narrow-groups"].what if "narrow-groups" in found else None, told)
                self.assertNotIn("divergence", found)  # which would tell it access by access
            if local == 1:
                self.assertEqual(found["narrow-groups"].share, 31 / 32 * 0.5)
            self.assertEqual(found["idle-cores"].remedy, "make work-groups a multiple of a warp, then use more of them" if told else "use more work-groups")

    def test_accesses_that_cost_a_twentieth_come_first_and_then_the_costliest(self):
        access = accesses.of_result(support.result())[0]
        found = [(Finding(rule, "", "exact", {}, access=access if rule.startswith("access") else None), cost) for rule, cost in
                 (("access 1", 0.02), ("launch 1", 0.96), ("access 2", 0.05), ("launch 2", 0.03), ("access 3", 0.4), ("access 4", 0.04))]
        self.assertEqual([finding.rule for finding, _ in sorted(found, key=lambda one: order(*one))],
                         ["access 3", "access 2", "launch 1", "access 4", "launch 2", "access 1"])

    def test_what_work_group_slots_limit_needs_larger_groups(self):
        result = support.result()
        result["context"] |= {"cores": 2, "preset": {"name": "x", "values": {"max_warps_per_core": {"value": 64}}}}
        busy = used(warps=16, stalls={"memory": 0.4})
        for limit, remedy in (("slots", "use larger work-groups"), ("registers", "use less of what limits the warps (registers)")):
            result["context"]["schedule"] = {"residency": [{"launch": 0, "limited_by": limit, "work_groups": 16}]}
            found = launch_rules.few_warps(result, busy)
            self.assertEqual((found.remedy, found.share), (remedy, 0.4 * 48 / 64))

    def test_launches_with_different_numbers_of_work_groups_are_told_as_a_range(self):
        result = support.result()
        result["context"]["cores"] = 40
        first = {**results.launch_groups(result)[0], "count": 1, "local": [16, 1, 1]}
        for counts, cores, told in (((1, 2, 16), 40, "1 to 16 work-groups for 40 cores"), ((3, 3), 40, "3 work-groups for 40 cores"),
                                    ((1,), 40, "1 work-group for 40 cores"), ((30, 1700), 20, "the last wave: 30 to 1,700 work-groups on 20 cores end unevenly"),
                                    ((64, 64), 28, "the last wave: 64 work-groups on 28 cores end unevenly")):
            result["context"]["cores"] = cores
            result["launch_groups"] = [{**first, "first": at, "global": [16 * count, 1, 1]} for at, count in enumerate(counts)]
            self.assertEqual(launch_rules.idle_cores(result, used(idle=0.6)).what, told)

    def test_who_chose_a_local_size_that_the_program_left_open(self):
        result = support.result()
        result["context"] |= {"cores": 4, "device_like": "v100"}
        result["launch_groups"] = results.launch_groups(result)
        first = result["launch_groups"][0]
        first |= {"local": [250, 1, 1], "open_local": True}
        result["launch_groups"].append({**first, "local": [31, 4, 1]})
        what = {finding.rule: finding.what for finding in find.findings(result, used(idle=0.25))[0]}
        self.assertRegex(what["idle-cores"], "; the program left the local size open: Warpscope chose 250, 31x4, as a GPU's driver would$")
        result["context"]["device_like"] = "pocl"
        what = {finding.rule: finding.what for finding in find.findings(result, used(idle=0.25))[0]}
        self.assertRegex(what["idle-cores"], "open: PoCL chose 250, 31x4$")
        for group in result["launch_groups"]:
            del group["open_local"]
        what = {finding.rule: finding.what for finding in find.findings(result, used(idle=0.25))[0]}
        self.assertNotIn("chose", what["idle-cores"])

    def test_spilled_registers_are_shown_whatever_they_cost(self):
        def residency(text):
            return {"context": {"schedule": {"residency": [{"launch": 0, "registers_from": text}]}}}
        found = launch_rules.spilled_registers(residency("nvcc 13.0, sm_90; 12 registers spilled (mm.cu:31)"), None)
        self.assertEqual((found.what, found.is_unmeasured), ("not in the capture: 12 spilled registers, line 31", True))
        self.assertIn("nvcc 13.0, sm_90;", found.amount)
        self.assertEqual(launch_rules.spilled_registers(residency("ptxas 11.8, sm_80; 3 registers spilled"), None).what,
                         "not in the capture: 3 spilled registers")
        for text in ("live values", "nvcc 13.0, sm_90", "--registers"):
            self.assertIsNone(launch_rules.spilled_registers(residency(text), None))

    def test_the_architecture_that_stands_in_is_named(self):
        def lines(**more):
            return program.lines({"context": {"schedule": {"residency": [{"launch": 0, "registers": 7, "registers_from": "live values", **more}]}}})
        text = "compiled by Warpscope's clang: instructions and registers are estimates"
        self.assertEqual((lines(), lines(registers_as="sm_75")), ([text], [f"{text}, registers as if for sm_75"]))

    def split(self, *cores):
        """split_unevenly() of cores of so many instructions and work-groups."""
        timed = timed_result(support.result())
        timed["cores"] = [{"timing": {"warp_instructions": count, "work_groups": groups}} for count, groups in cores]
        return machine.split_unevenly(timed)

    def test_work_is_uneven_beyond_what_the_number_of_work_groups_says(self):
        self.assertAlmostEqual(self.split((300, 1), (100, 1)), 1 / 3)        # 200 on average, 300 on the busiest
        self.assertAlmostEqual(self.split((300, 1), (100, 1), (0, 0)), 1 / 3)  # a core without a work-group is another rule's
        self.assertEqual(self.split((300, 1), (100, 3)), 0)                  # groups alone explain 1 - 2 / 3 of it
        self.assertEqual(self.split((200, 2), (100, 1)), 0)                  # a last wave
        self.assertEqual(self.split((100, 1), (100, 1)), 0)

    def test_uneven_work_is_named_instead_of_a_last_wave(self):
        def rules_of(**given):
            return [(one.rule, one.share) for one in find.findings(support.result(), used(warps=64, **given))[0] if one.access is None]

        self.assertEqual(rules_of(idle=0.3, uneven=0.5), [("uneven-work", 0.3)])
        self.assertEqual(rules_of(idle=0.3, uneven=0.05), [("idle-cores", 0.3)])
        self.assertEqual(rules_of(idle=0.05, uneven=0.5), [])

    def test_cores_without_a_work_group_are_told_next_to_uneven_work(self):
        """2 work-groups on 4 cores: half of the cores have none, whatever the others do; on 2 cores none is without."""
        result, busy = support.result(), used(warps=64, idle=0.6, uneven=0.2)
        result["context"]["cores"] = 4
        self.assertEqual({one.rule: (one.what, one.share, one.amount) for one in find.findings(result, busy)[0] if one.access is None}, {
            "idle-cores": ("2 work-groups for 4 cores", 0.6, "cores have no warp in 60 % of the time"),
            "uneven-work": ("work is split unevenly: the busiest core has 1.2 times the mean instructions", 0.2,
                            "cores with a work-group have no warp in 20 % of the time")})
        result["context"]["cores"] = 2
        self.assertEqual([(one.rule, one.amount) for one in find.findings(result, busy)[0] if one.access is None],
                         [("uneven-work", "cores have no warp in 60 % of the time")])


class Recompile(unittest.TestCase):
    SOURCE = "#ifndef TILE\n#define TILE 16\n#endif\n#ifndef BIG\n#define BIG 4096\n#endif\n#ifndef ONCE\n#define ONCE 8\n#endif\n" \
             "#define FIXED 32\nint a[TILE][FIXED], b[BIG];\n"

    def finding(self, rule, **given):
        return Finding(rule, "", "exact", {}, access=accesses.of_result(support.result())[0], **given)

    def test_macros_that_an_option_can_set(self):
        self.assertEqual(recompile.macros(self.SOURCE), [("TILE", 16)])  # BIG is no tile, ONCE is not used, FIXED has no #ifndef
        self.assertEqual(recompile.macros("#ifndef A\n#define B 16\n#endif\nint a[B][B];"), [])

    def test_the_last_line_tunes_what_no_trace_expresses(self):
        result = support.result()
        result["sources"][0]["text"] = self.SOURCE
        tune = recompile.command(result, self.finding("capacity"), " --gpu h100")
        self.assertEqual(tune, "warpscope tune copy.cl -D TILE=8,16,32 --gpu h100")
        self.assertEqual(layout.next_line([self.finding("capacity")], None, "a.wtrace", "", tune), f"Next: {tune}")
        self.assertIn("a trace has one size of tiles; try other sizes of tiles: warpscope tune", recompile.text(result, self.finding("capacity")))
        self.assertEqual(recompile.command(result, self.finding("uncoalesced")), "")
        self.assertEqual(recompile.command(result, self.finding("capacity", what_if="--groups morton")), "")
        result["sources"][0]["text"] = "int a[16];"
        self.assertEqual(recompile.command(result, self.finding("private-memory")), "")
        self.assertIn("make them a macro", recompile.text(result, self.finding("private-memory")))


class Costs(unittest.TestCase):
    def test_a_unit_saves_cycles_as_far_as_it_is_the_busiest(self):
        whole = {"issue": 100, "l1": 100, "l2": 100, "waiting": 100, "queue": 100}
        self.assertAlmostEqual(machine.share_of_cycles({"l1": 50}, whole, used(data=0.8)), 0.4)
        # 0.4 of the cycles less than the issue slots' need go away only beyond 0.1.
        self.assertAlmostEqual(machine.share_of_cycles({"l1": 50}, whole, used(data=0.8, issue=0.9)), 0.3)
        self.assertEqual(machine.share_of_cycles({"l1": 50}, whole, used(data=0.3, issue=0.9)), 0)
        self.assertIsNone(machine.share_of_cycles({"l1": 50}, whole, None))

    def test_stalls_are_shared_out_by_what_waits(self):
        whole = {"issue": 0, "l1": 0, "l2": 0, "waiting": 10, "queue": 100}
        stalls = {"memory": 0.5, "load_store_full": 0.2}
        self.assertAlmostEqual(machine.share_of_cycles({"waiting": 5, "queue": 50}, whole, used(stalls=stalls)), 0.25 + 0.1)

    def test_busy_shares_are_of_the_cycles_with_warps(self):
        result = support.result()
        busy = machine.busy(result, timed_result(result))
        # 150 core cycles with warps, 300 of schedulers; 200 core cycles in all.
        self.assertAlmostEqual(busy.issue, 60 / 300)
        self.assertAlmostEqual(busy.stalls["memory"], 150 / 300)
        self.assertAlmostEqual(busy.idle, 1 - 150 / 200)
        self.assertAlmostEqual(busy.warps, 10)
        self.assertAlmostEqual(busy.l2, 4800 / (64 * 150))
        self.assertIsNone(machine.busy(result, None))

    def test_busy_shares_of_the_memory(self):
        result, whole = support.result(), timed_result(support.result())
        values = {"l2_slices": {"value": 2}, "l2_bytes_per_cycle_per_slice": {"value": 32}, "core_clock_mhz": {"value": 1000},
                  "dram_bandwidth_gb_per_s": {"value": 64}}
        whole["context"] = {**whole["context"], "preset": {"values": values}}
        whole["total"]["timing"]["memory"] = {**whole["total"]["timing"]["memory"], "l2_load_hits": 150, "dram_bytes_per_cycle": 8}
        busy = machine.busy(result, whole)
        self.assertAlmostEqual(busy.dram, 8 / 64)
        self.assertAlmostEqual(busy.l2, 150 * 32 / (2 * 32 * busy.cycles))
        self.assertAlmostEqual(rate_lines.cycles(whole), busy.cycles)
        whole["total"]["estimate"] = {"cycles": {"value": 1234.4, "low": None, "high": None}}
        self.assertEqual(rate_lines.cycles(whole), 1234)

    def test_what_it_is_bound_by(self):
        self.assertIn("issue slots, 90 % busy", bound.verdict(used(issue=0.9)))
        self.assertIn("latency", bound.verdict(used(issue=0.1, stalls={"memory": 0.8})))
        self.assertIn("too few work-groups", bound.verdict(used(idle=0.6)))
        result = support.result()
        self.assertTrue(bound.l1_is_fine(result, used(dram=0.9)))
        every = [used(idle=1), used(idle=1, uneven=1), *(used(stalls={stall: 1.0}) for stall in bound.STALL_NAMES)]
        longest = max(len(f"Bound by {bound.verdict(one)}; L1 is not your problem") for one in every)
        self.assertLessEqual(longest, 100)  # nothing is cut off
        self.assertFalse(bound.l1_is_fine(result, used(data=0.5)))
        costly = rules.uncoalesced(accesses.of_result(result)[1], find.machine_of(result))
        costly.share = 0.2
        self.assertFalse(bound.l1_is_fine(result, used(dram=0.9), [costly]))


class Layout(unittest.TestCase):
    def check(self, result, most=layout.LINES):
        lines = layout.summary(result, "folder/ (report.txt, result.json)")
        self.assertLessEqual(len(lines), most, lines)
        self.assertEqual([line for line in lines if len(line) > layout.COLUMNS or "\n" in line], [])
        self.assertTrue(lines[-1].startswith("Next: "), lines[-1])
        return lines

    def test_one_launch(self):
        lines = self.check(support.result())
        self.assertIn("copy, 64 work-items in groups of 32", lines[0])
        self.assertTrue(any("misaligned" in line for line in lines))

    def test_launches_of_one_kernel_differ_by_their_sizes(self):
        """Launches of one size that do different things are not other sizes."""
        result = support.result()
        group = {**results.launch_groups(result)[0], "count": 1}
        for number, (size, more) in enumerate(((64, ""), (64, ""), (128, " and 1 other size"), (256, " and 2 other sizes"))):
            result.setdefault("launch_groups", []).append({**group, "first": number, "global": [size, 1, 1]})
            if number:
                self.assertEqual(layout.ran(result), f"{number + 1} launches: copy, 64 work-items in groups of 32{more}")

    def test_the_default_gpu_is_in_the_first_line(self):
        result = support.result()
        result["context"]["preset"] = {"name": "x1", "description": "Example X1, L1 of 16 KiB", "values": {}}
        self.assertNotIn("default GPU", self.check(result)[0])
        result["clocks"] = {"asked": "auto", "timed_launches": 0, "launches": 1, "why": None, "default_gpu": True}
        self.assertIn("Example X1 (default GPU)", self.check(result)[0])

    def test_everything_at_once_is_30_lines(self):
        result = support.result()
        result["sites"] += [{**local_site(64 + number, 62 + number), "site": 100 + number,
                             "locations": [{"file": "a" * 90, "line": number + 1, "column": 1}]} for number in range(40)]
        result["launch_groups"] = [{**result["launches"][0], "kernel": f"kernel_{number}" * 9, "count": 3, "first": 3 * number}
                                   for number in range(500)]
        result["context"] |= {"partial": True, "sampling": "every:4", "skipped": [
            {"kernel": "add", "launches": "2-3", "count": 2, "needs": 2048, "what": "work-items per work-group", "gpu": "gtx480", "limit": 1024}], "not_traced": [{"launches": 3, "why": "w"}]}
        result["total"]["local_memory"] = {"beta": 16.5, "max_degree": 32}
        result["repeat"] = {"count": 3}
        result["total"]["spread"] = {"load.hit_rate_percent": {"min": 1, "max": 2}}
        self.assertGreater(len(self.check(result)), 20)
        result["timed"] = timed_result(result)
        result["clocks"] = {"asked": "auto", "timed_launches": 7, "launches": 1500, "why": "work 141 M, limit 40 M"}
        text = "\n".join(self.check(result, layout.LINES + layout.EXTRA_LINES))
        self.assertIn("Timed engine: 7 of 1,500 launches (work 141 M, limit 40 M); try --budget 40M; cycles", text)
        self.assertNotIn("kernel_499", text)
        result["clocks"] |= {"timed_launches": 0, "launches": 3}
        self.assertIn("Timed engine: left out (work 141 M, limit 40 M); try --budget 40M; cycles", "\n".join(self.check(result, layout.LINES + layout.EXTRA_LINES)))
        self.assertIn("SKIPPED: kernel add, launches 2-3: 2048 work-items per work-group, gtx480 allows 1024", text)

    def test_no_access_at_all(self):
        result = support.result()
        for part in (result["total"], *result["launches"], *result["sites"], *result["buffers"]):
            part.update(copy.deepcopy(support.counts()))
        text = "\n".join(self.check(result, layout.LINES + layout.EXTRA_LINES))
        self.assertIn(layout.NOTHING, text)
        self.assertNotIn("No finding", text)

    def test_names_and_advice_are_whole(self):
        result = support.result()
        gpu = " ".join(f"Example-X{number}" for number in range(20))
        result["context"]["preset"] = {"name": "x1", "description": gpu, "values": {}}
        result["timed"] = timed_result(result)
        lines = self.check(result)
        text = " ".join(line.strip() for line in lines)
        self.assertIn(gpu, text)
        self.assertNotIn("…", text)
        for finding in find.findings(result, machine.busy(result, result["timed"]))[0][:1]:
            self.assertIn(finding.remedy, text)

    def test_what_is_not_timed_is_in_the_first_line(self):
        result = support.result()
        self.assertNotIn("not timed", "\n".join(self.check(result)))
        result["context"]["not_timed"] = [{"kernel": "hgemm", "uses": "wmma, cp.async", "launches": "0", "count": 1},
                                          {"kernel": "copy", "uses": "cp.async", "launches": "1", "count": 1}]
        result["clocks"] = {"asked": "auto", "timed_launches": 0, "launches": 2, "why": "wmma, cp.async not modelled", "default_gpu": False}
        lines = self.check(result)
        self.assertTrue(lines[0].startswith("not timed: wmma, cp.async (kernel hgemm and 1 more)"), lines)
        self.assertFalse([line for line in lines[1:] if "Timed engine" in line])

    def test_kernels_without_timed_launches_are_named(self):
        """Of three kernels only `copy` is timed; `large` has more transactions than `small`."""
        result = support.result()
        first = {**results.launch_groups(result)[0], "count": 1}
        timed = timed_result(result)
        timed["launch_groups"] = [{**first, "timing": {**timed["total"]["timing"], "warp_instructions": 60}}]
        large = {**first, "kernel": "large", "first": 2, "load": support.kind(200, 6400, 0, 6400)}
        result["launch_groups"] = [first, {**first, "kernel": "small", "first": 1}, large]
        result["clocks"] = {"asked": "auto", "timed_launches": 1, "launches": 3, "why": "work 141 M, limit 40 M"}
        result["timed"] = timed
        self.assertEqual(per_kernel.without_cycles(result), ["large", "small"])
        lines = self.check(result)
        self.assertIn("Timed engine: 1 of 3 launches (work 141 M, limit 40 M); cycles are without large and 1 more", lines)
        self.assertIn("(kernel copy, 100 % of the timed cycles)", " ".join(line.strip() for line in lines))
        result["context"]["not_timed"] = [{"kernel": "large", "uses": "wmma", "launches": "2", "count": 1}]  # which the first line says
        self.assertTrue(any(line.endswith("; cycles are without small") for line in self.check(result)))
        del result["context"]["not_timed"]
        result["launch_groups"].pop()
        self.assertTrue(any(line.endswith("; cycles are without small") for line in self.check(result)))
        timed["launch_groups"].append({**timed["launch_groups"][0], "kernel": "small", "first": 1})
        lines = self.check(result)
        self.assertEqual(per_kernel.without_cycles(result), [])
        self.assertFalse([line for line in lines if "cycles are without" in line or "timed cycles" in line])

    def test_a_long_line_goes_on_in_the_next_one(self):
        self.assertEqual(wrapped.wrapped("  a " + "b" * 6 + " c d", 10), ["  a bbbbbb", "     c d"])
        # What a shell reads as one command.
        command = "Next: warpscope what-if 'a b c.wtrace' --pad tile=+1 --gpu h100"
        lines = wrapped.wrapped(command, 40)
        self.assertEqual(lines, ["Next: warpscope what-if 'a b c.wtrace' \\", "  --pad tile=+1 --gpu h100"])
        words = subprocess.run(["sh", "-c", "printf '%s\n' " + "\n".join(lines)], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(words.splitlines(), shlex.split(command))

    def test_a_rate_with_atomics_says_so(self):
        result = support.result()
        result["total"]["profiler"] = {"ncu": {"l1tex__t_sector_hit_rate.pct": 40.0}}
        self.assertIn("L1 hit rate of loads and stores:  40.0 %", rate_lines.hit_lines(result, None, "fixed")[0])
        result["total"]["atomic"] = support.kind(1, 4, bypasses=4)
        self.assertIn("L1 hit rate of loads, stores and atomics:  40.0 %", rate_lines.hit_lines(result, None, "fixed")[0])

    def test_the_last_line_is_a_what_if_where_one_can_try_the_remedy(self):
        result = support.result()
        result["sites"].append(local_site(6400, 6200, 200))
        result["total"]["outside_l1"] = result["sites"][-1]["outside_l1"]
        self.assertEqual(layout.summary(result, "", "a b.wtrace")[-1], "Next: warpscope what-if 'a b.wtrace' --pad tile=+1")
        result["context"]["preset"] = {"name": "h100", "description": "NVIDIA H100"}
        self.assertEqual(layout.summary(result, "", "a.wtrace")[-1], "Next: warpscope what-if a.wtrace --pad tile=+1 --gpu h100")
        result["clocks"] = {**result.get("clocks", {}), "default_gpu": True}
        self.assertEqual(layout.summary(result, "", "a.wtrace")[-1], "Next: warpscope what-if a.wtrace --pad tile=+1")
        result["sites"][-1]["buffers"][0]["name"] = "tile; rm"
        self.assertIn("pad the rows of tile; rm", layout.summary(result, "", "a.wtrace")[-1])


class Compare(unittest.TestCase):
    def test_eight_gpus_fit(self):
        result = support.result()
        result["timed"] = timed_result(result)
        other = copy.deepcopy(result)
        other["sites"].append(local_site(6400, 6200, 200))
        lines = compare.summary([(f"gpu{number}", other if number % 2 else result) for number in range(compare.MOST_GPUS)], "f/")
        self.assertLessEqual(len(lines), layout.LINES)
        self.assertLessEqual(max(map(len, lines)), layout.COLUMNS)
        self.assertIn("  gpu1: copy.cl:3 load tile: bank conflicts, 32 wavefronts a pass instead of 1", lines)

    def test_the_gain_of_each_gpu_comes_first(self):
        result = support.result()
        result["timed"] = timed_result(result)
        result["sites"].append(local_site(6400, 6200, 200))
        advised = copy.deepcopy(result)
        advised["advice"] = {"why_not": "", "seconds": 20, "observed": [], "no_gain": [], "refused": [], "not_tried": [], "given": [
            {"finding": "bank-conflicts", "kind": "load", "file": "copy.cl", "line": 3, "column": 5, "buffers": ["tile"], "kernels": ["copy"], "title": "", "remedy": "pad",
             "change": ["--pad", "tile=+1"], "launches": "all", "gain": {"whole": 1.5, "factor": 1.5, "measure": "cycles"}}]}
        lines = compare.summary([("a", result), ("b", advised)], "f/")
        self.assertIn("  a: copy.cl:3 load tile: bank conflicts, 32 wavefronts a pass instead of 1", lines)
        self.assertIn("  b: 1.50 × by --pad tile=+1; copy.cl:3 load tile: bank conflicts, 32 wavefronts a pass instead of 1", lines)
        self.assertIn("Costs most (× as fast by what-if, simulated):", lines)
        advised["advice"]["given"][0]["gain"]["measure"] = "l1_misses"  # as without the timed engine
        lines = compare.summary([("a", result), ("b", advised)], "f/")
        self.assertIn("Costs most (by what-if, simulated):", lines)
        self.assertIn("b: 1.50 × fewer l1 misses by --pad tile=+1", " ".join(lines))
        self.assertIn("Costs most on all: copy.cl:3 load tile: bank conflicts", "\n".join(compare.summary([("a", result), ("b", result)], "f/")))


if __name__ == "__main__":
    unittest.main()
