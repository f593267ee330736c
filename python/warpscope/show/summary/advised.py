"""Findings with what simulated remedies gain: advice first, the largest gain first; then what only costs.

A finding whose remedies were all simulated and gain too little is not shown: the simulation says that it is not worth it. One that costs
over a fifth of the cycles, more than the best advice saves, comes first even without a remedy.
"""
import dataclasses

from warpscope.result import accesses, outside
from warpscope.run import budget
from warpscope.show.summary import find
from warpscope.show.summary.finding import Finding, order

BEYOND_L2 = 0.1  # part by which a gain differs where data do not stay in the L2, from which on that is told
LARGE = 0.2  # share of the cycles above which a finding without advice may come first
_BOUND = ("idle-cores", "few-warps")  # which "Bound by" says already


def _key(finding):
    access = finding.access
    place = (access.kind, access.file, access.line, access.column, tuple(access.buffers)) if access else (None,) * 4 + ((),)
    return (finding.rule, tuple(finding.kernels), *place)


def _advice_key(advice):
    return (advice["finding"], tuple(advice.get("kernels") or ()), advice["kind"], advice["file"], advice["line"], advice["column"], tuple(advice["buffers"]))


def _observed(result, observed):
    """The Finding of an observation that only a sample of the capture shows."""
    access = next((one for one in accesses.of_result(result) if (one.kernels, one.kind, one.file, one.line, one.column, one.buffers) ==
                   tuple(observed[name] for name in ("kernels", "kind", "file", "line", "column", "buffers"))), None)
    return Finding(observed["rule"], observed["what"], observed["grade"], observed.get("extra") or {}, observed["amount"], access, observed["remedy"],
                   share=observed["share"], kernel=(observed["kernels"] or [""])[0])


def _replaced_key(observed):
    """The key of the finding that an observation makes more precise."""
    return (observed["replaces"], *_advice_key({**observed, "finding": None})[1:])


def _with_observations(found, result, advice):
    """The findings and the observations, by cost; those that an observation makes more precise are left out, and observations of what
    has an advice."""
    given = {_advice_key(one) for one in advice["given"]}
    wrong = outside.places(result)
    seen = [one for one in advice.get("observed", []) if _replaced_key(one) not in given and
            not any((place.file, place.line) == (one["file"], one["line"]) for place in wrong)]
    replaced = {_replaced_key(one) for one in seen}
    every = [finding for finding in found if _key(finding) not in replaced] + [_observed(result, one) for one in seen]
    return sorted(every, key=lambda finding: order(finding, finding.share or 0))


def _with_advice(finding, advice, by_key):
    also = [by_key[key] for place in advice.get("resolves", []) if (key := _advice_key(place)) in by_key]
    what = f"{advice['title']}: {finding.what.split(': ', 1)[-1]}" if advice["title"] else finding.what
    return dataclasses.replace(finding, what=what, remedy=advice["remedy"], gain=advice["gain"]["whole"], advice=advice, also=also,
                               what_if=change_text(advice) + ("" if advice["launches"] == "all" else f" --launch {advice['launches']}"))


def of_result(result, used, limit=find.MOST):
    """As find.findings(), with the result's `advice` if it has one."""
    advice = result.get("advice")
    if not advice or advice["why_not"]:
        return find.findings(result, used, limit)
    found, largest = find.findings(result, used, None)
    found = _with_observations(found, result, advice)
    given = {_advice_key(one): one for one in advice["given"]}
    by_key = {_key(finding): finding.access for finding in found if finding.access}
    advised = [_with_advice(finding, given[_key(finding)], by_key) for finding in found if _key(finding) in given]
    advised.sort(key=lambda finding: -finding.gain)
    done = {_advice_key(one) for one in advice["no_gain"]} - {_advice_key(one) for one in advice["not_tried"]}
    resolved = {_advice_key(place) for one in advice["given"] for place in one.get("resolves", [])}
    settled = {key for key in done if key[0] not in _BOUND} | set(given) | resolved  # against _BOUND more work-items help, which is no what-if
    others = find.folded([finding for finding in found if _key(finding) not in settled], result, used)
    saved = 1 - 1 / advised[0].gain if advised else 0.0
    large = [finding for finding in others if advised and (finding.share or 0) > max(LARGE, saved) and finding.rule not in _BOUND]
    first = sorted(large, key=lambda finding: -finding.share)[:1]
    return [*first, *advised, *(finding for finding in others if finding not in first)][:limit], largest


def untried_line(result):
    """What was not tried, in a line; empty if everything was, or nothing was to be."""
    advice = result.get("advice") or {}
    if advice.get("why_not"):
        return f"No advice: {advice['why_not']}"
    left = list(dict.fromkeys(" ".join(one["change"]) for one in advice.get("not_tried", [])))
    return f"Not tried with {budget.text_of(advice['budget'])} of work (--advice-budget): {', '.join(left)}" if left else ""


def change_text(advice):
    return " ".join(advice["change"])


def gain_text(advice):
    """What an advice gains, in a phrase."""
    gain = advice["gain"]
    by = "" if gain["measure"] == "cycles" else f" fewer {gain['measure'].replace('_', ' ')}"
    as_fast = " as fast" if gain["measure"] == "cycles" else ""
    alone = ", the kernel alone" if gain["whole"] < gain["factor"] * 0.99 else ""
    beyond = gain.get("beyond_l2")
    large = f"; {beyond:.2f} if its data do not stay in the L2" if beyond and abs(gain["whole"] / beyond - 1) > BEYOND_L2 else ""
    return f"{gain['factor']:.2f} ×{by or as_fast} ({gain['least']:.2f} to {gain['most']:.2f}{large}){alone}"


