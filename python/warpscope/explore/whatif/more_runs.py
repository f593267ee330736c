"""More runs of the timed engine over a capture, for what its result leaves open: with other keys of the model, as many as a budget has room for."""
import pathlib
import tempfile

from warpscope.base.errors import InputError, ToolFailed
from warpscope.result import results
from warpscope.run import budget, simulation
from warpscope.run.experiment import Experiment, processors
from warpscope.run.request import Machine

MOST_WORK = 40_000_000  # look-ups and warp instructions that the runs for one question may take together, and what is left of --advice-budget


def refused(timed, count, work):
    """Why `count` more runs like `timed` are too much, in a phrase; empty if they are not, and then `work` (a budget.Work) is used."""
    needed = count * budget.timed_work(timed)
    if needed <= MOST_WORK and work.take(needed):
        return ""
    return f"it is {budget.text_of(needed)} of work, limit {budget.text_of(max(0, min(MOST_WORK, work.left)))}"


def each(capture, request, changes, folder):
    """The timed results with each of `changes` (a list of lists of KEY=VALUE), None where one failed. Tools write into `folder`; nothing is left there."""
    def simulated(number):
        path = pathlib.Path(files) / f"run{number}.json"
        changed = Machine(tuple(changes[number])).of(request)
        try:
            simulation.simulate_timed(capture, changed, changed.chosen.words(), path)
        except (InputError, ToolFailed):
            return None
        return results.load(path)

    with tempfile.TemporaryDirectory(prefix="more.", dir=folder) as files:
        return Experiment(simulated, min(processors(), len(changes)), files).each(range(len(changes)))
