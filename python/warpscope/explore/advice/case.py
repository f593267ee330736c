"""What the rules look at: a result, its findings, and what a sample of the capture says about the accesses."""
import dataclasses
import math
import re

from warpscope.explore.advice import layouts, patterns
from warpscope.result import accesses, machine, results
from warpscope.show.summary import find


@dataclasses.dataclass
class Case:
    """One capture on one GPU. `result` is that of the fixed order, with the timed one under `timed` if there is one."""

    result: dict
    capture: str
    used: object = None              # summary.machine.Busy; None without the timed engine
    findings: list = dataclasses.field(default_factory=list)
    accesses: list = dataclasses.field(default_factory=list)
    _patterns: dict = dataclasses.field(default_factory=dict)
    _rows: dict = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, result, capture):
        used = machine.busy(result, result.get("timed"))
        return cls(result, str(capture), used, find.all_findings(result, used), accesses.of_result(result))

    def preset(self, key, default=None):
        return machine.preset_value(self.result, key, default)

    @property
    def unit_bytes(self):
        return accesses.unit_bytes(self.result)

    @property
    def coalescing(self):
        """The rule's name."""
        return self.result["context"].get("coalescing", "")

    @property
    def unit(self):
        """What a transaction is."""
        return "sectors" if self.unit_bytes < self.result["context"]["cache"]["line_bytes"] else "lines"

    def pattern(self, access):
        """The Pattern of the first copy of an access that a sample has; None without one."""
        for kernel in access.kernels:
            if kernel not in self._patterns:
                self._patterns[kernel] = patterns.of_kernel(self.result, self.capture, kernel)
            found = self._patterns[kernel]
            if number := next((site for site in access.sites.get(kernel, ()) if site in found), None):
                return found[number]
            if 0 in access.sites.get(kernel, ()) and 0 in found:
                return found[0]
        return None

    def object_of(self, access):
        """What a what-if calls the one object of an access; None if it has several, or a name that a shell would not take."""
        plain = len(access.buffers) == 1 and re.fullmatch(r"[\w.]+", access.buffers[0])
        return access.buffers[0] if plain else None

    def others_of(self, access):
        """All accesses of its kernel to the objects of an access, itself among them."""
        return [other for other in self.accesses if other.kernels == access.kernels and set(other.buffers) & set(access.buffers)]

    def size_of(self, access):
        """Bytes of the buffers of an access, which its kernel and the host may call differently; None if they have several sizes."""
        sizes = {buffer["size"] for buffer in self.result["buffers"] if buffer["buffer"] in access.objects}
        return sizes.pop() if len(sizes) == 1 else None

    def launch_of(self, kernel):
        """The identical launches of a kernel that weigh most."""
        return patterns.heaviest_launch(self.result, kernel)

    def main_launch(self, kernel=""):
        """The identical launches with most warp accesses, of a kernel or of all."""
        groups = [group for group in results.launch_groups(self.result) if not kernel or group["kernel"] == kernel]
        return max(groups, key=lambda group: sum(group[kind]["requests"] for kind in machine.KINDS), default=None)

    def grid(self, kernel=""):
        """Work-groups of the main launch in x, y and z."""
        launch = self.main_launch(kernel)
        return [math.ceil(size / max(width, 1)) for size, width in zip(launch["global"], launch["local"])] if launch else [1]

    def residency(self, kernel=""):
        """What limits the main launch's work-groups on a core: {"work_groups", "limited_by", "registers", …}; None if not known."""
        found = (self.result["context"].get("schedule") or {}).get("residency") or []
        main = self.main_launch(kernel)
        return next((one for one in found if main and one.get("launch") == main["first"]), found[0] if found else None)

    def row(self, name):
        """(elements, bytes of an element) of an object's rows as trace-change finds them; None where it finds none."""
        if name not in self._rows:
            self._rows[name] = layouts.row_of(self, name)
        return self._rows[name]

    def streams(self):
        """Accesses through the L1 whose lines are not used again: nine of ten misses are first uses, and few look-ups hit. Of stores those
        that take lines of the L1."""
        kinds = ("load", "store") if self.preset("l1_store_miss_allocates") else ("load",)

        def is_stream(access):
            looked_up = access.transactions - access.bypasses
            return looked_up and access.kind in kinds and access.missed and access.classes.get("cold", 0) >= 0.9 * access.missed

        return [access for access in self.accesses if is_stream(access)]
