"""The summary's findings in the form that the page shows."""
from warpscope.errors import printable
from warpscope.summary import bound, find, machine


def _shown(finding, cycles):
    access = finding.access
    cost = finding.amount
    if finding.share is not None and cycles:
        cost += f"{'; ' if cost else ''}about {finding.share * cycles:,.0f} of {cycles:,} cycles ({100 * finding.share:.0f} %)"
    name = f"{access.name()}: " if access else ""
    return {"title": printable(f"{name}{finding.what}"), "line": access.line if access and access.line else None,
            "source": printable(access.file) if access else None, "buffer": printable(", ".join(access.buffers)) if access else None,
            "cost": printable(cost), "gain": f"{finding.gain:.2f} × as fast" if finding.gain else None, "grade": finding.grade,
            "advice": printable(finding.remedy)}


def of_result(result):
    """{"findings": …, "bound": lines about what the launches are bound by}, for page.write()."""
    timed = result.get("timed")
    used = machine.busy(result, timed)
    found, _ = find.findings(result, used)
    return {"findings": [_shown(finding, used.cycles if used else None) for finding in found],
            "bound": [printable(line.strip()) for line in bound.lines(result, used)]}
