"""Which launches a change is tried in: all, or the heaviest ones of the kernels that it is for."""
import dataclasses
import pathlib

from warpscope.explore import whatif
from warpscope.explore.advice import trial
from warpscope.result import results
from warpscope.run import budget, simulation
from warpscope.run.request import Selection

LEAST_TRIALS = 6  # that must fit into the budget, or fewer launches are taken


class Benches:
    """Benches by kernels. What their launches give unchanged is simulated once, within `work` as the trials are."""

    def __init__(self, capture, request, result, folder, work):
        self.capture, self.request, self.result = capture, request, result
        self.folder, self.work = pathlib.Path(folder), work
        self._made = {}

    def of(self, kernels):
        """The Bench for these kernels (() for all); None where the budget has no work for one."""
        names = {group["kernel"] for group in results.launch_groups(self.result)}
        everything = not kernels or set(kernels) >= names
        key = () if everything else kernels
        if key not in self._made:
            self._made[key] = self._make(None if everything else set(kernels))
        return self._made[key]

    def _make(self, kernels):
        count = results.launch_count(self.result)
        if kernels is None and (count == 1 or budget.fixed_work(self.result["total"]) * LEAST_TRIALS <= self.work.left):
            return trial.Bench(self.capture, self.request, self.result, whatif.whole_timed(self.result), self.folder)
        launches, work = self._heaviest(kernels)
        if not self.work.take(work):
            return None
        part = dataclasses.replace(self.request, chosen=Selection(launch=launches))
        path = self.folder / f"before{len(self._made)}.json"
        simulation.simulate(self.capture, part, path, quiet=True)
        before = results.load(path)
        return trial.Bench(self.capture, part, before, self._timed(before, part, path), self.folder, launches)

    def _heaviest(self, kernels):
        """One launch of each of the heaviest groups of launches that are alike, as many as the budget allows: as a list 0,3, and their work."""
        chosen, left, work = [], self.work.left / LEAST_TRIALS, 0
        groups = [group for group in results.launch_groups(self.result) if kernels is None or group["kernel"] in kernels]
        for group in sorted(groups, key=lambda group: (-budget.fixed_work(group), group["first"])):
            one = budget.fixed_work(group) // group["count"]
            if work + one <= left or not chosen:
                chosen.append(group["first"])
                work += one
        return ",".join(map(str, sorted(chosen))), work

    def _timed(self, before, request, path):
        """The timed result of these launches, if the whole result has one and a third of the budget that is left suffices."""
        whole = self.result.get("timed")
        times = budget.timed_work(whole) / max(budget.fixed_work(whole["total"]), 1) if whole else 0
        work = round(times * budget.fixed_work(before["total"]))
        if not whole or 3 * work > self.work.left or not self.work.take(work):
            return None
        timed = path.with_name(f"timed-{path.name}")
        simulation.simulate_timed(self.capture, request, request.chosen.words(), timed)
        return results.load(timed)


def share(result, kernels):
    """Part of the program's cycles (without them: of its transactions) that these kernels take; 1 for all."""
    found = result.get("kernels") or []
    for name in ("timed_cycles", "transactions"):
        whole = sum(kernel[name] or 0 for kernel in found)
        if kernels and whole:
            return sum(kernel[name] or 0 for kernel in found if kernel["kernel"] in kernels) / whole
    return 1.0
