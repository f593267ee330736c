"""What a judgement says, as it comes together: reasons, faults, what was compared, costs."""
from __future__ import annotations

import dataclasses
import pathlib
from typing import Any, Mapping, Optional, Sequence

from warpscope.explore.faults import find
from warpscope.explore.judge import reasons
from warpscope.explore.judge.setting import Wishes

VERSION = 1


class Report:
    """The parts of the JSON. `left_out`: what could not be judged; `cost`: None until it is known."""

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self.reasons: list[dict[str, Any]] = []
        self.compared: list[dict[str, Any]] = []
        self.left_out: list[str] = []
        self.cost: Optional[dict[str, Any]] = None
        self._faults: list[dict[str, Any]] = []
        self._checked = {"launches": 0, "work_groups": 0, "accesses": 0}
        self._sizes: dict[str, dict[str, Any]] = {}
        self._terms = 1.0

    def describe(self, size: dict[str, Any], terms: float) -> None:
        """A size that is judged, as in the JSON; `terms`: numbers that one output is made of there."""
        self._sizes[size["name"]] = size
        self._terms = max(self._terms, terms)

    def check(self, capture: pathlib.Path, said: Sequence[Mapping[str, Any]], size: str, values: str) -> None:
        """Adds what is wrong in a capture of the candidate. `said`: the same of trace-kernel's messages."""
        found = find.of_capture(capture)
        for name in self._checked:
            self._checked[name] += found["checked"][name]
        for fault in [*(dict(one) for one in said), *found["faults"]]:
            if any(_same(fault, other) for other in self._faults):
                continue
            self._faults.append(fault)
            if fault["level"] == "error":
                self.reasons.append(reasons.of_fault(fault, size, values))

    def fault(self, code: str) -> Optional[dict[str, Any]]:
        """The first fault of this code that was found, of any level; None."""
        return next((fault for fault in self._faults if fault["code"] == code), None)

    def demand(self) -> None:
        """Adds a reason if the speedup that was asked for is not shown."""
        least = self._wishes.at_least
        if least is None or self.reasons:
            return
        shown = (self.cost or {}).get("speedup")
        if shown is None:
            self.reasons.append(reasons.reason("not-shown-faster", f"at least {least:g} times as fast was asked for, and there are no cycles to compare"))
        elif shown["why"]:
            self.reasons.append(reasons.reason("not-shown-faster", f"{shown['ratio']:.2f} times as fast, but {shown['why']}", (self.cost or {})["size"]))
        elif shown["least"] < least:
            text = f"{shown['ratio']:.2f} times as fast, {shown['least']:.2f} to {shown['most']:.2f} with our error; the lower end has to be {least:g}"
            self.reasons.append(reasons.reason("not-shown-faster", text, (self.cost or {})["size"]))

    def whole(self) -> dict[str, Any]:
        """The JSON, without what the command knows of files and versions."""
        self.demand()
        return {"version": VERSION, "verdict": "refused" if self.reasons else "accepted", "reasons": self.reasons, "seed": self._wishes.seed,
                "sizes": list(self._sizes.values()), "values": list(dict.fromkeys(one["values"] for one in self.compared)), "compared": self.compared,
                "left_out": self.left_out, "tolerance": dataclasses.replace(self._wishes.rule, terms=self._terms).text(),
                "checked": self._checked, "faults": self._faults, "cost": self.cost}


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two faults are one, found twice."""
    def place(fault: Mapping[str, Any]) -> tuple[Any, ...]:
        return fault["code"], fault["object"], [(access["file"], access["line"], access["column"]) for access in fault["accesses"]]
    return place(one) == place(other)
