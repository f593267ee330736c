#!/usr/bin/python3
"""Golden numbers: they detect a change, they do not prove correctness (other tests do that).

    scripts/update_golden.py            rewrites the tables of tests/golden; the commit explains why numbers moved
    scripts/update_golden.py --check    compares instead, prints every difference, exit status 1 if there is one

results.csv is of fixed order, timed.csv of the timed engine: every row is one kernel at a small size on one configuration. New policies
appear by themselves, as the names come from the tables that cachesim --help prints. A row that a table does not have yet is no difference:
nothing has moved. models.csv has a digest of both tables for each version of the model (kModelVersion): a table in which a number
moves is written only with a version that models.csv does not have yet, and docs/reference/model-changes.md says what moved.
"""
import csv
import hashlib
import io
import pathlib
import re
import shutil
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "python"))

from warpscope.base import toolchain  # noqa: E402
from warpscope.base.command import ArgumentParser, run_main  # noqa: E402
from warpscope.result.counters import HEADINGS, LINE_COUNTERS, MISS_CLASSES  # noqa: E402
from warpscope.run import harness  # noqa: E402

FOLDER = SOURCE / "tests" / "golden"
CHANGES = "docs/reference/model-changes.md"
RULE = f"raise kModelVersion in traces/base/version.h by 1, say in {CHANGES} which numbers moved, build, and run scripts/update_golden.py"
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
MACHINE_CODE = {"mm": ["--size", "small"], "mt_tiled": ["--global", "64,64"], "flow": ["--size", "small"], "histogram": ["--global", "1024"]}
TIMED_GPUS = ("gtx480", "v100", "h100")
RESIDENT = ["--global", "160,160", "--local", "16,16"]  # of mm: more work-groups than the cores of a GTX 480 hold
COLUMNS = ["kernel", "order", "cache", *map("_".join, KIND_COLUMNS), "bypasses", *MISS_CLASSES, *LINE_COLUMNS]
TIMED_COLUMNS = ["kernel", "code", "gpu", "cycles", "warp_instructions", *map("_".join, KIND_COLUMNS), "l2_load_hits", "l2_load_misses",
                 "dram_read_bytes", "fixed_load_hits", "fixed_load_misses"]


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


def machine_capture(captures, name, options):
    """Of a kernel's machine code for sm_80, which the tests have; its launch file is next to it."""
    folder = captures.folder / "machine"
    folder.mkdir(exist_ok=True)
    code = folder / f"{name}.fatbin"
    shutil.copy(SOURCE / "tests" / "machine" / "suite" / code.name, code)
    for suffix in (".cu", ".launch"):
        shutil.copy(harness.kernel(name).with_suffix(suffix), folder)
    return captures.of(code, "--machine=sm_80", *options)


def timed_row(capture, kernel, code, gpu):
    timed = harness.simulate(capture, "--gpu", gpu, timed=True)["total"]
    fixed = harness.simulate(capture, "--gpu", gpu, "--self-check")["total"]
    timing, load = timed["timing"], fixed["load"]
    return [kernel, code, gpu, timing["cycles"], timing["warp_instructions"], *(timed[kind][name] for kind, name in KIND_COLUMNS),
            *(timing["memory"][name] for name in ("l2_load_hits", "l2_load_misses", "dram_read_bytes")), load["hits"], load["misses"] + load["sector_misses"]]


def measure_timed(captures):
    for kernel, options in KERNELS.items():
        for gpu in TIMED_GPUS:
            yield timed_row(captures.of(harness.kernel(kernel), *options), kernel, "clang", gpu)
    yield timed_row(captures.of(harness.kernel("mm"), *RESIDENT), "mm 160", "clang", "gtx480")
    for kernel, options in MACHINE_CODE.items():
        yield timed_row(machine_capture(captures, kernel, options), kernel, "sm_80", "a100")


TABLES = {"results.csv": (COLUMNS, measure), "timed.csv": (TIMED_COLUMNS, measure_timed)}
MODELS = ("model_version", "digest")


def text_of(columns, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def differences(expected, found):
    """(what moved, as text; how many rows are new)."""
    old, new = ({tuple(row[:3]): row[3:] for row in csv.reader(io.StringIO(text))} for text in (expected, found))
    moved = [f"{' / '.join(key)}: {row} is now {new.get(key, 'absent')}" for key, row in sorted(old.items()) if row != new.get(key)]
    return moved, len(new.keys() - old.keys())


def digest(tables):
    """Of the texts of all tables: 16 hexadecimal digits."""
    return hashlib.sha256("".join(tables[name] for name in TABLES).encode()).hexdigest()[:16]


def model_version():
    """What the source says: results of these tools say the same."""
    return int(re.search(r"kModelVersion = (\d+);", (SOURCE / "traces" / "base" / "version.h").read_text())[1])


def described_version():
    """The newest in the change log."""
    return int(re.search(r"^## (\d+)", (SOURCE / CHANGES).read_text(), re.MULTILINE)[1])


def faults(tables, models, version, described):
    """Why tables and versions do not belong together; empty if they do. `models`: rows of models.csv, oldest first."""
    found = []
    if [int(row[0]) for row in models] != list(range(1, len(models) + 1)):
        found.append("models.csv: expected versions 1, 2, … in order")
    if not models or int(models[-1][0]) != version:
        found.append(f"models.csv ends with version {models[-1][0] if models else 'none'}, the source says {version}: run scripts/update_golden.py")
    elif models[-1][1] != digest(tables):
        found.append(f"the numbers are not those of version {version}: {RULE}")
    if described != version:
        found.append(f"{CHANGES} begins with version {described}, the source says {version}")
    return found


def recorded(tables, moved, models, version):
    """models.csv with these tables. Raises ValueError where numbers moved and the version did not."""
    known = {int(row[0]) for row in models}
    if moved and version in known:
        raise ValueError(f"numbers moved, and version {version} of the model has other ones: {RULE}")
    return [*(row for row in models if int(row[0]) != version), [str(version), digest(tables)]]


def read_models():
    path = FOLDER / "models.csv"
    return list(csv.reader(io.StringIO(path.read_text())))[1:] if path.exists() else []


def compare(old, found):
    """(what moved in all tables, how many rows are new)."""
    both = [differences(old[name], found[name]) for name in TABLES]
    return [line for moved, _ in both for line in moved], sum(added for _, added in both)


def main():
    parser = ArgumentParser(__doc__)
    parser.add_argument("--check", action="store_true", help="compare, change nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        captures = harness.Captures(folder)
        found = {name: text_of(columns, rows(captures)) for name, (columns, rows) in TABLES.items()}
    old = {name: (FOLDER / name).read_text() if (FOLDER / name).exists() else "" for name in TABLES}
    moved, added = compare(old, found)
    if check:
        wrong = faults(old, read_models(), model_version(), described_version())
        print("\n".join([*moved, *wrong, *([RULE] if moved else [])]) or "golden numbers unchanged")
        if added:
            print(f"{added} rows are new: scripts/update_golden.py adds them")
        return 1 if moved or wrong else 0
    try:
        models = recorded(found, moved, read_models(), model_version())
    except ValueError as refused:
        print("\n".join([*moved, f"update_golden: {refused}"]), file=sys.stderr)
        return 1
    for name, text in found.items():
        (FOLDER / name).write_text(text)
    (FOLDER / "models.csv").write_text(text_of(MODELS, models))
    print(f"{FOLDER.relative_to(SOURCE)}: {', '.join(found)} and models.csv, version {model_version()}")
    return 0


if __name__ == "__main__":
    run_main("update_golden", main)
