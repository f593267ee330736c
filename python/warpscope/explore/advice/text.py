"""Advice as text: everything that result.json has of it."""
from warpscope.base.errors import printable
from warpscope.result import machine
from warpscope.show.summary import advised, recompile


def _where(told):
    place = f"{told['file']}:{told['line']} " if told["line"] else ""
    return f"{place}{told['kind'] or 'launch'} {', '.join(told['buffers'])}".rstrip()


def _numbers(told):
    """What changes, one line for each clock."""
    for name in ("fixed", "timed"):
        clock = told[name]
        if not clock:
            continue
        moved = [f"{key.replace('_', ' ')} {clock['before'][key]:,} -> {clock['after'][key]:,}" for key in clock["before"]
                 if isinstance(clock["before"][key], int) and isinstance(clock["after"][key], int) and clock["before"][key] != clock["after"][key]]
        yield f"{name}: {', '.join(moved) or 'nothing moves'}"


def _given(number, told, dialect):
    yield f"{number}. {_where(told)}: {told['rule']}"
    yield f"   why: {told['condition']}"
    yield f"   simulated: {' '.join(told['change'])}: {advised.gain_text(told)}; range: {told['gain']['error']}"
    yield from (f"     {line}" for line in _numbers(told))
    yield f"   do: {told['remedy']}"
    yield f"   OpenCL: {told['opencl']}"
    yield f"   {dialect}: {told['cuda']}"
    yield f"   hardware: {told['hardware']}; concept: {told['page']}"
    yield from (f"   not simulated: {line}" for line in told["not_simulated"])


def _recompiled(result):
    """Findings whose remedy is no what-if, and how to try it."""
    found, _ = advised.of_result(result, machine.busy(result, result.get("timed")))
    return [f"  no what-if: {finding.access.where()} {finding.access.name()}: {finding.rule}: {told}" for finding in found
            if not finding.advice and (told := recompile.text(result, finding))]


def lines(result):
    """The section of report.txt and --details; nothing for a result without advice."""
    told = result.get("advice")
    if told is None:
        return []
    text = ["Advice: remedies that were simulated"]
    for number, one in enumerate(told["given"], 1):
        text += _given(number, one, "HIP" if machine.is_amd(result) else "CUDA")
    if not told["given"]:
        text.append(f"  none: {told['why_not'] or 'no remedy gains more than its error, or none is known'}")
    for name, title in (("no_gain", "tried, gains too little"), ("refused", "cannot be simulated"), ("not_tried", "not tried")):
        for one in told[name]:
            why = f" ({one['why']})" if one.get("why") else ""
            text.append(f"  {title}: {_where(one)}: {one['rule']}: {' '.join(one['change'])}{why}")
    return [printable(line) for line in [*text, *_recompiled(result)]]
