"""What-ifs: simulates a capture and a changed one, or another machine, and compares."""
import collections
import dataclasses
import json
import pathlib
import shutil
import subprocess
import tempfile

from warpscope.base import children, toolchain
from warpscope.base.default_gpu import default_gpu
from warpscope.base.errors import InputError
from warpscope.base.inputs import is_capture
from warpscope.base.table import aligned
from warpscope.explore.whatif import readonly, work_groups
from warpscope.result import measures, rates, results
from warpscope.run import clocks, simulation
from warpscope.run.experiment import Experiment

SCHEMA = 1


def simulate_fixed(capture, request, path):
    status = simulation.simulate(capture, request, path)
    return results.load(path), status


def _both_fixed(captures, requests, folder, before):
    """The two results of the fixed order, and the larger exit status; the first may be known."""
    known = [] if before is None else [(before, 0)]
    experiment = Experiment(lambda number: simulate_fixed(captures[number], requests[number], folder / f"fixed{number}.json"), folder=folder)
    (first, status), (second, other) = known + experiment.each(range(len(known), 2))
    return first, second, max(status, other)


def simulate_timed(captures, requests, plan, folder):
    """The results of the timed clock, each None where there are none, and why."""
    none = [None] * len(captures)
    if plan["launches"] == []:
        return none, plan["why"]
    more = [] if plan["launches"] is None else ["--launch", ",".join(map(str, plan["launches"]))]

    def one(number):
        path = folder / f"timed{number}.json"
        status, why = clocks.simulate_timed(captures[number], requests[number], [*requests[number].chosen.words(), *more], path)
        return (None, why) if status is None else (results.load(path), None)

    timed = Experiment(one, folder=folder).each(range(len(captures)))
    stopped = [why for _, why in timed if why]
    return (none, stopped[0]) if stopped else ([result for result, _ in timed], None)


def whole_timed(before):
    """The timed part of a result that has both clocks and all its launches; None otherwise."""
    counted = before.get("clocks") or {}
    return before.get("timed") if counted.get("timed_launches") == counted.get("launches") else None


def compare(captures, asked, gpu, folder, before=None):
    """Simulates the capture and the changed one: (comparison, exit status). `before`: a result.json of `warpscope` for the first one
    with the same options, which is then not simulated again."""
    requests = [clocks.settle(asked.request(gpu, changed)) for changed in (False, True)]
    before, after, status = _both_fixed(captures, requests, folder, before)
    plan = clocks.plan(before, requests[0] if requests[0].no_timed else requests[1])
    known = whole_timed(before) if plan["launches"] is None else None
    if known is not None:
        (after_timed,), why = simulate_timed(captures[1:], requests[1:], plan, folder)
        timed = None if after_timed is None else [known, after_timed]
    else:
        timed, why = simulate_timed(captures, requests, plan, folder)
        timed = None if None in timed else timed
    return {
        "fixed": measures.compared(measures.fixed(before), measures.fixed(after)),
        "timed": measures.compared(*map(measures.timed, timed)) if timed else None,
        "timed_launches": None if not timed else plan["launches"] or "all",
        "not_timed": why,
    }, status


def _shown(name, value):
    if value is None:
        return "-"
    if name.endswith("rate"):
        return rates.percent_text(value, 2)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def table(clock, title):
    """Before, after and ratio of a clock, as lines."""
    rows = [(name.replace("_", " "), _shown(name, clock["before"][name]), _shown(name, clock["after"][name]),
             "-" if clock["ratio"][name] is None else f"{clock['ratio'][name]:.3f}")
            for name in clock["before"] if clock["before"][name] is not None or clock["after"][name] is not None]
    rows.insert(0, (title, "before", "after", "ratio"))
    return aligned(rows)


def text_of(comparison):
    yield f"what-if of {comparison['capture']} on {comparison['gpu']}"
    done = collections.Counter(comparison["done"])  # an unrolled loop has as many copies of a source line
    yield from (f"  {line}{f' ({count} copies of it)' if count > 1 else ''}" for line, count in done.items())
    yield from (f"  {line}" for line in comparison["machine"])
    yield ""
    yield from table(comparison["fixed"], "fixed order")
    yield ""
    if comparison["timed"]:
        title = "timed" if comparison["timed_launches"] == "all" else f"timed, launches {comparison['timed_launches']}"
        yield from table(comparison["timed"], title)
        yield "Cycles are with unchanged instructions: what the new addresses cost to compute is not simulated."
    else:
        yield f"not timed: {comparison['not_timed']}"
    yield from (f"Not simulated: {line}." for line in comparison["not_simulated"])


def changed_capture(capture, changes, output, folder):
    """(path of the changed capture, what trace-change says about it as JSON)."""
    if not changes:
        if output is not None and pathlib.Path(capture).name == "other.wtrace":  # of --work-group
            shutil.copyfile(capture, output)
        elif output is not None:
            raise InputError(f"-o {output}: only the machine changes, expected a change of the layout with it")
        return capture, {"changes": [], "done": [], "not_simulated": []}
    path = pathlib.Path(output) if output is not None else folder / "changed.wtrace"
    toolchain.run("trace-change", capture, *changes, "-o", path, "--json", folder / "changes.json", stdout=subprocess.DEVNULL)
    return path, json.loads((folder / "changes.json").read_text(encoding="utf-8"))


def _texts(words):
    return [f"{name} {value}" for name, value in zip(words[::2], words[1::2])]


def special(asked, gpu, folder, before):
    """What --work-group and --readonly come to: another capture, changes for trace-change, other options, and what was done."""
    capture = asked.capture
    found = {"capture": capture, "changes": [], "set": (), "named": [], "done": [], "not_simulated": [], "before": before}
    if asked.work_group is not None:
        found["capture"], done, unknown = work_groups.again(capture, work_groups.parse(asked.work_group), folder)
        found["named"].append(f"--work-group {asked.work_group}")
        found["done"].append(done)
        found["not_simulated"].append(unknown)
    if asked.readonly:
        if before is None:
            found["before"], _ = simulate_fixed(capture, asked.request(gpu, False), folder / "plain.json")
        plan = readonly.plan(found["before"], asked.readonly)
        found["named"] += [f"--readonly {name}" for name in asked.readonly]
        found["done"] += plan["done"]
        found["changes"] = plan["changes"]
        found["set"] = tuple(plan["set"])
    return found


def answer(asked, before=None):
    """The comparison of docs/tools/what-if.md as a dictionary, and the exit status (0, or 3 where launches do not fit the GPU).

    `asked`: a Question. `before`: the result.json (as a dictionary) that `warpscope` made of this capture with the same GPU; it is not
    simulated again. Raises InputError, or ToolFailed with status 2 or 3 for a change that does not fit; a tool has then said why on standard
    error."""
    capture, changes = asked.capture, asked.changes
    if not is_capture(capture, "a capture"):
        raise InputError(f"{capture}: not a capture, expected one; warpscope and trace-kernel write captures")
    gpu = asked.gpu or toolchain.given_gpu() or default_gpu(capture)
    if changes:
        toolchain.run("trace-change", *changes, "--check-options")
    with tempfile.TemporaryDirectory(prefix="warpscope-what-if.") as work:
        try:
            more = special(asked, gpu, pathlib.Path(work), before)
            changed, said = changed_capture(more["capture"], [*changes, *more["changes"]], asked.output, pathlib.Path(work))
            comparison, status = compare((capture, changed), dataclasses.replace(asked, machine=dataclasses.replace(
                asked.machine, changes=(*asked.machine.changes, *more["set"]))), gpu, pathlib.Path(work),
                                         more["before"])
        finally:
            children.end_all()
    return {"schema": SCHEMA, "capture": pathlib.Path(capture).name, "gpu": gpu,
            "changes": [*more["named"], *(line for line in said["changes"] if not more["changes"] or line in _texts(changes))],
            "machine": asked.machine.texts(), "done": [*more["done"], *(said["done"] if not more["changes"] else [])],
            "not_simulated": [*more["not_simulated"], *said["not_simulated"]], **comparison}, status
