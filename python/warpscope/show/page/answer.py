"""The summary's findings in the form that the page shows."""
from typing import NotRequired, TypedDict

from warpscope.base.errors import printable
from warpscope.result import machine
from warpscope.show.summary import advised, bound, exact, layout, rate_lines, words


class Finding(TypedDict):
    title: str
    line: NotRequired[int | None]
    source: NotRequired[str | None]
    buffer: NotRequired[str | None]
    cause: NotRequired[str | None]
    cost: NotRequired[str | None]
    gain: NotRequired[str | None]
    grade: NotRequired[str | None]
    advice: NotRequired[str | None]


def _advice(finding, dialect):
    advice = finding.advice
    if advice is None:
        return finding.remedy
    return (f"{advice['remedy']}. {dialect}: {advice['opencl' if dialect == 'OpenCL' else 'cuda']}. "
            f"Simulated with {finding.what_if}.")


def _shown(finding, cycles, dialect, several):
    access = finding.access
    cost = finding.amount
    if finding.share is not None:
        cost += f"{'; ' if cost else ''}{layout.share_text(finding.share, cycles)}"
    return {"title": printable(words.title(finding, several) + words.also_text(finding)), "line": access.line if access and access.line else None,
            "source": printable(access.file) if access else None, "buffer": printable(", ".join(access.buffers)) if access else None,
            "cost": printable(cost), "gain": advised.gain_text(finding.advice) if finding.advice else None, "grade": finding.grade,
            "advice": printable(_advice(finding, dialect))}


def _facts(result, found, several):
    """What addresses alone say of the accesses that no finding is about."""
    for fact in exact.untold(result, found):
        access = fact.access
        yield {"title": printable(f"{words.access_text(access, several)}{fact.kind}: {fact.what}"), "line": access.line or None,
               "source": printable(access.file), "buffer": printable(", ".join(access.buffers)), "cost": "not among what costs most", "gain": None,
               "grade": "exact", "advice": ""}


def of_result(result):
    """{"findings": …, "bound": lines about what the launches are bound by}, for page.write()."""
    timed = result.get("timed")
    used = machine.busy(result, timed)
    found, _ = advised.of_result(result, used)
    several = words.has_several_kernels(result)
    dialect = machine.dialect(result)
    return {"findings": [*(_shown(finding, rate_lines.cycles(timed), dialect, several) for finding in found), *_facts(result, found, several)],
            "bound": [printable(line.strip()) for line in bound.lines(result, used)]}
