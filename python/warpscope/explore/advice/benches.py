"""Which launches a change is tried in: all, or the heaviest ones of the kernels that it is for."""
import dataclasses
import pathlib
import time

from warpscope.explore import whatif
from warpscope.explore.advice import trial
from warpscope.result import results
from warpscope.run import clocks, simulation
from warpscope.run.request import Selection

LEAST_TRIALS = 6  # that must fit into the time, or fewer launches are taken


class Benches:
    """Benches by kernels. What their launches give unchanged is simulated once."""

    def __init__(self, capture, request, result, folder, deadline):
        self.capture, self.request, self.result = capture, request, result
        self.folder, self.deadline = pathlib.Path(folder), deadline
        self._made = {}

    def left(self):
        return max(self.deadline - time.monotonic(), 0.01)

    def of(self, kernels):
        """The Bench for these kernels (() for all); None where there is no time for one."""
        names = {group["kernel"] for group in results.launch_groups(self.result)}
        everything = not kernels or set(kernels) >= names
        key = () if everything else kernels
        if key not in self._made:
            self._made[key] = self._make(None if everything else set(kernels))
        return self._made[key]

    def _make(self, kernels):
        count = results.launch_count(self.result)
        if kernels is None and (count == 1 or trial.seconds_of(self.result["total"], count) * LEAST_TRIALS <= self.left()):
            return trial.Bench(self.capture, self.request, self.result, whatif.whole_timed(self.result), self.folder, self.deadline)
        launches = self._heaviest(kernels)
        part = dataclasses.replace(self.request, chosen=Selection(launch=launches))
        path = self.folder / f"before{len(self._made)}.json"
        if simulation.simulate(self.capture, part, path, self.left()) is None:
            return None
        before = results.load(path)
        return trial.Bench(self.capture, part, before, self._timed(before, part, path), self.folder, self.deadline, launches)

    def _heaviest(self, kernels):
        """One launch of each of the heaviest groups of launches that are alike, as many as the time allows, as a list 0,3."""
        chosen, left = [], self.left() / LEAST_TRIALS
        groups = [group for group in results.launch_groups(self.result) if kernels is None or group["kernel"] in kernels]
        for group in sorted(groups, key=lambda group: (-trial.seconds_of(group, group["count"]), group["first"])):
            one = trial.seconds_of(group, group["count"]) / group["count"]
            if one <= left or not chosen:
                chosen.append(group["first"])
                left -= one
        return ",".join(map(str, sorted(chosen)))

    def _timed(self, before, request, path):
        """The timed result of these launches, if the whole result has one and a third of the time that is left suffices."""
        seconds = clocks.seconds_of(before["total"], results.launch_count(before))
        if not self.result.get("timed") or seconds > self.left() / 3:
            return None
        timed = path.with_name(f"timed-{path.name}")
        if simulation.simulate_timed(self.capture, request, request.chosen.words(), timed, self.left()) is None:
            return None
        return results.load(timed)


def share(result, kernels):
    """Part of the program's cycles (without them: of its transactions) that these kernels take; 1 for all."""
    found = result.get("kernels") or []
    for name in ("timed_cycles", "transactions"):
        whole = sum(kernel[name] or 0 for kernel in found)
        if kernels and whole:
            return sum(kernel[name] or 0 for kernel in found if kernel["kernel"] in kernels) / whole
    return 1.0
