"""warpscope.judge(): `warpscope judge` for Python."""
from __future__ import annotations

import html
import json
import shlex
from typing import Any, Optional, Sequence, Union

from warpscope.api import tools
from warpscope.api.tools import Path
from warpscope.commands import judge as command
from warpscope.explore.judge import text
from warpscope.run.request import given


class Verdict:
    """What a candidate is worth. `report`: as the JSON of the command (docs/referee/judge.md)."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report

    @property
    def accepted(self) -> bool:
        """Whether the candidate does what the reference does, without faults, and is as fast as was asked for."""
        return bool(self.report["verdict"] == "accepted")

    @property
    def reasons(self) -> list[dict[str, Any]]:
        """Why it is refused: `code`, `text`, `size`, `values`, and what differs."""
        return list(self.report["reasons"])

    @property
    def cost(self) -> Optional[dict[str, Any]]:
        """Costs of both and the speedup; None of a refused candidate."""
        found: Optional[dict[str, Any]] = self.report["cost"]
        return found

    @property
    def json(self) -> str:
        """What the command writes with --json, byte by byte."""
        return json.dumps(self.report, indent=2, sort_keys=True) + "\n"

    @property
    def text(self) -> str:
        """What the command prints."""
        return "\n".join(text.lines(self.report))

    def __repr__(self) -> str:
        return f"<Verdict: {self.report['verdict']}{''.join(' ' + one['code'] for one in self.reasons[:1])}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def judge(candidate: Path, reference: Union[Path, str], *, gpu: Optional[Path] = None, at_least: Optional[float] = None, exact: bool = False,
          tolerance: Optional[float] = None, sizes: Optional[Sequence[str]] = None, seed: Optional[str] = None, cost: bool = True,
          candidate_options: Sequence[object] = (), options: Sequence[object] = ()) -> Verdict:
    """Whether a kernel computes what a reference does, and at what cost, as `warpscope judge` says it.

    `reference`: a kernel's file, or "FILE.py:FUNCTION". `at_least`: the speedup that has to be shown. `sizes`: of the launch file, "odd", "default".
    `seed` repeats a judgement. `candidate_options`, `options`: further options of trace-kernel, for the candidate alone and for both. Raises
    InputError, and ToolFailed with status 3 for what cannot be traced. Needs NumPy.
    """
    tools.needed("numpy", "a judgement")
    own = " ".join(shlex.quote(str(word)) for word in candidate_options)
    words = given(reference=reference, gpu=gpu, at_least=at_least, tolerance=tolerance, sizes=None if sizes is None else ",".join(sizes), seed=seed,
                  candidate_options=own or None)
    words += [*(["--exact"] if exact else []), *([] if cost else ["--no-cost"])]
    report, _ = command.judged(list(map(str, [tools.file_word(candidate), *words, *options])), lambda progress: None)
    return Verdict(report)
