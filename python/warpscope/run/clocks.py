"""Which clocks a run takes: the fixed order always, cycle by cycle (timed) if that is little enough work or was asked for."""
import dataclasses
import json
import math
import os
import shutil
import subprocess

from warpscope.base import children, toolchain
from warpscope.base.errors import InputError
from warpscope.result import kernels, machine, results
from warpscope.run import budget, simulation

CLOCKS = ("auto", "fixed", "timed", "both")
SECONDS = 0.7e-6  # per unit of work, on one core of a server's processor: about twice the mean over the suite's kernels
HEAD_BYTES = 4096  # of a result, in which its context begins
TIMELINE = 3000  # cycles of one core that the page shows
NO_RATES = "the rates of AMD's GPUs were never measured; --clock both gives cycles that are no estimate"
LEAST_WAVES = 3  # of work-groups, simulated of a launch that is too much work: the hit rates of so many are what validation/truth compares


def check(request):
    """Raises InputError for options that exclude each other: cache, index, policy and repetitions are of the fixed order."""
    clock = request.clock
    if clock not in CLOCKS:
        raise InputError(f"--clock {clock}: expected one of {', '.join(CLOCKS)}")
    if clock in ("timed", "both") and (option := request.fixed.named()):
        raise InputError(f"--clock {clock}: {option} is an option of the fixed order, expected --clock fixed with it")


def work_of(counts, launches):
    """What is known of the timed engine's work before it runs, for `launches` launches with these counts together."""
    return budget.fixed_work(counts) + budget.OF_LAUNCH * launches


def _in_part(groups):
    """The launches that fit budget.TIMED: one of each group of launches that are alike, those with most work first."""
    chosen, left = [], budget.TIMED
    for group in sorted(groups, key=lambda group: (-work_of(group, group["count"]), group["first"])):
        one = work_of(group, group["count"]) / group["count"]
        if one <= left:
            chosen.append(group["first"])
            left -= one
    return sorted(chosen)


def _timed_groups(result):
    """The launches of kernels that the timed engine models."""
    untimed = {one["kernel"] for one in result["context"].get("not_timed") or []}
    return [group for group in results.launch_groups(result) if results.own_name(group) not in untimed]


def _first_waves(result, groups):
    """{"launch", "waves", "work_groups", "of"}: as many of the first waves of the launch with most work as fit budget.TIMED; None if
    they are fewer than LEAST_WAVES."""
    group = max(groups, key=lambda group: (work_of(group, group["count"]) / group["count"], -group["first"]))
    residency = (result["context"].get("schedule") or {}).get("residency") or []
    own = next((one for one in residency if one.get("launch") == group["first"]), residency[0] if len(residency) == 1 else None)
    if own is None or not group.get("global"):
        return None
    of = math.prod(-(-items // size) for items, size in zip(group["global"], group["local"]))
    wave = result["context"]["cores"] * own["work_groups"]
    waves = int(budget.TIMED / (work_of(group, group["count"]) / group["count"] * wave / of)) if wave else 0
    if waves < LEAST_WAVES:
        return None
    return {"launch": group["first"], "waves": waves, "work_groups": waves * wave, "of": of}


def plan(result, request):
    """What the timed engine does after the fixed order: {"launches": None (all), [numbers] or [], "waves": what _first_waves() gives
    where no launch fits, else None, "work": of all, "why": why not all, in a phrase; None if all}."""
    drawn = result["context"].get("sampled_launches")
    count = drawn["of"] if drawn else results.launch_count(result)
    work = work_of(result["total"], count)
    untimed = result["context"].get("not_timed") or []
    why = f"{results.not_timed(result)} not modelled" if untimed else None
    whole = {"launches": None, "waves": None, "of": count, "work": work, "why": why}
    if untimed and sum(one["count"] for one in untimed) >= results.launch_count(result):
        return {**whole, "launches": []}
    if request.clock in ("timed", "both"):
        return whole
    if request.clock == "fixed":
        return {**whole, "launches": [], "why": "--clock fixed"}
    if option := request.fixed.named():
        return {**whole, "launches": [], "why": f"{option} is of the fixed order"}
    if machine.is_amd(result):
        return {**whole, "launches": [], "why": NO_RATES}
    if request.no_timed:
        return {**whole, "launches": [], "why": request.no_timed}
    if (result["context"].get("sampled_cores") or {}).get("recorded"):
        return {**whole, "launches": [], "why": "only some cores were recorded, and it would place work-groups anew"}
    if work <= budget.TIMED or request.budget:
        return whole
    groups = _timed_groups(result)
    launches = _in_part(groups)
    return {**whole, "launches": launches, "waves": None if launches else _first_waves(result, groups),
            "why": f"work {budget.text_of(work)}, limit {budget.text_of(budget.TIMED)}"}


def settle(request):
    """Asks the timed engine about the options before anything is captured. One that was asked for must take them; else the fixed
    order is taken alone, and the request that is returned says why."""
    check(request)
    words = ["timed", "-", *request.gpu.words(), *request.chosen.words(), *budget.words(request.budget), "--check-options"]
    if request.clock in ("timed", "both"):
        toolchain.run("cachesim", *words)
    elif request.clock == "auto" and not request.fixed.named():
        done = children.run(toolchain.command("cachesim", *words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env=toolchain.environment())
        if done.returncode != 0:
            return dataclasses.replace(request, no_timed=(done.stderr.strip().splitlines() or ["it does not take the options"])[-1])
    return request


def _waves_of(timed):
    """As _first_waves(), of a timed result whose budget chose them; None where it chose others."""
    waves = timed["context"]["timed"].get("waves")
    if waves is None:
        return None
    launches = [one["launch"] for one in timed.get("launches") or []]
    return {"launch": launches[0] if len(launches) == 1 else None, **waves}


def _chosen(what, request):
    """The options of the timed engine that say what of the capture is simulated."""
    if what["waves"]:
        return ["--launch", str(what["waves"]["launch"]), "--waves", str(what["waves"]["waves"])]
    return request.chosen.words() if what["launches"] is None else ["--launch", ",".join(map(str, what["launches"]))]


def run_both(capture_file, request, result_file):
    """Simulates the fixed order, and then what else is planned; see run(). Returns the exit status of both."""
    if request.budget:
        status = simulation.simulate_in(budget.words(request.budget), capture_file, request, result_file)
    else:
        status = simulation.simulate(capture_file, request, result_file)
    return max(status, run(capture_file, request, result_file))


def simulate_timed(capture_file, request, chosen, result_file):
    """As simulation.simulate_timed(); under `auto` only as far as budget.MOST_INSTRUCTIONS. (exit status or None, why None)."""
    limit = budget.MOST_INSTRUCTIONS if request.clock == "auto" else None
    status = simulation.simulate_timed(capture_file, request, chosen, result_file, limit)
    return status, f"more than {budget.text_of(limit)} warp instructions; --clock both takes them" if status is None else None


def run(capture_file, request, result_file):
    """Runs the timed engine as planned, and appends its result and the plan to the result of the fixed order. Returns its exit status, 0 where
    it was left out."""
    result = results.load(result_file)
    what, status = plan(result, request), 0
    timed_file = result_file.with_name(f"{result_file.stem}-timed.json")
    if request.budget and what["launches"] is None:
        status = simulation.simulate_timed_in([*budget.words(request.budget), "--timeline", TIMELINE], capture_file, request, timed_file)
        drawn = results.load(timed_file)
        what["waves"] = _waves_of(drawn)
        what["why"] = f"--budget {request.budget}" if what["waves"] or budget.of_sample(drawn) else what["why"]
    elif what["launches"] != [] or what["waves"]:
        status, why = simulate_timed(capture_file, request, [*_chosen(what, request), "--timeline", TIMELINE], timed_file)
        if status is None:
            what, status = {**what, "launches": [], "waves": None, "why": why}, 0
    timed = results.load(timed_file) if timed_file.exists() else None
    count = results.launch_count(timed) if timed and not what["waves"] else 0
    clocks = {"asked": request.clock, "timed_launches": count, "launches": what["of"], "waves": what["waves"],
              "timed_seconds_estimated": round(SECONDS * what["work"], 3), "why": what["why"],
              "default_gpu": request.gpu.is_default}
    append(result_file, {"clocks": clocks, "kernels": kernels.of_groups(result, timed if count else None)}, timed_file if timed else None)
    timed_file.unlink(missing_ok=True)
    return status


def work_in_context(result, request, limit, used):
    """`work` of a result's context: what each part was allowed, and has simulated. `limit` and `used`: of advice."""
    return {"fixed": budget.fixed_work(result["total"]), "timed": budget.timed_work(result.get("timed")),
            "timed_limit": budget.TIMED if request.clock == "auto" and not request.budget else None,
            "advice": used, "advice_limit": limit}


def put_in_context(result_file, more):
    """Adds keys to `context`, with which a result begins."""
    part, key = result_file.with_name(f"{result_file.name}.part"), b'"context": {'
    with open(result_file, "rb") as old, open(part, "wb") as new:
        before, _, after = old.read(HEAD_BYTES).partition(key)
        new.write(before + key + "".join(f'\n  "{name}": {json.dumps(value)},' for name, value in more.items()).encode() + after)
        shutil.copyfileobj(old, new)
    os.replace(part, result_file)


def append(result_file, more, timed_file):
    """Appends the keys of `more`, and the timed result as `timed`, to the other result, as text: results may be larger than memory."""
    with open(result_file, "r+b") as fixed:
        start = fixed.seek(-min(64, fixed.seek(0, os.SEEK_END)), os.SEEK_END)
        end = fixed.read().rstrip()
        if not end.endswith(b"}"):
            raise InputError(f"{result_file}: does not end as a result does, expected {results.EXPECTED}")
        fixed.seek(start + len(end[:-1].rstrip()))
        fixed.truncate()
        for key, value in more.items():
            text = json.dumps(value)
            if isinstance(value, list) and value:
                text = "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
            fixed.write(f',\n "{key}": {text}'.encode())
        if timed_file is not None:
            fixed.write(b',\n "timed": ')
            with open(timed_file, "rb") as timed:
                shutil.copyfileobj(timed, fixed)
        fixed.write(b"\n}\n")
