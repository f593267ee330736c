"""Source accesses: the memory instructions of a result, with the copies that the compiler made of one source access in one row."""
import dataclasses

from warpscope.result import rates, results

_KIND = ("requests", "lanes", "transactions", "bypasses", "sectors", "wavefronts")


@dataclasses.dataclass
class Access:
    """One access of the source: same place, kind and buffers. Counts are sums over its `copies`, all launches and cores."""

    kernels: list
    kind: str                # load, store or atomic
    space: str
    buffers: list            # names, each once
    file: str
    line: int                # 0: not known
    column: int
    width: int               # bytes of one lane
    site: int                # number of the first copy, which names an access without a source line
    copies: int = 0
    sites: dict = dataclasses.field(default_factory=dict)  # kernel -> numbers of its copies
    requests: int = 0
    lanes: int = 0
    transactions: int = 0
    bypasses: int = 0
    sectors: int = 0
    wavefronts: int = 0      # cycles of the L1
    missed: int = 0          # misses and sector misses
    classes: dict = dataclasses.field(default_factory=dict)
    local: dict = dataclasses.field(default_factory=lambda: {"requests": 0, "lanes": 0, "wavefronts": 0, "conflicts": 0})
    constant: dict = dataclasses.field(default_factory=lambda: {"requests": 0, "lanes": 0, "wavefronts": 0, "conflicts": 0})

    def add(self, site):
        """Adds the counts of one memory instruction."""
        counts = site[site["kind"]]
        self.copies += 1
        for name in _KIND:
            setattr(self, name, getattr(self, name) + counts.get(name, 0))
        self.missed += rates.missed(counts)
        for name in results.CLASSES:
            self.classes[name] = self.classes.get(name, 0) + (site.get("miss_classes") or {}).get(name, 0)
        for memory in ("local", "constant"):
            own = getattr(self, memory)
            for name, count in site.get("outside_l1", {}).get(memory, {}).get(site["kind"], {}).items():
                own[name] = own.get(name, 0) + count

    @property
    def lanes_per_request(self):
        """Mean active lanes of a request to whatever memory; 0 without requests."""
        requests = self.requests + self.local["requests"] + self.constant["requests"]
        lanes = self.lanes + self.local["lanes"] + self.constant["lanes"]
        return rates.per_request(lanes, requests) or 0

    def where(self):
        """file:line, or the kernel and the number of the instruction."""
        return f"{self.file}:{self.line}" if self.line else f"{', '.join(self.kernels)}, instruction {self.site}"

    def name(self):
        """What it does in two words: load A. Several copies: load A (×4)."""
        return f"{self.kind} {', '.join(self.buffers) or self.space}" + (f" (×{self.copies})" if self.copies > 1 else "")


def key(site, names):
    """What copies of one source access have in common: place, kind and buffers; one without a place is alone."""
    place = site["locations"][0] if site["locations"] else None
    if place is None:
        return (site["kernel"], site["site"], site["kind"])
    return (site["source"], place["file"], place["line"], place["column"], site["kind"], tuple(names))


def of_result(result):
    """The accesses of a result that were executed, in order of their first instruction."""
    found = {}
    for site in result["sites"]:
        names = results.buffer_names(site)
        place = site["locations"][0] if site["locations"] else {"file": "", "line": 0, "column": 0}
        access = found.setdefault(key(site, names), Access([], site["kind"], site["space"], names, place["file"], place["line"],
                                                            place["column"], site["width"], site["site"]))
        if site["kernel"] not in access.kernels:
            access.kernels.append(site["kernel"])
        access.sites.setdefault(site["kernel"], []).append(site["site"])
        access.add(site)
    return [access for access in found.values() if access.lanes_per_request]


def ideal(access, unit_bytes):
    """Transactions of a request whose lanes read neighbouring elements from an aligned address: at least 1."""
    lanes = rates.per_request(access.lanes, access.requests) or 0
    return max(1, -(-lanes * max(access.width, 1) // unit_bytes))
