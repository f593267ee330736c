#!/usr/bin/python3
"""Which size NVIDIA's driver gives shared memory: carveout.csv against rules, for validation/notes/carveout.md.

    validation/truth/carveout.py            tables
    validation/truth/carveout.py --misses   also every point that a rule misses

A point is in the half that the rule was fitted on if the SHA-256 of its source starts with 0 to 7, else in the half that was left out; a
point of `set` later was read after the rule had been written down.
"""
import collections
import csv
import hashlib
import itertools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


# Sizes in KiB, warps and work-groups per core by compute capability: NVIDIA's cuda_occupancy.h (CUDA 13.0) and programming guide.
Core = collections.namedtuple("Core", "sizes warps slots unit generation")
SMALL, LARGE, LARGEST = (0, 8, 16, 32, 64, 100), (0, 8, 16, 32, 64, 100, 132, 164), (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)
CORES = {
    "7.0": Core((0, 8, 16, 32, 64, 96), 64, 32, 256, "7.x"),
    "7.5": Core((32, 64), 32, 16, 256, "7.x"),
    "8.0": Core(LARGE, 64, 32, 128, "8.0, 9.0, 10.0"),
    "8.6": Core(SMALL, 48, 16, 128, "8.6, 8.7"),
    "8.7": Core(LARGE, 48, 16, 128, "8.6, 8.7"),
    "8.9": Core(SMALL, 48, 24, 128, "8.9, 12.0"),
    "9.0": Core(LARGEST, 64, 32, 128, "8.0, 9.0, 10.0"),
    "10.0": Core(LARGEST, 64, 32, 128, "8.0, 9.0, 10.0"),
    "12.0": Core(SMALL, 48, 24, 128, "8.9, 12.0"),
}
REGISTERS = 65536
# What the fit chooses from: warps that the size is for, in parts of the core's; a least size in KiB.
WARP_PARTS = (1, 7 / 6, 4 / 3, 3 / 2, 2, 4)
LEAST_KIB = (0, 8, 16, 32, 64)
# What the engine has (gpus/carveout.cpp): for the generation's presets the same, as keys.
ENGINE = {"7.x": (1, 0), "8.0, 9.0, 10.0": (1, 32), "8.6, 8.7": (4 / 3, 0), "8.9, 12.0": (2, 0)}
HALF_KIB = 64  # of the 128 KiB that 8.6 and 8.9 have


class Point:
    """A launch and the size that was measured, with what the rules need of it."""

    def __init__(self, row):
        self.row, self.core = row, CORES[row["cc"]]
        self.measured = int(row["carveout_kib"])
        self.own = int(row["static_bytes"]) + int(row["dynamic_bytes"])
        self.per_block = round_up(self.own + int(row["driver_bytes"]), self.core.unit)
        self.warps = round_up(int(row["block"]), 32) // 32
        of_warp = round_up(int(row["registers"]) * 32, 256)
        by_registers = REGISTERS // 4 // of_warp * 4 // self.warps
        self.resident = min(self.core.slots, self.core.warps // self.warps, by_registers)
        if self.per_block:
            self.resident = min(self.resident, self.core.sizes[-1] * 1024 // self.per_block)

    @property
    def set(self):
        if self.row["set"] != "first":
            return self.row["set"]
        return "fitted" if hashlib.sha256(self.row["source"].encode()).hexdigest()[0] < "8" else "left out"

    def covering(self, size):
        return next((kib for kib in self.core.sizes if kib * 1024 >= size), self.core.sizes[-1])


def round_up(value, unit):
    return -(-value // unit) * unit


def largest(point):
    return point.core.sizes[-1]


def own_memory_that_comes(point):
    """The smallest that covers the resident work-groups, no more than come to each core; none for a kernel without shared memory."""
    share = -(-int(point.row["grid"]) // int(point.row["sms"])) if point.row["sms"] else point.resident
    return point.covering(min(point.resident, share) * point.per_block if point.own else 0)


def smallest_sufficient(point):
    """The smallest that covers the resident work-groups, with the driver's part."""
    return point.covering(point.resident * point.per_block)


def wanting(warp_part, least_kib):
    """The smallest that covers the resident work-groups, and up to half of the unified memory for `warp_part` of the core's warps,
    whatever their registers allow; at least `least_kib`."""
    def rule(point):
        wanted = min(point.core.slots, int(point.core.warps * warp_part) // point.warps) * point.per_block
        wanted = min(wanted, HALF_KIB * 1024) if warp_part > 1 else 0
        return point.covering(max(point.resident * point.per_block, wanted, least_kib * 1024))
    return rule


def hits(points, rule):
    return sum(rule(point) == point.measured for point in points)


def fit(points):
    """The parameters with the most hits; of equal ones the least. And all that are as good."""
    choices = list(itertools.product(WARP_PARTS, LEAST_KIB))
    scores = {choice: hits(points, wanting(*choice)) for choice in choices}
    best = [choice for choice in choices if scores[choice] == max(scores.values())]
    return min(best, key=lambda choice: (choice[0] > 1) + (choice[1] > 0) + choice[0] / 100 + choice[1] / 1e4), best


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" + "--:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def main():
    with open(HERE / "carveout.csv", encoding="utf-8", newline="") as file:
        points = [Point(row) for row in csv.DictReader(file) if row["preference"] == "none"]
    sets = collections.defaultdict(list)
    for point in points:
        sets[point.set].append(point)
    fitted = {}
    for name in dict.fromkeys(core.generation for core in CORES.values()):
        choice, equal = fit([point for point in sets["fitted"] if point.core.generation == name])
        fitted[name] = wanting(*choice)
        print(f"{name}: {choice[0]:.3g} of the warps, at least {choice[1]} KiB; equally good: "
              + ", ".join(f"({part:.3g}, {least})" for part, least in equal))
    print()
    rules = [("largest", largest), ("shared memory of the groups that come", own_memory_that_comes), ("smallest sufficient", smallest_sufficient),
             ("fitted rule", lambda point: fitted[point.core.generation](point)),
             ("the engine's", lambda point: wanting(*ENGINE[point.core.generation])(point))]
    for name in ("fitted", "left out", "later"):
        if not sets[name]:
            continue
        print(f"**{name}**, {len(sets[name])} points of {len({point.row['source'] for point in sets[name]})} sources\n")
        chosen = [(cc, [point for point in sets[name] if point.row["cc"] == cc]) for cc in CORES]
        chosen = [(cc, some) for cc, some in chosen if some] + [("all", sets[name])]
        table(["compute capability", "points", *(title for title, _ in rules)],
              [(cc, len(some), *(hits(some, rule) for _, rule in rules)) for cc, some in chosen])
    if "--misses" in sys.argv[1:]:
        for title, rule in rules[1:]:
            for point in points:
                if rule(point) != point.measured:
                    print(f"{title}: {point.row['point']} ({point.set}): {rule(point)}, measured {point.measured}")


if __name__ == "__main__":
    main()
