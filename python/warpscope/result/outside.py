"""Accesses outside every buffer: a fault of the kernel or of the sizes that it was given, which is shown before all numbers."""
import dataclasses

KINDS = ("load", "store", "atomic")


@dataclasses.dataclass
class Place:
    """One access of the source, some of whose lanes were outside."""

    kernel: str
    kind: str     # load, store or atomic
    file: str
    line: int     # 0: not known
    site: int     # number of the instruction
    lanes: int    # outside
    of: int       # all lanes

    def where(self):
        return f"{self.file}:{self.line}" if self.line else f"{self.kernel}, instruction {self.site}"


def _lanes(site, kind):
    elsewhere = sum(part.get(kind, {}).get("lanes", 0) for part in site.get("outside_l1", {}).values())
    return site[kind].get("lanes", 0) + elsewhere


def places(result):
    """The Places, those with most lanes outside first."""
    found = {}
    for site in result.get("sites") or ():
        kind = site["kind"]
        if kind not in KINDS:
            continue
        at = site["locations"][0] if site["locations"] else {"file": "", "line": 0}
        key = (kind, at["file"], at["line"]) if at["line"] else (site["kernel"], kind, site["site"])
        place = found.setdefault(key, Place(site["kernel"], kind, at["file"], at["line"], site["site"], 0, 0))
        place.lanes += site.get("outside_l1", {}).get("no_object", {}).get(kind, {}).get("lanes", 0)
        place.of += _lanes(site, kind)
    return sorted((place for place in found.values() if place.lanes), key=lambda place: -place.lanes)


def line(result):
    """What a reader must know before everything else; empty if all accesses are in buffers."""
    found = places(result)
    if not found:
        return ""
    first = found[0]
    others = len(found) - 1
    more = f"; {others:,} more such line{'s' if others > 1 else ''}" if others else ""
    return f"OUTSIDE EVERY BUFFER: {first.lanes:,} of {first.of:,} {first.kind}s at {first.where()}{more}"


def holds(found, access):
    """Whether a source access (accesses.Access) is one of these places."""
    return any((place.kind, place.file, place.line) == (access.kind, access.file, access.line) and
               (place.line or place.site == access.site) for place in found)
