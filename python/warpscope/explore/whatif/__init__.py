"""What another layout or machine would change: simulates a changed capture, and prints both.

warpscope what-if CAPTURE CHANGE... [options]

Changes of the layout. OBJECT is a buffer, an argument, or a local or private array:
  --pad OBJECT=+ELEMENTS            rows get longer; the row is found, and printed
  --pitch OBJECT=OLD:NEW            rows of OLD elements become rows of NEW elements
  --align OBJECT=BYTES              the first accessed byte moves up to a multiple of BYTES
  --offset OBJECT=BYTES             every byte moves by BYTES
  --swizzle OBJECT=ROWBYTES[:UNIT]  piece c of row r goes to c XOR r
  --split OBJECT=STRUCTBYTES[:FIELD,...]  an array of structures becomes one array per field
  --transpose OBJECT=ROWSxCOLS:ELEMBYTES  matrices by rows are stored by columns
  --bypass OBJECT                   accesses do not look the L1 up
  --sort-index OBJECT               as if the values of this index array were sorted
  --widen FILE:LINE[-LAST]          neighbouring loads of a work-item become wide loads
  --groups tile:WxH|morton          another order of work-groups
  --readonly OBJECT                 loads take the read-only path (LDG), where the GPU has one of its own
  --work-group WxH                  runs the kernel of the capture again, with work-groups of this size
Changes of the machine, which the simulation before does not have:
  --set KEY=VALUE      another value for a key of the GPU; warpscope --show-preset GPU lists the keys
  --carveout KIB       what local memory has of a memory that it shares with the L1
  --registers N        registers per work-item
Options of both simulations:
  --gpu GPU            a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)
  --clock CLOCK        auto (default), fixed, timed, both: as warpscope
  --launch LIST        only these launches: 0,3-7
  --kernel NAME[,NAME] only these kernels
  -o, --output FILE    keeps the changed capture
  --json FILE          the comparison as JSON (- = standard output)

Examples:
  warpscope what-if mt.wtrace --pad tile=+1
  warpscope what-if nbody.wtrace --split bodies=16:4,4,4,4 --gpu h100
  warpscope what-if mm.wtrace --groups tile:4x4 --set l1_size_kib=48 --json -

Exit status: 0; 2 bad input; 3 an access does not fit the change (its source line is named), or a launch does not fit the GPU.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from warpscope.base import children, files, toolchain
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import is_capture
from warpscope.base.toolchain import DEFAULT_GPU
from warpscope.explore.whatif import readonly, work_groups
from warpscope.result import results
from warpscope.run import clocks, simulation
from warpscope.show.page import comparisons

SCHEMA = 1
OPTIONS = {"--gpu": None, "--clock": "auto", "--launch": None, "--kernel": None, "--output": None, "--json": None, "--carveout": None,
           "--registers": None, "--set": [], "--readonly": [], "--work-group": None}
LISTS = ("--set", "--readonly")
MACHINE = ("--set", "--carveout", "--registers")
ALIASES = {"-o": "--output", "--preset": "--gpu"}


def parse(words):
    """(capture, our options, words of trace-change)."""
    values, changes, capture = dict(OPTIONS), [], None
    queue = list(words)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        name = ALIASES.get(name, name)
        if name in ("-h", "--help"):
            print(__doc__.strip())
            sys.exit(0)
        if not word.startswith("-"):
            if capture is not None:
                raise InputError(f"'{word}': there is a capture already ({capture}), expected a change such as --pad tile=+1")
            capture = word
            continue
        if not equals and not queue:
            raise InputError(f"{word}: has no value, expected one behind it")
        value = value if equals else queue.pop(0)
        if name in LISTS:
            values[name] = [*values[name], value]
        elif name not in values:
            changes += [name, value]
        elif name not in ("--clock",) and values[name] is not None:
            raise InputError(f"{name} {value}: was given already ({values[name]}), expected it once")
        else:
            values[name] = value
    if capture is None:
        raise InputError("no capture given, expected warpscope what-if CAPTURE CHANGE...; --help has examples")
    if not changes and not any(values[name] for name in (*MACHINE, "--readonly", "--work-group")):
        raise InputError("no change given, expected one such as --pad tile=+1 or --set l1_size_kib=48; --help lists them")
    return capture, values, changes


def machine_words(values):
    """The changes of the machine, as a user wrote them."""
    return [f"{name} {value}" for name in MACHINE for value in ([values[name]] if isinstance(values[name], str) else values[name] or [])]


def settings(values, gpu, changed):
    """Options of one simulation, as run/simulation.py and run/clocks.py take them; the one before has no change of the machine."""
    chosen = [word for name in ("--launch", "--kernel") if values[name] is not None for word in (name, values[name])]
    if changed and values["--registers"] is not None:
        chosen += ["--registers", values["--registers"]]
    return {"--gpu": gpu, "--clock": values["--clock"], "--cache": None, "--set-index": None, "--repeat": None, "--policy": "warp",
            "--carveout": values["--carveout"] if changed else None, "--set": values["--set"] if changed else [], "chosen": chosen}


def _ratio(above, below):
    return above / below if below else None


def fixed_measures(result):
    """What a change of the layout can move, of the fixed order."""
    total = result["total"]
    kinds = [total[kind] for kind in ("load", "store", "atomic")]
    local = total.get("local_memory") or {}
    loads = total["load"]
    residency = (result["context"].get("schedule") or {}).get("residency") or []

    def all_of(key):
        return sum(kind.get(key) or 0 for kind in kinds)

    return {
        "requests": all_of("requests") + (local.get("requests") or 0),
        "transactions": all_of("transactions"),
        "transactions_per_request": _ratio(all_of("transactions"), all_of("requests")),
        "sectors": all_of("sectors"),
        "l1_hit_rate": _ratio(loads["hits"] + loads["hits_pending"], loads["transactions"] - loads["bypasses"]),
        "l1_misses": all_of("misses") + all_of("sector_misses"),
        "l1_to_l2_read_sectors": total.get("l1_to_l2_read_sectors"),
        "l1_wavefronts": all_of("wavefronts"),
        "local_wavefronts": local.get("wavefronts"),
        "local_conflicts": local.get("conflicts"),
        "work_groups_per_core": residency[0]["work_groups"] if len(residency) == 1 else None,
    }


def timed_measures(result):
    """The same of the timed clock."""
    timing, loads = result["total"]["timing"], result["total"]["load"]
    return {
        "cycles": timing["cycles"],
        "warp_instructions": timing["warp_instructions"],
        "l1_hit_rate": _ratio(loads["hits"] + loads["hits_pending"], loads["transactions"] - loads["bypasses"]),
        "load_latency_cycles_mean": timing.get("load_latency_cycles_mean"),
        "core_to_l2_bytes": timing.get("core_to_l2_bytes"),
        "l2_to_core_bytes": timing.get("l2_to_core_bytes"),
        "dram_read_bytes": (timing.get("memory") or {}).get("dram_read_bytes"),
    }


def compared(before, after):
    ratio = {name: _ratio(after[name], before[name]) if before[name] is not None and after[name] is not None else None
             for name in before}
    return {"before": before, "after": after, "ratio": ratio}


def simulate_fixed(capture, options, path):
    status = simulation.simulate(capture, options, path)
    return results.load(path), status


def simulate_timed(captures, options, plan, folder):
    """The results of the timed clock, each None where there are none, and why."""
    none = [None] * len(captures)
    if plan["launches"] == []:
        return none, plan["why"]
    limit = clocks.MOST_SECONDS if options[0]["--clock"] == "auto" else None
    timed = []
    for number, (capture, each) in enumerate(zip(captures, options)):
        chosen = list(each["chosen"])
        if plan["launches"] is not None:
            chosen += ["--launch", ",".join(map(str, plan["launches"]))]
        path = folder / f"timed{number}.json"
        if simulation.simulate_timed(capture, each, chosen, path, limit) is None:
            return none, f"stopped after {limit} s; --clock both waits"
        timed.append(results.load(path))
    return timed, None


def whole_timed(before):
    """The timed part of a result that has both clocks and all its launches; None otherwise."""
    counted = before.get("clocks") or {}
    return before.get("timed") if counted.get("timed_launches") == counted.get("launches") else None


def compare(captures, values, gpu, folder, before=None):
    """Simulates the capture and the changed one: (comparison, exit status). `before`: a result.json of `warpscope` for the first one
    with the same options, which is then not simulated again."""
    options = [settings(values, gpu, after) for after in (False, True)]
    for each in options:
        clocks.settle(each)
    status = 0
    if before is None:
        before, status = simulate_fixed(captures[0], options[0], folder / "fixed0.json")
    after, other = simulate_fixed(captures[1], options[1], folder / "fixed1.json")
    plan = clocks.plan(before, options[0] if "no timed" in options[0] else options[1])
    known = whole_timed(before) if plan["launches"] is None else None
    if known is not None:
        (after_timed,), why = simulate_timed(captures[1:], options[1:], plan, folder)
        timed = None if after_timed is None else [known, after_timed]
    else:
        timed, why = simulate_timed(captures, options, plan, folder)
        timed = None if None in timed else timed
    return {
        "fixed": compared(fixed_measures(before), fixed_measures(after)),
        "timed": compared(*map(timed_measures, timed)) if timed else None,
        "timed_launches": None if not timed else plan["launches"] or "all",
        "not_timed": why,
    }, max(status, other)


def _shown(name, value):
    if value is None:
        return "-"
    if name.endswith("rate"):
        return f"{100 * value:.2f} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def table(clock, title):
    """Before, after and ratio of a clock, as lines."""
    rows = [(name.replace("_", " "), _shown(name, clock["before"][name]), _shown(name, clock["after"][name]),
             "-" if clock["ratio"][name] is None else f"{clock['ratio'][name]:.3f}")
            for name in clock["before"] if clock["before"][name] is not None or clock["after"][name] is not None]
    rows.insert(0, (title, "before", "after", "ratio"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [f"{row[0]:<{widths[0]}}  " + "  ".join(f"{row[i]:>{widths[i]}}" for i in (1, 2, 3)) for row in rows]


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


def special(capture, values, gpu, folder, before):
    """What --work-group and --readonly come to: another capture, changes for trace-change, other options, and what was done."""
    found = {"capture": capture, "changes": [], "values": {}, "named": [], "done": [], "not_simulated": [], "before": before}
    if values["--work-group"] is not None:
        found["capture"], done, unknown = work_groups.again(capture, work_groups.parse(values["--work-group"]), folder)
        found["named"].append(f"--work-group {values['--work-group']}")
        found["done"].append(done)
        found["not_simulated"].append(unknown)
    if values["--readonly"]:
        if before is None:
            found["before"], _ = simulate_fixed(capture, settings(values, gpu, False), folder / "plain.json")
        plan = readonly.plan(found["before"], values["--readonly"])
        found["named"] += [f"--readonly {name}" for name in values["--readonly"]]
        found["done"] += plan["done"]
        found["changes"] = plan["changes"]
        found["values"] = {"--set": [*values["--set"], *plan["set"]]}
    return found


def what_if(capture, words, before=None):
    """The comparison of docs/tools/what-if.md as a dictionary, and the exit status (0, or 3 where launches do not fit the GPU).

    `words`: changes and options as on the command line, such as ["--pad", "tile=+1", "--gpu", "h100"]; --json is not for here.
    `before`: the result.json (as a dictionary) that `warpscope` made of this capture with the same GPU; it is not simulated again.
    Raises InputError, or ToolFailed with status 2 or 3 for a change that does not fit; a tool has then said why on standard error.
    """
    return _compared(*parse([capture, *words]), before)


def _compared(capture, values, changes, before=None):
    if not is_capture(capture, "a capture"):
        raise InputError(f"{capture}: not a capture, expected one; warpscope and trace-kernel write captures")
    gpu = values["--gpu"] or toolchain.given_gpu() or DEFAULT_GPU
    if changes:
        toolchain.run("trace-change", *changes, "--check-options")
    with tempfile.TemporaryDirectory(prefix="warpscope-what-if.") as work:
        try:
            more = special(capture, values, gpu, pathlib.Path(work), before)
            changed, said = changed_capture(more["capture"], [*changes, *more["changes"]], values["--output"], pathlib.Path(work))
            comparison, status = compare((capture, changed), {**values, **more["values"]}, gpu, pathlib.Path(work), more["before"])
        finally:
            children.end_all()
    return {"schema": SCHEMA, "capture": pathlib.Path(capture).name, "gpu": gpu,
            "changes": [*more["named"], *(line for line in said["changes"] if not more["changes"] or line in _texts(changes))],
            "machine": machine_words(values), "done": [*more["done"], *(said["done"] if not more["changes"] else [])],
            "not_simulated": [*more["not_simulated"], *said["not_simulated"]], **comparison}, status


def run(words):
    """warpscope what-if: prints the comparison, returns the exit status."""
    capture, values, changes = parse(words)
    comparison, status = _compared(capture, values, changes)
    text = "\n".join(printable(line) for line in text_of(comparison))
    print(text, file=sys.stderr if values["--json"] == "-" else sys.stdout)
    if values["--json"] is not None:
        files.write_or_print(values["--json"], json.dumps(comparison, indent=1) + "\n")
    if noted := comparisons.note(capture, comparison):
        print(f"Added to {printable(str(noted))}", file=sys.stderr if values["--json"] == "-" else sys.stdout)
    return status


