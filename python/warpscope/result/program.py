"""Which program ran: machine code of NVIDIA's compilers, or what Warpscope's clang made of the source."""
from __future__ import annotations

import re
from typing import Any

BY_CLANG = "compiled by Warpscope's clang"
OWN_COUNT = "live values"  # KernelInfo's registers_from where Warpscope itself counted them
_VERSION = re.compile(r" \d+(\.\d+)*(?=,|$)")


def residency(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the launches; without what is of no compiler, as text streams and captures of other tools are."""
    listed = (result["context"].get("schedule") or {}).get("residency") or []
    return [one for one in listed if one.get("machine_code") or one.get("registers")]


def machine_code(result: dict[str, Any]) -> list[str]:
    """Who made the machine code that was executed, each once; empty without any."""
    return list(dict.fromkeys(one["machine_code"] for one in residency(result) if one.get("machine_code")))


def order_dependent(result: dict[str, Any]) -> list[str]:
    """A line if launches of machine code may do something else in another run: what the first of them depends on."""
    listed = (result["context"].get("schedule") or {}).get("order_dependent") or []
    if not listed:
        return []
    more = f"; so may {len(listed) - 1} more launches" if len(listed) > 1 else ""
    return [f"order-dependent: {listed[0]['text']}{more}"]


def lines(result: dict[str, Any]) -> list[str]:
    """For the head of a report: a line, and another where runs may differ; nothing where the result does not say it."""
    listed = residency(result)
    made_by = machine_code(result)
    if made_by:
        return [f"machine code: {'; '.join(made_by)}", *order_dependent(result)]
    counted_by = list(dict.fromkeys(one["registers_from"].partition(";")[0] for one in listed if one.get("registers_from", OWN_COUNT) != OWN_COUNT))
    if not listed:
        return []
    if not counted_by or len({one.get("registers_from") == OWN_COUNT for one in listed}) > 1:
        stand_ins = list(dict.fromkeys(one["registers_as"] for one in listed if one.get("registers_as")))
        return [f"{BY_CLANG}: instructions and registers are estimates{f', registers as if for {stand_ins[0]}' if stand_ins else ''}"]
    return [f"{BY_CLANG}: instructions are estimates; registers: {'; '.join(counted_by)}"]


def front_end(result: dict[str, Any]) -> str:
    """What two results must have in common to be of one program: machine code for one architecture, by compilers of any version. "" where the
    result does not say it."""
    made_by = [_VERSION.sub("", one.replace(", with -lineinfo", "")) for one in machine_code(result)]
    if made_by:
        return f"machine code: {'; '.join(dict.fromkeys(made_by))}"
    return BY_CLANG if residency(result) else ""
