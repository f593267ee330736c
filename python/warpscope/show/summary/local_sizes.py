"""Findings about the size of work-groups that the program left open: who chose it."""
import re

from warpscope.result import results

RULES = ("few-warps", "idle-cores", "uneven-work", "narrow-groups", "barriers", "divergence")  # and rows that a warp spans
MOST = 3  # sizes of one kernel that are named


def _open_sizes(result):
    """{kernel: sizes, as text} of launches whose local size the program left open."""
    found = {}
    for group in results.launch_groups(result):
        if group.get("open_local"):
            sizes = found.setdefault(group["kernel"], [])
            text = re.sub("(x1)+$", "", "x".join(map(str, group["local"])))
            if text not in sizes:
                sizes.append(text)
    return found


def _named(sizes):
    return ", ".join(sizes[:MOST]) + (f" and {len(sizes) - MOST} more" if len(sizes) > MOST else "")


def note_open_sizes(found, result):
    """Adds to each finding that rests on such a size who chose it; the program's text says nothing about it."""
    sizes = _open_sizes(result)
    if not sizes:
        return found
    by_pocl = result["context"].get("device_like") == "pocl"
    for finding in found:
        if finding.rule not in RULES and "make work-groups" not in finding.remedy:
            continue
        of = [size for kernel in finding.kernels or list(sizes) for size in sizes.get(kernel, [])]
        if of:
            chosen = f"PoCL chose {_named(of)}" if by_pocl else f"Warpscope chose {_named(of)}, as a GPU's driver would"
            finding.what += f"; the program left the local size open: {chosen}"
    return found
