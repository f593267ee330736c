"""Every kernel of constructs.cl, each a way to use memory in OpenCL C 1.2: results equal those of an untraced run, and
bytes and atomics equal Oclgrind's, which interprets the source and knows nothing of our pass and PoCL."""
import collections
import json
import pathlib
import re
import shutil
import unittest

from support import BIN, TEST_BIN, ProgramTest

COMMAND = (TEST_BIN / "programs_host", "constructs", pathlib.Path(__file__).with_name("constructs.cl"))
ATOMIC = re.compile(r"^\s*(\d+) - call _Z\d+atomic_\w+?PU3AS(\d)")
SPACES = {"1": "global", "3": "local"}
# Bytes that one call moves; of a copy: one work-item's share (32 words by 32 work-items).
VECTORS = {"vload3": 12, "vload4": 16, "vload16": 64, "vstore3": 12, "vstore8": 32, "vload_half": 2, "vload_half4": 8,
           "vstore_half": 2, "vstore_half2_rte": 4, "vstorea_half4": 8}
STRUCTURE = 20  # bytes of struct Pair, the only one that is copied


def interpreted(text):
    """kernel → (what, space) → bytes, for atomics executions, from Oclgrind's lists."""
    kernels = collections.defaultdict(collections.Counter)
    counts = None
    for line in text.splitlines():
        if match := re.match(r"Instructions executed for kernel '(\w+)'", line):
            counts = kernels[match[1]]
        elif match := re.match(r"\s*\d+ - (load|store) (\w+) \((\d+) bytes\)", line):
            counts[match[1], match[2]] += int(match[3])
        elif match := ATOMIC.match(line):
            counts["atomic", SPACES[match[2]]] += int(match[1])
        elif match := re.match(r"\s*(\d+) - call _Z\d+(async_work_group_(?:strided_)?copy)PU3AS(\d)\w+PU3AS(\d)", line):
            counts["store", SPACES[match[3]]] += 4 * int(match[1])
            counts["load", SPACES[match[4]]] += 4 * int(match[1])
        elif match := re.match(r"\s*(\d+) - call llvm.memcpy.p(\d)i8.p(\d)i8", line):
            for what, space in (("store", match[2]), ("load", match[3])):
                counts[what, SPACES.get(space, "private")] += STRUCTURE * int(match[1])
        elif match := re.match(r"\s*(\d+) - call _Z(\d+)(\w+)", line):
            name = match[3][:int(match[2])]
            if name in VECTORS:
                counts["load" if name.startswith("vload") else "store", "global"] += int(match[1]) * VECTORS[name]
    return {name: {key: n for key, n in counts.items() if key[1] != "private"}
            for name, counts in kernels.items()}


class Constructs(ProgramTest):
    def test_results_are_those_of_an_untraced_run(self):
        for mode in ("gpu", "O0"):
            done = self.assert_same_program(*COMMAND, options=["--optimize", mode])
            self.assertNotRegex(done.stderr, "not traced|outside")
            self.check()

    @unittest.skipUnless(shutil.which("oclgrind"), "needs Debian's package oclgrind")
    def test_counts_are_oclgrinds(self):
        self.traced(*COMMAND, options=["--optimize", "O0"])
        view = json.loads(self.plain(BIN / "trace-view", "--sites", "--json", "x.wtrace").stdout)
        self.environment.update(HOST_PLATFORM="Oclgrind", HOST_OPTIONS="-cl-opt-disable")
        theirs = interpreted(self.plain("oclgrind", "--inst-counts", *COMMAND).stdout)
        self.assertEqual(len(theirs), len(view["launches"]))
        for launch in view["launches"]:
            ours = collections.Counter()
            for site in launch["sites"]:
                if site["kind"] in ("load", "store", "atomic") and site["space"] != "private":
                    size = 1 if site["kind"] == "atomic" else site["width"]
                    ours[site["kind"], site["space"]] += site["executions"] * size
            with self.subTest(launch["kernel"]):
                self.assertEqual({key: n for key, n in ours.items() if n}, theirs[launch["kernel"]])


if __name__ == "__main__":
    unittest.main()
