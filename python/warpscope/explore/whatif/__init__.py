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


def compare(captures, requests, folder, before=None):
    """Simulates the capture and the changed one, each with its request: (comparison, exit status). `before`: a result.json of `warpscope` for
    the first one with the same options, which is then not simulated again."""
    requests = list(map(clocks.settle, requests))
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


def _layout_words(layout):
    """What trace-change is given."""
    return [word for change in layout for word in change.words()]


def changed_capture(capture, layout, output, folder):
    """(path of the changed capture, what trace-change says about it as JSON)."""
    if not layout:
        if output is not None and pathlib.Path(capture).name == "other.wtrace":  # of --work-group
            shutil.copyfile(capture, output)
        elif output is not None:
            raise InputError(f"-o {output}: only the machine changes, expected a change of the layout with it")
        return capture, {"changes": [], "done": [], "not_simulated": []}
    path = pathlib.Path(output) if output is not None else folder / "changed.wtrace"
    toolchain.run("trace-change", capture, *_layout_words(layout), "-o", path, "--json", folder / "changes.json", stdout=subprocess.DEVNULL)
    return path, json.loads((folder / "changes.json").read_text(encoding="utf-8"))


@dataclasses.dataclass
class Settled:
    """What --work-group and --readonly come to: another capture, further changes of it, and what was done. `before`:
    the result of the capture as it is, if that is known."""

    capture: str
    before: dict | None
    layout: tuple = ()
    named: list = dataclasses.field(default_factory=list)
    done: list = dataclasses.field(default_factory=list)
    not_simulated: list = dataclasses.field(default_factory=list)


def settle(asked, gpu, folder, before):
    """Runs the kernel again, and plans the read-only path, where the question asks for it."""
    found, wanted = Settled(asked.capture, before), asked.changes
    if wanted.work_group is not None:
        found.capture, done, unknown = work_groups.again(asked.capture, work_groups.parse(wanted.work_group), folder)
        found.named.append(f"--work-group {wanted.work_group}")
        found.done.append(done)
        found.not_simulated.append(unknown)
    if wanted.readonly:
        if before is None:
            found.before, _ = simulate_fixed(asked.capture, asked.request(gpu), folder / "plain.json")
        plan = readonly.plan(found.before, wanted.readonly)
        found.named += [f"--readonly {name}" for name in wanted.readonly]
        found.done += plan.done
        found.layout = plan.layout
    return found


def answer(asked, before=None):
    """The comparison of docs/tools/what-if.md as a dictionary, and the exit status (0, or 3 where launches do not fit the GPU).

    `asked`: a Question. `before`: the result.json (as a dictionary) that `warpscope` made of this capture with the same GPU; it is not
    simulated again. Raises InputError, or ToolFailed with status 2 or 3 for a change that does not fit; a tool has then said why on standard
    error."""
    capture, wanted = asked.capture, asked.changes
    if not is_capture(capture, "a capture"):
        raise InputError(f"{capture}: not a capture, expected one; warpscope and trace-kernel write captures")
    gpu = asked.gpu or toolchain.given_gpu() or default_gpu(capture)
    if wanted.layout:
        toolchain.run("trace-change", *_layout_words(wanted.layout), "--check-options")
    with tempfile.TemporaryDirectory(prefix="warpscope-what-if.") as work:
        folder = pathlib.Path(work)
        try:
            more = settle(asked, gpu, folder, before)
            changed, said = changed_capture(more.capture, [*wanted.layout, *more.layout], asked.output, folder)
            requests = (asked.request(gpu), asked.request(gpu, wanted.machine))
            comparison, status = compare((capture, changed), requests, folder, more.before)
        finally:
            children.end_all()
    own = [change.text() for change in wanted.layout]
    return {"schema": SCHEMA, "capture": pathlib.Path(capture).name, "gpu": gpu,
            "changes": [*more.named, *(line for line in said["changes"] if not more.layout or line in own)],
            "machine": wanted.machine.texts(), "done": [*more.done, *(said["done"] if not more.layout else [])],
            "not_simulated": [*more.not_simulated, *said["not_simulated"]], **comparison}, status
