"""Advice as text: everything that result.json has of it."""
from warpscope.base.errors import printable
from warpscope.result import machine
from warpscope.show.summary import advised, recompile


def _where(one):
    place = f"{one['file']}:{one['line']} " if one["line"] else ""
    kernel = f"{', '.join(one['kernels'])}: " if one["kernels"] else ""
    return f"{place}{kernel}{one['kind'] or 'launch'} {', '.join(one['buffers'])}".rstrip()


def _numbers(one):
    """What changes, one line for each clock."""
    for name in ("fixed", "timed"):
        clock = one[name]
        if not clock:
            continue
        moved = [f"{key.replace('_', ' ')} {clock['before'][key]:,} -> {clock['after'][key]:,}" for key in clock["before"]
                 if isinstance(clock["before"][key], int) and isinstance(clock["after"][key], int) and clock["before"][key] != clock["after"][key]]
        yield f"{name}: {', '.join(moved) or 'nothing moves'}"


def _given(number, one, dialect):
    yield f"{number}. {_where(one)}: {one['rule']}"
    yield f"   why: {one['condition']}"
    yield f"   simulated: {' '.join(one['change'])}: {advised.gain_text(one)}; range: {one['gain']['error']}"
    yield from (f"     {line}" for line in _numbers(one))
    yield f"   do: {one['remedy']}"
    if also := one.get("resolves"):
        yield f"   also for: {', '.join(_where({**place, 'kernels': []}) for place in also)}"
    yield f"   {dialect}: {one['opencl' if dialect == 'OpenCL' else 'cuda']}"
    yield from (f"   not simulated: {line}" for line in one["not_simulated"])


def _recompiled(result):
    """Findings whose remedy is no what-if, and how to try it."""
    found, _ = advised.of_result(result, machine.busy(result, result.get("timed")))
    return [f"  no what-if: {finding.access.where()} {finding.access.name()} of {', '.join(finding.kernels)}: {finding.rule}: {remedy}" for finding in found
            if not finding.advice and (remedy := recompile.text(result, finding))]


def lines(result):
    """The section of report.txt and --details; nothing for a result without advice."""
    advice = result.get("advice")
    if advice is None:
        return []
    text = ["Advice: remedies that were simulated"]
    for number, one in enumerate(advice["given"], 1):
        text += _given(number, one, machine.dialect(result))
    if not advice["given"]:
        text.append(f"  none: {advice['why_not'] or 'no remedy gains more than its error, or none is known'}")
    for name, title in (("no_gain", "tried, gains too little"), ("refused", "cannot be simulated"), ("not_tried", "not tried")):
        for one in advice[name]:
            why = f" ({one['why']})" if one.get("why") else ""
            text.append(f"  {title}: {_where(one)}: {one['rule']}: {' '.join(one['change'])}{why}")
    return [printable(line) for line in [*text, *_recompiled(result)]]
