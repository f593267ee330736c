#!/usr/bin/python3
"""Registers, integer and control operations: what we estimate against what was measured, and against trivial predictors.

    validation/truth/estimates/estimates.py                     captures what estimates.csv lacks, then writes validation/notes/estimates.md
    validation/truth/estimates/estimates.py --only coulomb      captures this family again; the other lines of estimates.csv stay as they are
    validation/truth/estimates/estimates.py --no-run            the page of what is in estimates.csv

A line of estimates.csv says which commit gave it: the last that changed what compiles, records and counts. A call that is stopped goes on where it was; the cheap launches come first.
"""
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(SOURCE / "validation"), str(SOURCE / "python")]
from truth import parts, statistics, tables, turns  # noqa: E402
from warpscope.base import children, toolchain  # noqa: E402
from warpscope.base.command import ArgumentParser, run_main  # noqa: E402
from warpscope.base.errors import InputError, ToolFailed  # noqa: E402
from warpscope.result import rates, tables as tables_of_code  # noqa: E402
from collect.comparison import table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "estimates.csv"
PAGE = SOURCE / "validation" / "notes" / "estimates.md"
COLUMNS = ("launch", "commit", "live", "ptxas", "integer", "control", "jumps", "fp32", "accesses")
MEASURED = {
    "integer": ("smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "inst_integer"),
    "control": ("smsp__sass_thread_inst_executed_op_control_pred_on.sum", "inst_control"),
    "fp32": ("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "inst_fp_32"),
}
UNITS = {"Int": "integer", "Control": "control", "Float": "fp32", "Memory": "accesses"}  # of timed/config/instruction_class.def
GROUPS = 32        # work-groups that are captured: all of a launch do the same, but at the border of `convolution`
USUAL = 32         # registers: the largest number with which Volta and older, and Ampere's GA100, hold all warps
MOST = 255         # registers of a work-item, from compute capability 3.5 on; no launch here is of an older GPU
WITHIN = 4         # registers: half of the unit of 8 in which they are given
PTXAS_KNOWS = 7.5  # compute capability, from which on ptxas 13.0 compiles


def measured(launch, kind):
    """A count of the whole launch; registers of a work-item. None where it was not published."""
    if kind == "registers":
        return int(launch.settings["registers"]) if "registers" in launch.settings else None
    return next((launch.measured[name] for name in MEASURED[kind] if name in launch.measured), None)


def of_classes(blocks, counts, classes):
    """{integer, control, fp32, accesses: operations of work-items}: of each block its instructions times the work-items that entered
    it. `jumps`: those of control that only go to the block behind. `classes`: {class: (what, machine instructions)}."""
    found = {**dict.fromkeys(UNITS.values(), 0), "jumps": 0}
    for place, (block, entered) in enumerate(zip(blocks, counts, strict=True)):
        found["jumps"] += entered["work_items"] if block.get("successors") == [place + 1] else 0
        for name, count in block.get("mix", {}).items():
            what, machine = classes[name]
            if what is not None:
                found[what] += count * machine * entered["work_items"]
    return found


def instruction_classes():
    """As the timed engine has them: {class: (what, machine instructions)}; None for what is none of them."""
    return {name: (UNITS.get(one.unit), one.machine) for name, one in tables_of_code.instruction_classes().items()}


def definitions(launch):
    """(defines as -DNAME=VALUE, kernel or None) of a launch's command and the launch file next to its source."""
    options = launch.command.options
    own = [options[place + 1] for place, word in enumerate(options) if word == "-D"]
    kernel = next((options[place + 1] for place, word in enumerate(options) if word == "--kernel"), None)
    path = launch.command.path.with_suffix(".launch")
    if not path.exists():
        return [f"-D{one}" for one in own], kernel
    said = json.loads(toolchain.output("launch-file", path, *(word for one in own for word in ("-D", one))))
    return [f"-D{name}={value}" for name, value in said["defines"].items()], kernel or said["kernel"]


def registers(launch):
    """{live, ptxas}: registers of a work-item by the count of live values and by NVIDIA's assembler, where it knows the GPU."""
    defines, kernel = definitions(launch)
    architecture = ["--registers", "sm_" + launch.cc.replace(".", "")] if float(launch.cc) >= PTXAS_KNOWS else []
    with tempfile.TemporaryDirectory() as folder:
        text = toolchain.output("compile-kernel", launch.command.path, "-o", folder, *architecture, "--", *defines).decode()
    name = re.escape(kernel) if kernel else r"\w+"
    live = re.search(rf"^kernel {name}, registers about (\d+)", text, re.MULTILINE)
    asked = re.search(rf"^kernel {name}, (\d+) registers", text, re.MULTILINE)
    return {"live": int(live[1]), "ptxas": int(asked[1]) if asked else None}


def operations(launch, classes):
    """{integer, control, jumps, fp32, accesses} of the whole launch, out of a capture of its first work-groups."""
    count = min(GROUPS, launch.groups)
    options = parts.without(launch.command.options, "--work-groups", "--global")
    options += (*parts.cut(launch.grid, launch.block, f"0-{count - 1}"), "--work-groups", f"0-{count - 1}")
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "launch.wtrace"
        toolchain.run("trace-kernel", launch.command.path, *options, "-o", capture, quiet=True)
        blocks = json.loads(toolchain.output("trace-view", capture, "--cfg", "--json"))["launches"][0]["blocks"]
        counts = json.loads(toolchain.output("warpsched", capture, "--block-counts", "-", quiet=True))["launches"][0]["blocks"]
    return {what: value * launch.groups // count for what, value in of_classes(blocks, counts, classes).items()}


def read(path=TABLE):
    """{launch: {column: number or None}} of estimates.csv; none without the file."""
    if not path.exists():
        return {}
    return {row["launch"]: {"commit": row["commit"], **{name: int(row[name]) if row[name] else None for name in COLUMNS[2:]}}
            for row in tables.rows(path, COLUMNS)}


def write(found, order, path=TABLE):
    """The lines in the order of sample.csv."""
    tables.write(path, COLUMNS, ((name, *("" if found[name].get(column) is None else found[name][column] for column in COLUMNS[1:]))
                                 for name in order if name in found))


def last_commit():
    """The last commit that changed what compiles, records and counts."""
    said = subprocess.run(["git", "-C", SOURCE, "log", "-1", "--format=%h", "--", "passes", "wrapper", "scheduler"], capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def chosen(launches, only):
    """Of these launches those of `only`, families or launches; all if it is empty."""
    for name in only:
        if name not in {word for launch in launches for word in (launch.family, launch.name)}:
            raise InputError(f"--only {name}: no such family or launch with measured registers or operations")
    return [launch for launch in launches if not only or launch.family in only or launch.name in only]


def fill(found, launches, again, deadline, save):
    """Adds what is missing to `found`, with `again` also what is there: first the registers of all, which only takes a compiler."""
    commit, classes = last_commit(), instruction_classes()
    cheap = sorted(launches, key=turns.cost)
    for launch in cheap:
        if measured(launch, "registers") is not None and (again or launch.name not in found) and time.monotonic() < deadline:
            try:
                found[launch.name] = {**found.get(launch.name, {}), **registers(launch), "commit": commit}
            except ToolFailed:
                print(f"estimates: {launch.name}: no registers", file=sys.stderr)
            save()
    for launch in cheap:
        one = found.get(launch.name, {})
        if measured(launch, "integer") is None or (one.get("integer") is not None and not again) or time.monotonic() > deadline:
            continue
        try:
            found[launch.name] = {**one, **operations(launch, classes), "commit": commit}
        except ToolFailed:
            print(f"estimates: {launch.name}: could not be captured", file=sys.stderr)
        save()


def elsewhere(launches, found, kind):
    """{family: the median of the *other* families}: of measured registers; of measured operations for each access to memory."""
    values = collections.defaultdict(list)
    for launch in launches:
        value, one = measured(launch, kind), found.get(launch.name, {})
        if kind == "registers" and value is not None:
            values[launch.fold_family].append(value)
        elif value is not None and one.get("accesses"):
            values[launch.fold_family].append(value / one["accesses"])
    return {family: statistics.median([value for other, of in values.items() if other != family for value in of]) for family in values}


def predictions(launch, one, kind, usual):
    """{series: value} of a launch: our estimates, then the trivial predictors."""
    other = usual.get(launch.fold_family)
    if kind == "registers":
        live = one.get("live")
        return {"live values": None if live is None else min(live, MOST), "ptxas": one.get("ptxas"), str(USUAL): USUAL, "other families": other}
    accesses = one.get("accesses")
    ours = {"ours": one.get(kind)}
    if kind == "control":
        ours["without jumps"] = one["control"] - one["jumps"]
    return {**ours, "one per access": accesses, "other families": accesses * other if other and accesses else None}


def errors(launches, found, kind):
    """{group: {series: [error]}}: of registers in registers, else as a fraction."""
    usual, errors_of = elsewhere(launches, found, kind), {}
    for launch in launches:
        value = measured(launch, kind)
        if not value or found.get(launch.name, {}).get("live" if kind == "registers" else kind) is None:
            continue
        series = errors_of.setdefault(f"{launch.gpu}/{launch.family}", {})
        for name, predicted in predictions(launch, found[launch.name], kind, usual).items():
            if predicted is not None:
                series.setdefault(name, []).append(predicted - value if kind == "registers" else predicted / value - 1)
    return errors_of


def cell(values, kind):
    """Median and 90th percentile of |error|; of registers also the median error and the share within 4."""
    if not values:
        return "–"
    sizes = [abs(value) for value in values]
    middle, most = statistics.median(sizes), statistics.percentile(sizes, 90)
    if kind == "registers":
        return f"{middle:.0f}, {most:.0f} ({rates.percent_text(statistics.share(sizes, lambda size: size <= WITHIN))})"
    return f"{rates.percent_text(middle)}, {rates.percent_text(most)} ({100 * statistics.median(values):+.0f} %)"


def errors_table(launches, found, kind):
    of = errors(launches, found, kind)
    names = list(dict.fromkeys(name for series in of.values() for name in series))
    names.sort(key=lambda name: name in (str(USUAL), "one per access", "other families"))
    everything = {name: [value for series in of.values() for value in series.get(name, [])] for name in names}
    lines = [[group, max(map(len, series.values())), *(cell(series.get(name), kind) for name in names)]
             for group, series in [*sorted(of.items()), ("**all**", everything)] if series]
    return table(["GPU and family", "n", *names], lines)


def page(launches, found):
    """The text of estimates.md: estimates_page.txt with the tables in their places."""
    text = (HERE / "estimates_page.txt").read_text(encoding="utf-8")
    done = {kind: sum(1 for launch in launches if measured(launch, kind) is not None and
                      found.get(launch.name, {}).get("live" if kind == "registers" else kind) is not None) for kind in ("registers", "integer")}
    of = {kind: sum(1 for launch in launches if measured(launch, kind) is not None) for kind in done}
    commits = collections.Counter(one["commit"] for one in found.values())
    words = {"REGISTERS": errors_table(launches, found, "registers"),
             **{kind.upper(): errors_table(launches, found, kind) for kind in MEASURED},
             "N_REGISTERS": f"{done['registers']} of {of['registers']}", "N_OPERATIONS": f"{done['integer']} of {of['integer']}",
             "COMMITS": ", ".join(f"{commit} ({count})" for commit, count in sorted(commits.items()))}
    return re.sub(r"\{(\w+)\}", lambda match: words[match[1]], text)


def main():
    parser = ArgumentParser(__doc__)
    parser.add_argument("--only", nargs="+", default=[], help="capture these families or launches again")
    parser.add_argument("--no-run", action="store_true", help="capture nothing")
    parser.add_argument("--time-limit", type=float, default=math.inf, metavar="SECONDS", help="begin no capture after that")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="page to write (default validation/notes/estimates.md)")
    arguments = parser.parse_args()
    children.catch_signals()
    launches = [launch for launch in tables.launches() if launch.command is not None
                and (measured(launch, "registers") is not None or measured(launch, "integer") is not None)]
    found, order = read(), [launch.name for launch in launches]
    if not arguments.no_run:
        fill(found, chosen(launches, arguments.only), bool(arguments.only), time.monotonic() + arguments.time_limit,
             lambda: write(found, order))
    arguments.page.write_text(page(launches, found), encoding="utf-8")


if __name__ == "__main__":
    run_main("estimates", main)
