"""Spilled registers that NVIDIA's compiler reported when the capture was made (trace-kernel --registers): their accesses are not in it."""
from __future__ import annotations

import re
from typing import Any, NamedTuple, Optional

# registers_from of traces/FORMAT.md: "nvcc 13.0, sm_90; 12 registers spilled (mm.cu:31)".
_SPILLED = re.compile(r"(?P<compiler>[^;]*); (?P<registers>\d+) registers spilled(?: \((?P<file>.*):(?P<line>\d+)\))?")


class Spilled(NamedTuple):
    """Of a work-item; `line` is the one with most of the accesses, 0 where it is not known."""

    registers: int
    compiler: str
    file: str
    line: int


def of_text(registers_from: str) -> Optional[Spilled]:
    found = _SPILLED.fullmatch(registers_from)
    return Spilled(int(found["registers"]), found["compiler"], found["file"] or "", int(found["line"] or 0)) if found else None


def most(result: dict[str, Any]) -> Optional[Spilled]:
    """Of the launch whose kernel spills most; None without spills, or where nobody asked the compiler."""
    residency = (result["context"].get("schedule") or {}).get("residency") or []
    found = [one for row in residency if (one := of_text(row.get("registers_from", "")))]
    return max(found, key=lambda one: one.registers, default=None)
