"""nvprof's transactions and hit rates on Maxwell and a P100: published values of kernels whose accesses are known (unified_cache.csv).

A run takes a sixth of the launches (sampled.py), scripts/test --long kernels all. Those with loads that the L1 serves (-dlcm=ca) are not
exact, because the order of warps decides; nor are stores of work-groups that do not fill their last warp. They are in
validation/notes/unified-cache.md.
"""
import collections
import csv
import re
import unittest

import launches  # noqa: F401  (finds support)
from sample import some
from support import SOURCE, ToolTest

KERNELS = SOURCE / "validation" / "kernels" / "unified_cache.cl"
PRESETS = {"titanx-maxwell": "gtx980", "gtx970": "gtx980"}  # the same rules


def published():
    """{(kernel, configuration): {counter: value}}, without those that we do not equal."""
    found = collections.defaultdict(dict)
    with open(SOURCE / "validation" / "published" / "unified_cache.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if "-ca-" not in row["configuration"] and row["exact"] == "yes":
                found[row["kernel"], row["configuration"]][row["metric"]] = float(row["value"])
    return found


def numbers(configuration):
    """{"b": 16, "n": 256, …}."""
    return {name: int(value) for name, value in re.findall(r"-([a-z]+)(\d+)", configuration)}


def words(kernel, configuration):
    """What trace-kernel is given: a row of work-groups, where all are alike."""
    of = numbers(configuration)
    if kernel == "bitonic":
        return ["--global", 4096, "--local", 128, "--arg", f"distance={of['distance']}", "--arg", f"run={of['run']}", "--arg", "values=count=4096"]
    if kernel == "halo":
        groups = -(-of["n"] // 12)
        return ["--global", f"{16 * groups},{16 * groups}", "--local", "16,16", "--arg", f"n={of['n']}"]
    if kernel == "layer":
        return ["--global", f"16,{16 * of['groups']}", "--local", "16,16"]
    side = of["b"]
    return ["--global", f"{of['n']},{side}", "--local", f"{side},{side}", "--arg", f"n={of['n']}", "-D", f"ACROSS={of['across']}",
            "-D", f"BLOCK={side}"]


class Published(ToolTest):
    def profiled(self, kernel, configuration):
        options = words(kernel, configuration)
        if "-D" not in options:
            options += ["-D", "ACROSS=0", "-D", "BLOCK=16"]
        self.run_tool("trace-kernel", KERNELS, "--kernel", kernel, *options, "-o", "capture.wtrace")
        gpu = re.sub(r"-(b|n|run|groups)\d.*", "", configuration)
        result = self.result("capture.wtrace", "--gpu", PRESETS.get(gpu, gpu), "--no-classes")
        return result["total"]["profiler"]["nvprof"]

    def test_equals_every_published_value(self):
        for kernel, configuration in some(published()):
            with self.subTest(f"{kernel} {configuration}"):
                ours = self.profiled(kernel, configuration)
                for counter, value in published()[kernel, configuration].items():
                    self.assertAlmostEqual(ours[counter], value, delta=5e-5, msg=counter)


if __name__ == "__main__":
    unittest.main()
