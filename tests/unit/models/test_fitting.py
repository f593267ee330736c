"""Parameters from timings: published tables, curves of known parameters, and what is refused. The closed loop with the timed engine is
tests/endtoend/test_fitting.py."""
import json
import unittest

from support import SOURCE, CommandTest
from warpscope.explore.fitting import timings
from warpscope.explore.fitting.curves import LATENCY, Point, fit
from warpscope.explore.models import machine

EXAMPLE = SOURCE / "models" / "examples" / "c1060-timings.csv"
# Karsin 2018, table 4.2: latency, operations per cycle and processor, processors of a core
KARSIN = {"m4000": (128, {"global": (269.5, 0.0301), "local": (85.84, 0.233), "register": (6, 1.0), "barrier": (234, 0.0493)}),
          "gtx770": (192, {"global": (267.6, 0.0279), "local": (123.1, 0.130), "register": (10, 1.0), "barrier": (304, 0.0364)}),
          "k40": (192, {"global": (291.2, 0.0275), "local": (111.9, 0.131), "register": (10, 1.0), "barrier": (289, 0.0394)})}


class Curves(unittest.TestCase):
    def of(self, latency, cycles, multiplicities):
        return [Point(m, max(cycles, latency / m)) for m in multiplicities]

    def test_both_sides_of_the_knee(self):
        found = fit(self.of(400.0, 32.0, (1, 4, 8, 16, 32, 64)))  # the knee is at 12.5
        self.assertAlmostEqual(found.latency, 400)
        self.assertAlmostEqual(found.cycles, 32)
        self.assertAlmostEqual(found.inflection, 12.5)
        self.assertAlmostEqual(found.error, 0)

    def test_one_side_is_not_taken_for_two(self):
        waiting, busy = fit(self.of(400.0, 1.0, (1, 2, 4))), fit(self.of(4.0, 8.0, (1, 2, 4)))
        self.assertEqual((waiting.cycles, busy.latency), (None, None))
        self.assertAlmostEqual(waiting.latency, 400)
        self.assertAlmostEqual(busy.cycles, 8)
        self.assertIsNone(waiting.inflection)

    def test_noise_stays_small(self):
        noise = (1.03, 0.98, 1.02, 0.97, 1.01, 1.02)
        points = [Point(one.multiplicity, one.cycles * factor) for one, factor in zip(self.of(400.0, 32.0, (1, 4, 8, 16, 32, 64)), noise)]
        found = fit(points)
        self.assertLess(abs(found.latency / 400 - 1), 0.03)
        self.assertLess(abs(found.cycles / 32 - 1), 0.03)
        self.assertLess(found.error, 0.04)

    def test_one_multiplicity_says_nothing_by_itself(self):
        with self.assertRaisesRegex(ValueError, "does not tell latency from throughput"):
            fit([Point(4, 10)])
        self.assertEqual(fit([Point(4, 10, LATENCY)]).latency, 40)


class Published(CommandTest):
    def test_departure_delays_of_the_c1060(self):
        """Tables 8 to 10 of Dasgupta 2011: 37.1, 37.1, 58.3 cycles."""
        content = json.loads(self.run_model("--fit", "dasgupta", EXAMPLE, "--json", "-"))
        fitted = {name: round(entry["value"], 1) for name, entry in content["dasgupta"].items()}
        self.assertEqual(fitted, {"departure_32b": 37.1, "departure_64b": 37.1, "departure_128b": 58.3})

    def test_the_three_machines_of_karsin_from_their_curves(self):
        for name, (processors, operations) in KARSIN.items():
            rows = ["operation,warps,operations,cycles"]
            for operation, (latency, throughput) in operations.items():
                for warps in (1, 2, 4, 8, 16, 32, 64, 128):
                    # work-items per processor: 32 warps / processors; operations of a work-item, in two lengths with the same overhead
                    multiplicity = 32 * warps / processors
                    each = multiplicity * max(1 / throughput, latency / multiplicity)
                    rows += [f"{operation},{warps},{length},{5000 + length * each}" for length in (64, 128)]
            rows += [f"launch,1,{launches},{9000 + 7800 * launches}" for launches in (1, 5)]
            (self.folder / "t.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
            self.run_model("--fit", "spt", "t.csv", "--set", f"processors={processors}", "--json", "m.json")
            section = json.loads((self.folder / "m.json").read_text(encoding="utf-8"))["spt"]
            for operation, (latency, throughput) in operations.items():
                self.assertAlmostEqual(section[f"latency_{operation}"]["value"], latency, 6)
                self.assertAlmostEqual(section[f"throughput_{operation}"]["value"], throughput, 6)
            known = machine.load(name)
            self.assertEqual(section["latency_global"]["unit"], known.content["spt"]["latency_global"]["unit"])
            self.assertEqual(machine.load(str(self.folder / "m.json")).name, "m")

    def test_a_fitted_machine_predicts_what_was_measured(self):
        """The departure delays go back into the model: the measured times of the tables come out."""
        self.run_model("--fit", "dasgupta", EXAMPLE, "--json", "m.json")
        content = json.loads((self.folder / "m.json").read_text(encoding="utf-8"))
        given = json.loads((SOURCE / "models" / "machines" / "c1060.json").read_text(encoding="utf-8"))
        content["all"], content["dasgupta"] = given["all"], {**given["dasgupta"], **content["dasgupta"]}
        (self.folder / "m.json").write_text(json.dumps(content), encoding="utf-8")
        counts = {"requests": 400, "insts": 7942, "warps_per_core": 32, "groups_per_core": 4, "work_groups": 120}
        for size, measured in (("32b", 0.7243e-3), ("64b", 0.7240e-3), ("128b", 1.137e-3)):
            words = [word for name, value in {**counts, f"transactions_{size}": 800}.items() for word in ("--set", f"{name}={value}")]
            answer = json.loads(self.run_model("--model", "dasgupta", "--gpu", "m.json", *words, "--json", "-"))
            self.assertLess(abs(answer["seconds"] / measured - 1), 0.003)


class Latency(unittest.TestCase):
    def test_several_transactions_of_an_operation(self):
        # L = L0 + (n - 1) d and c = n d (Dasgupta 2011, 24 and 25): 450, 37, n = 2
        runs = [timings.Timing("transaction_64b", warps, length, length * max(487.0, 74.0 * warps), transactions=2)
                for warps in (1, 2, 16, 32) for length in (10, 20)]
        found = timings.fitted("here", runs)["transaction_64b"]
        self.assertAlmostEqual(found.latency(), 450)
        self.assertAlmostEqual(found.departure(), 37)


class Barriers(CommandTest):
    """Timings made up by equations (7) and (8) of Sim et al. 2012: barriers · warps · 64 · 440 · share cycles more than without barriers."""
    HEAD = "operation,warps,operations,cycles,memory_share"
    ROWS = [f"memory_barrier,{warps},{barriers},{9000 * warps + barriers * warps * 64 * 440 * share},{share}"
            for share in (0.02, 0.06, 0.1) for warps in (8, 16, 32) for barriers in (4, 8, 16)]
    LOADS = [f"global,{warps},{length},{length * max(440, 20 * warps)}," for warps in (1, 4, 32) for length in (32, 64)]

    def fitted(self, rows, *words):
        (self.folder / "t.csv").write_text("\n".join([self.HEAD, *rows]) + "\n", encoding="utf-8")
        content = json.loads(self.run_model("--fit", "gpuperf", "t.csv", *words, "--json", "-"))
        return {name: entry["value"] for name, entry in content["gpuperf"].items()}

    def test_gamma(self):
        found = self.fitted(self.ROWS + self.LOADS)
        self.assertAlmostEqual(found["sync_factor"], 64, 9)
        self.assertAlmostEqual(found["dram_latency"], 440)
        self.assertAlmostEqual(self.fitted(self.ROWS, "--set", "dram_latency=440")["sync_factor"], 64, 9)

    def test_without_a_latency_it_is_said(self):
        (self.folder / "t.csv").write_text("\n".join([self.HEAD, *self.ROWS]) + "\n", encoding="utf-8")
        self.assertRegex(self.run_model("--fit", "gpuperf", "t.csv"), "sync_factor .*dram_latency is not known: runs of global, or --set")


class BadInput(CommandTest):
    def test_tables(self):
        head = "operation,warps,operations,cycles\n"
        for content, message in (("", "expected timings: CSV"), ("a,b\n1,2\n", "expected timings: CSV"), (head + "sleep,1,1,1\n", "operation 'sleep'"),
                                 (head + "register,0,1,1\n", "row 1: warps is '0'"), (head + "register,1,1,x\n", "cycles is 'x'"),
                                 (head + "register,1,1,8\n", "one multiplicity does not tell"), (head + "register,1\n", "fewer values"),
                                 (head + "register,1,4,8\nregister,1,8,4\n", "more operations take less time"),
                                 ("operation,warps,operations,seconds\nregister,1,1,1\n", "expected timings"),
                                 ("operation,warps,operations,cycles,bound\nregister,1,1,1,x\n", "bound 'x', expected latency or throughput"),
                                 ("operation,warps,operations,cycles,colour\nregister,1,1,1,x\n", "unknown column 'colour'"),
                                 (head + "memory_barrier,8,4,100\n", "memory_share is '', expected a number"),
                                 ("operation,warps,operations,cycles,memory_share\nmemory_barrier,8,4,100,2\n", "memory_share is 2, expected at most 1")):
            (self.folder / "t.csv").write_text(content, encoding="utf-8")
            with self.subTest(content):
                self.assert_refused(message, "--fit", "spt", "t.csv")

    def test_options(self):
        for words, message in ((["--fit", "roofline", EXAMPLE], "expected one of hong-kim, dasgupta, gpuperf, spt"), (["--fit", "spt"], "no file of timings"),
                               (["--measure", "spt"], "on which GPU is not given"), (["--fit", "spt", "--measure", "spt"], "expected one of them"),
                               (["--fit", "spt", EXAMPLE, "--set", "speed=1"], "expected warp_size=NUMBER or processors=NUMBER or dram_latency=NUMBER"),
                               (["--measure", "spt", "--gpu", "v100", EXAMPLE], "measures itself"), (["--fit", "spt", "none.csv"], "none.csv: ")):
            with self.subTest(words):
                self.assert_refused(message, *words)
        self.assertIn("TIMINGS.csv", self.run_model("--fit", "--help"))


if __name__ == "__main__":
    unittest.main()
