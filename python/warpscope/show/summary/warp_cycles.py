"""Where the cycles of warps go: what they did at which line of executed machine code, as the timed engine counts it."""
from __future__ import annotations

import collections
import dataclasses
from typing import Any, Iterator

LEAST, MOST = 0.05, 3  # share of all cycles that a place needs to be named; places


@dataclasses.dataclass(frozen=True)
class Place:
    where: str   # file:line; kernel+0xaddress where lines are not known
    share: float  # of the cycles of all warps
    reason: str  # what most of them went to


def _counted(result: dict[str, Any]) -> Iterator[tuple[str, dict[str, int]]]:
    """(place, what warps did there) of every instruction at which they were."""
    for code in result.get("instructions") or ():
        for row in code["instructions"]:
            if did := row.get("warp_stalls"):
                yield f"{row['file']}:{row['line']}" if row["line"] else f"{code['kernel']}+{row['address']:#x}", did


def places(result: dict[str, Any]) -> list[Place]:
    """Of all launches, in descending order of their cycles, then by name."""
    found: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for where, did in _counted(result):
        found[where].update(did)
    whole = sum(did.total() for did in found.values())
    each = [Place(where, did.total() / whole, max(sorted(did), key=did.__getitem__)) for where, did in found.items()]
    return sorted(each, key=lambda one: (-one.share, one.where))
