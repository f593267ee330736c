"""Source accesses: the memory instructions of a result, with the copies that the compiler made of one source access in one row."""
import collections
import dataclasses

from warpscope.result import rates, results

_BY_PARTS = {"g80": (16, 16, 16), "gt200": (16, 16, 16), "gcn": (16, 4, 4)}  # of a coalescing rule: lanes whose lines are found together
_TAGS_BY_PARTS = {"maxwell": (8, 4, 2)}  # and whose tags are looked up in a wavefront, of up to 4, 8 and 16 bytes; others: all lanes
_KIND = ("requests", "lanes", "transactions", "bypasses", "sectors", "wavefronts")


@dataclasses.dataclass
class Access:
    """One access of a kernel's source: same place, kind and buffers. Counts are sums over its `copies`, all launches and cores."""

    kernels: list            # the one kernel that it is of
    kind: str                # load, store or atomic
    space: str
    buffers: list            # names, each once
    file: str
    line: int                # 0: not known
    column: int
    width: int               # bytes of one lane
    site: int                # number of the first copy, which names an access without a source line
    copies: int = 0
    is_one_of_line: bool = False  # whether the line has others of the kind and the buffers: the column tells them apart
    objects: set = dataclasses.field(default_factory=set)  # numbers of the buffers in `buffers` of the result
    shapes: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # (requests, lanes, bytes of a lane) of its copies
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
        self.objects.update(buffer["buffer"] for buffer in site["buffers"])
        if counts["requests"]:
            self.shapes[counts["requests"], counts["lanes"], max(site["width"], 1)] += 1
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
        """file:line, with the column where the line has several such accesses; or the kernel and the number of the instruction."""
        if not self.line:
            return f"{', '.join(self.kernels)}, instruction {self.site}"
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.is_one_of_line else "")

    def key_of_line(self):
        """What accesses have in common that only the column tells apart."""
        return (*self.kernels, self.file, self.line, self.kind, tuple(self.buffers))

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
        access = found.setdefault((site["kernel"], *key(site, names)), Access([], site["kind"], site["space"], names, place["file"], place["line"],
                                                            place["column"], site["width"], site["site"]))
        if site["kernel"] not in access.kernels:
            access.kernels.append(site["kernel"])
        access.sites.setdefault(site["kernel"], []).append(site["site"])
        access.add(site)
    executed = [access for access in found.values() if access.lanes_per_request]
    by_line = collections.Counter(access.key_of_line() for access in executed)
    for access in executed:
        access.is_one_of_line = bool(access.column) and by_line[access.key_of_line()] > 1
    return executed


def unit_bytes(result):
    """Bytes of a transaction: a sector, or a line where the L1 has none."""
    cache = result["context"]["cache"]
    return cache.get("sector_bytes") or cache["line_bytes"]


def _parts(by_parts, requests, lanes, width):
    """Into how many parts of as many lanes a request falls."""
    return -(-lanes // (requests * by_parts[0 if width <= 4 else 1 if width <= 8 else 2])) if by_parts else 1


def _of_neighbours(access, bytes_of_unit, by_parts):
    """Mean over the copies of the units of a request whose lanes read neighbouring elements from an aligned address, at least one for each part."""
    wanted = sum(copies * requests * max(1, -(-lanes * width // (requests * bytes_of_unit)), _parts(by_parts, requests, lanes, width))
                 for (requests, lanes, width), copies in access.shapes.items())
    return rates.per_request(wanted, access.requests) or 1


def ideal(access, bytes_of_unit, rule=""):
    """Transactions of such a request; `rule` is how the GPU coalesces."""
    return _of_neighbours(access, bytes_of_unit, _BY_PARTS.get(rule))


def ideal_wavefronts(access, line_bytes, rule=""):
    """Wavefronts of the L1 for such a request."""
    return _of_neighbours(access, line_bytes, _TAGS_BY_PARTS.get(rule) or _BY_PARTS.get(rule))


def wanted_bytes(access):
    """What all lanes ask for together."""
    return sum(copies * lanes * width for (_, lanes, width), copies in access.shapes.items())
