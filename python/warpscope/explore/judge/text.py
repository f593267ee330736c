"""A verdict for people: what was found first, then what was looked at, then what it costs."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from warpscope.base.errors import printable
from warpscope.explore.judge import costs

MOST = 3  # reasons of a code that are shown


def _where(reason: Mapping[str, Any]) -> str:
    parts = [f"size {reason['size']}" if reason["size"] else "", f"values {reason['values']}" if reason["values"] else ""]
    return ", ".join(part for part in parts if part)


def _reasons(report: Mapping[str, Any]) -> list[str]:
    lines = []
    for reason in report["reasons"][:MOST]:
        where = _where(reason)
        lines.append(f"  {reason['code']}: {printable(reason['text'])}" + (f" ({where})" if where else ""))
    if len(report["reasons"]) > MOST:
        lines.append(f"  and {len(report['reasons']) - MOST} more, with --json")
    return lines


def _number(value: Optional[float], unit: str = "") -> str:
    return "-" if value is None else f"{value:,}{unit}"


def _rate(cost: Mapping[str, Any]) -> str:
    rate = cost["hit_rate"]
    if rate["percent"] is None:
        return "-"
    return f"{rate['percent']:.1f} %" + (f" ±{rate['error_points']:.1f}" if rate["error_points"] is not None else "")


def _costs(cost: Mapping[str, Any]) -> list[str]:
    sides = [side for side in ("candidate", "reference") if cost[side]]
    rows = [("", *sides)]
    for name, words in (("requests", "requests"), ("sectors", "sectors"), ("wavefronts", "wavefronts of the L1"), ("local_wavefronts", "wavefronts of local memory"),
                        ("l2_read_sectors", "sectors from the L2"), ("warp_instructions", "instructions of warps"), ("cycles", "cycles")):
        if any(cost[side][name] for side in sides):
            rows.append((words, *(_number(cost[side][name]) for side in sides)))
    rows.append(("hit rate", *(_rate(cost[side]) for side in sides)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [f"  costs on {cost['gpu']}, size {cost['size']}:"]
    lines += ["    " + "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip() for row in rows]
    if (bound := cost["bound"]) and cost["candidate"]["cycles"]:
        lines.append(f"    bound {bound['cycles']:,} cycles (by {bound['by']}): the candidate takes {cost['candidate']['cycles'] / max(bound['cycles'], 1):.2f} times that")
    return lines + _speedup(cost["speedup"])


def _speedup(found: Optional[Mapping[str, Any]]) -> list[str]:
    if not found:
        return []
    if found["why"]:
        return [f"  {costs.CANNOT}: {found['ratio']:.2f} times as fast, but {found['why']}"]
    interval = f"{found['least']:.2f} to {found['most']:.2f} in 90 % of {found['class']}"
    if found["says"] == costs.CANNOT:
        return [f"  {costs.CANNOT}: {found['ratio']:.2f} times as fast, {interval}"]
    return [f"  {found['says']}: {found['ratio']:.2f} times as fast, {interval}"]


def lines(report: Mapping[str, Any]) -> list[str]:
    """The report, line by line."""
    sizes = ", ".join(one["name"] + (f" ({'x'.join(str(part) for part in one['global'] if part > 1) or '1'})" if one["global"] else "") for one in report["sizes"])
    outputs = sorted({name for one in report["sizes"] for name in one["outputs"]})
    checked = report["checked"]
    found = [f"{report['verdict']}: {printable(report['candidate']['file'])}, reference {printable(report['reference']['file'])}", *_reasons(report)]
    if report["compared"]:
        found.append(f"  compared {', '.join(map(printable, outputs))}: sizes {sizes}; values {', '.join(report['values'])}; seed {report['seed']}")
        found.append(f"  {report['tolerance']}")
        found.append(f"  checked {checked['accesses']:,} accesses of {checked['work_groups']:,} work-groups in {checked['launches']} launches")
    found += [f"  not judged: {printable(one)}" for one in report["left_out"]]
    found += [f"  {fault['level']}[{fault['code']}] {printable(str(fault['text']))}" for fault in report["faults"] if fault["level"] == "warning"]
    if report["cost"]:
        found += _costs(report["cost"])
    return found
