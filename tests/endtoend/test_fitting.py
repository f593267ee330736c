"""The closed loop of micro-benchmarks and fits: warpscope model --measure finds what the timed engine's preset was set to."""
import json
import unittest

from support import ToolTest


class ClosedLoop(ToolTest):
    def measured(self, model, *changes):
        words = [word for change in changes for word in ("--set", change)]
        self.run_tool("warpscope", "model", "--measure", model, "--gpu", "v100", *words, "--csv", "t.csv", "--json", "m.json")
        content = json.loads((self.folder / "m.json").read_text(encoding="utf-8"))
        return {name: entry["value"] for name, entry in content[model].items()}

    def test_departure_delay_and_latency_of_memory(self):
        # a line of 128 bytes at 4 bytes per cycle; an instruction of 4 cycles adds the step, two more make the address
        found = self.measured("hong-kim", "l2_to_core_bytes_per_cycle=4", "dram_latency_cycles=500")
        self.assertEqual(found["departure_coalesced"], 128 / 4)
        self.assertAlmostEqual(found["memory_latency"], 500 + 3 * 4, delta=4)
        # what was measured, read as a GPU's timings are
        again = json.loads(self.run_tool("warpscope", "model", "--fit", "hong-kim", "t.csv", "--gpu", "v100", "--json", "-"))
        self.assertEqual({name: entry["value"] for name, entry in again["hong-kim"].items()}, found)

    def test_arithmetic(self):
        found = self.measured("gpuperf", "fp32_latency_cycles=12", "fp32_per_cycle=32", "special_latency_cycles=20", "special_per_cycle=4",
                              "l2_to_core_bytes_per_cycle=8")
        self.assertEqual((found["fp_latency"], found["inst_latency"], found["simd_width"]), (12, 12, 32))
        self.assertAlmostEqual(found["departure_delay"], 128 / 8)


if __name__ == "__main__":
    unittest.main()
