"""The faults of a run: what trace-view finds in its capture, and what stopped trace-kernel."""
from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Sequence
from typing import Any

from warpscope.base import toolchain
from warpscope.base.errors import ToolFailed

FOUND = 4  # exit status of trace-view --faults
LEVELS = ("information", "warning", "error")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# What trace-kernel says about a kernel that it stopped, or a work-group that it could not record: (words, code, tool).
STOPPED = ((r"barrier in divergent flow", "divergent-barrier", "synccheck"),
           (r"does not go on", "deadlock", "synccheck"),
           (r"not aligned|misaligned", "misaligned", "memcheck"),
           (r"which was freed", "use-after-free", "memcheck"),
           (r"accesses \d+ bytes at |(load|store) of \d+ bytes: |faulted \(SIG|is outside|behind the end", "invalid-address", "memcheck"))
IN_CAPTURE = "recorded as buffer 0"  # what it says of accesses outside that the capture has
_PLACE = re.compile(r"([\w./+-]+\.(?:cl|cuh?|ptx|h|hpp|py)):(\d+)(?::(\d+))?")
_KERNEL = re.compile(r"kernel '?([\w$]+)'?")
_INFERRED = re.compile(r"inferred: (\w+): .* from its accesses")


def of_capture(capture: str | pathlib.Path, words: Sequence[str] = (), partial: bool = False) -> dict[str, Any]:
    """What trace-view --faults has of a capture, as in docs/tools/check.md. `words`: which launches."""
    status, found, messages = toolchain.attempt("trace-view", "--faults", "--json", *(["--partial"] if partial else []), *words, capture)
    if status not in (0, FOUND):
        raise ToolFailed(status if status > 0 else 1, messages.strip())
    report: dict[str, Any] = json.loads(found)
    return report


def of_messages(messages):
    """Faults in what trace-kernel says, a list of the same form, and the lines that are none but say why something was not recorded."""
    faults, other = [], []
    for line in (line.strip() for line in messages.splitlines()):
        kind = next(((code, tool) for words, code, tool in STOPPED if re.search(words, line)), None)
        if kind is None:
            if line.startswith(("trace-kernel: ", "warpscope: ")) and "inferred:" not in line:
                other.append(line)
            continue
        if IN_CAPTURE in line:
            continue
        place, kernel = _PLACE.search(line), _KERNEL.search(line)
        at = {"kind": "", "function": "", "file": place[1] if place else "", "line": int(place[2]) if place else 0,
              "column": int(place[3] or 0) if place else 0, "work_group": [], "work_item": []}
        if any((fault["code"], fault["accesses"][0]) == (kind[0], at) for fault in faults):
            continue  # said of the access and of the launch
        faults.append({"code": kind[0], "tool": kind[1], "level": "error", "kernel": kernel[1] if kernel else "", "accesses": [at], "object": "", "offset": 0,
                       "launch": 0, "count": 1, "cuda": False, "text": re.sub(r"^(trace-kernel|warpscope): ", "", line), "remedy": ""})
    return faults, other


def inferred(messages):
    """Arguments whose size trace-kernel took from their accesses, so that none of them can be out of bounds."""
    return list(dict.fromkeys(_INFERRED.findall(messages)))


def chosen(faults, tools):
    """Those of some tools, errors first."""
    return sorted((fault for fault in faults if fault["tool"] in tools), key=lambda fault: -LEVELS.index(fault["level"]))


def counts(faults):
    return {level: sum(fault["level"] == level for fault in faults) for level in reversed(LEVELS)}


def fails(faults, limit):
    """Whether one is of level `limit` or above; never where it is "never"."""
    return limit in LEVELS and any(LEVELS.index(fault["level"]) >= LEVELS.index(limit) for fault in faults)
