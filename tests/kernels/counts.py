"""Counts of executed accesses: what Oclgrind lists, and what a capture holds, in one form."""
import collections
import re

COUNT = re.compile(r"^\s*(\d+) - (?:(load|store) (\w+) \((\d+) bytes\)|call _Z\d+(atom|barrier)(\w*)\(\))$")
IN_STEP = re.compile(r"^\s*(\d+) - call __warpscope_warp_lockstep\(\)$")  # each is a barrier of ours, not of the kernel's
SPACES = {"1": "global", "3": "local"}


def interpreted(text):
    """(kind, space) -> [executions, bytes] from Oclgrind's list; bytes of atomics are not listed."""
    counts = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        if in_step := IN_STEP.match(line):
            counts["barrier", ""][0] -= int(in_step[1])
        match = COUNT.match(line)
        if not match:
            continue
        number, kind, space, size, function, signature = match.groups()
        if function == "atom":
            kind, space = "atomic", SPACES[re.search(r"PU3AS(\d)", signature)[1]]
        elif function == "barrier":
            kind, space = "barrier", ""
        counts[kind, space][0] += int(number)
        counts[kind, space][1] += int(size or 0)
    return {key: value for key, value in counts.items() if value[0]}


def recorded(launch):
    """The same of a capture."""
    counts = collections.defaultdict(lambda: [0, 0])
    for site in launch["sites"]:
        has_bytes = site["kind"] in ("load", "store")
        space = site["space"] if has_bytes or site["kind"] == "atomic" else ""
        counts[site["kind"], space][0] += site["executions"]
        counts[site["kind"], space][1] += site["executions"] * site["width"] * has_bytes
    return {key: value for key, value in counts.items() if value[0]}
