"""Why a candidate, or its reference, is refused: entries of the JSON's `reasons`."""
from __future__ import annotations

from typing import Any, Mapping

from warpscope.explore.faults import text as fault_words
from warpscope.explore.judge.compare import Difference


class Refused(Exception):
    """The candidate is refused, or the reference is. `reason`: as in the JSON."""

    def __init__(self, found: dict[str, Any]) -> None:
        super().__init__(found["text"])
        self.reason = found


def reason(code: str, text: str, size: str = "", values: str = "", **more: Any) -> dict[str, Any]:
    """`code`: stable, for programs; `size`, `values`: where it was found; `more`: `faults` or `element`."""
    return {"code": code, "text": text, "size": size, "values": values, **more}


def fault_text(fault: Mapping[str, Any]) -> str:
    """A fault (docs/tools/check.md) in a line."""
    if not fault["accesses"]:
        return str(fault["text"])
    return str(fault_words.lines(dict(fault))[0].partition("] ")[2])


def of_fault(fault: dict[str, Any], size: str, values: str) -> dict[str, Any]:
    return reason(fault["code"], fault_text(fault), size, values, faults=[fault])


def blamed(found: dict[str, Any]) -> dict[str, Any]:
    """The same of the reference."""
    return {**found, "code": f"reference-{found['code'].removeprefix('reference-')}", "text": f"the reference: {found['text'].removeprefix('the reference: ')}"}


def number(value: float) -> str:
    return f"{value:.9g}"


def _element(name: str, found: Difference) -> dict[str, Any]:
    return {"buffer": name, "index": found.index, "got": number(found.got), "expected": number(found.expected), "ulps": found.ulps,
            "differ": found.count, "of": found.of}


def of_difference(name: str, is_output: bool, found: Difference, size: str, values: str) -> dict[str, Any]:
    """A buffer that is not as the reference leaves it."""
    many = f"; {found.count:,} of {found.of:,} differ" if found.count > 1 else ""
    place = f"{name}[{found.index}]"
    if found.unwritten:
        code, text = "not-written", f"{place} is not written{many}"
    elif not is_output:
        code, text = "input-changed", f"{place} is an input of the reference, and is changed to {number(found.got)} from {number(found.expected)}{many}"
    else:
        ulps = f", {found.ulps:,} units in the last place off" if found.ulps is not None else ""
        code, text = "wrong-value", f"{place} is {number(found.got)}, expected {number(found.expected)}{ulps}{many}"
    return reason(code, text, size, values, element=_element(name, found))


def of_order(name: str, how: str, found: Difference, size: str, values: str) -> dict[str, Any]:
    """A number that is another one in another order than first to last, which `how` names."""
    text = f"{name}[{found.index}] is {number(found.got)} if {how}, and {number(found.expected)} from the first one to the last"
    return reason("order-dependent", text, size, values, element=_element(name, found))
