#!/usr/bin/python3
"""Golden numbers: they detect a change, they do not prove correctness (other tests do that).

    scripts/update_golden.py            rewrites tests/golden/results.csv; the commit explains why numbers moved
    scripts/update_golden.py --check    compares instead, prints every difference, exit status 1 if there is one

Every row is one kernel at a small size on one configuration; new policies appear by themselves, as the names come from
the tables that cachesim --help prints. A row that the file does not have yet is no difference: nothing has moved.
"""
import csv
import io
import pathlib
import re
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "python"))

from warpscope.base import toolchain  # noqa: E402
from warpscope.base.command import ArgumentParser, run_main  # noqa: E402
from warpscope.result.counters import HEADINGS, LINE_COUNTERS, MISS_CLASSES  # noqa: E402
from warpscope.run import harness  # noqa: E402

RESULTS = SOURCE / "tests" / "golden" / "results.csv"
KERNELS = {
    "mm": ["--global", "64,64", "--local", "16,16"],
    "mt": ["--global", "64,64", "--local", "16,16"],
    "collatz": ["--global", "2048", "--local", "128"],
    "gather": ["--global", "2048", "--local", "128"],
    "flow": ["--global", "1024", "--local", "128"],
    "mm_tiled": ["--global", "64,64", "--local", "16,16"],
}
ORDERS = ["random", "sequential", "rr", "warp"]
KIND_COLUMNS = [("load", "transactions"), ("load", "hits"), ("load", "misses"), ("store", "transactions"), ("store", "misses")]
LINE_COLUMNS = [name for name in LINE_COUNTERS if name in HEADINGS]
COLUMNS = ["kernel", "order", "cache", *map("_".join, KIND_COLUMNS), "bypasses", *MISS_CLASSES, *LINE_COLUMNS]


def table(help_text, heading):
    """The names under a heading of --help: lines "NAME: what it is"."""
    section = help_text.split(f"\n{heading}\n", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^(\S+): ", section, re.MULTILINE)


def configurations():
    """(order, label, arguments of cachesim): every order; every replacement and write policy; every set index."""
    help_text = toolchain.output("cachesim", "--help").decode()
    rows = [(order, "16 128 4 LRU WTNA", []) for order in ORDERS]
    rows += [("warp", f"4 128 4 {name} WTNA", []) for name in table(help_text, "REPLACEMENT")]
    rows += [("warp", f"4 128 4 LRU {name}", []) for name in table(help_text, "WRITE")]
    rows += [("warp", "16 128 4 LRU WTNA", ["--set-index", index]) for index in ("fermi-xor", "xor-fold")]
    return rows + [("warp", "", ["--preset", "gtx480"])]


def measure(captures):
    for kernel, options in KERNELS.items():
        capture = captures.of(harness.kernel(kernel), *options)
        for order, cache, extra in configurations():
            total = harness.simulate(capture, *cache.split(), *extra, "--policy", order, "--self-check")["total"]
            yield [kernel, order, " ".join([cache, *extra]).strip(), *(total[kind][name] for kind, name in KIND_COLUMNS),
                   sum(total[kind]["bypasses"] for kind in ("load", "store", "atomic")),
                   *(total["miss_classes"][name] for name in MISS_CLASSES), *(total[name] for name in LINE_COLUMNS)]


def text_of(rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return out.getvalue()


def differences(expected, found):
    """(what moved, as text; how many rows are new)."""
    old, new = ({tuple(row[:3]): row[3:] for row in csv.reader(io.StringIO(text))} for text in (expected, found))
    moved = [f"{' / '.join(key)}: {row} is now {new.get(key, 'absent')}" for key, row in sorted(old.items()) if row != new.get(key)]
    return moved, len(new.keys() - old.keys())


def main():
    parser = ArgumentParser(__doc__)
    parser.add_argument("--check", action="store_true", help="compare, change nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        found = text_of(measure(harness.Captures(folder)))
    if not check:
        RESULTS.write_text(found)
        print(f"{RESULTS.relative_to(SOURCE)}: {found.count(chr(10)) - 1} rows")
        return 0
    moved, added = differences(RESULTS.read_text(), found)
    print("\n".join(moved) or "golden numbers unchanged")
    if added:
        print(f"{added} rows are new: scripts/update_golden.py adds them")
    return 1 if moved else 0


if __name__ == "__main__":
    run_main("update_golden", main)
