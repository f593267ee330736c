"""Tries changes: a changed capture is made once, simulated in the fixed order, and by the timed engine only if that promises something."""
import dataclasses
import pathlib
import subprocess

from warpscope.base import children, toolchain
from warpscope.base.errors import InputError, ToolFailed
from warpscope.explore.whatif import readonly, work_groups
from warpscope.explore.whatif.question import Changes
from warpscope.result import measures, results
from warpscope.run import budget, simulation


@dataclasses.dataclass
class Trial:
    """What became of one Proposal."""

    proposal: object
    state: str = "not tried"      # "tried", "refused" or "not tried"
    why: str = ""                 # refused: what the tool says; not tried: why
    done: list = dataclasses.field(default_factory=list)
    not_simulated: list = dataclasses.field(default_factory=list)
    fixed: dict | None = None     # before, after, ratio: measures.compared()
    timed: dict | None = None
    capture: pathlib.Path | None = None
    changes: Changes = Changes()  # what is simulated; the proposal's, but for those that --readonly comes to on this GPU


class Bench:
    """Runs trials. `before` is the result that they are compared with, `known_timed` its timed one or None; both have the launches that `request`
    chooses. `launches` names them: "all" or a list."""

    def __init__(self, capture, request, before, known_timed, folder, launches="all"):
        self.capture, self.request, self.before, self.known_timed = str(capture), request, before, known_timed
        self.folder, self.launches = pathlib.Path(folder), launches
        self.fixed_work, self.timed_work = budget.fixed_work(before["total"]), budget.timed_work(known_timed)

    @staticmethod
    def _run(words, **options):
        """A tool's (exit status, messages)."""
        done = children.run(toolchain.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=toolchain.environment(), **options)
        return done.returncode, done.stderr.decode(errors="replace")

    def _changed(self, trial, number):
        """Writes the changed capture; whether it is there."""
        trial.capture = pathlib.Path(self.capture)
        if trial.changes.work_group:
            return self._again(trial, number)
        if not trial.changes.layout:
            trial.done = [trial.changes.text()]
            return True
        path = self.folder / f"advice{number}.wtrace"
        said = path.with_suffix(".json")
        done = self._run(["trace-change", self.capture, *(word for change in trial.changes.layout for word in change.words()), "-o", path, "--json", said])
        if done[0] != 0:
            lines = done[1].strip().splitlines()
            trial.state, trial.why = "refused", lines[-1].removeprefix("trace-change: ") if lines else f"exit status {done[0]}"
            return False
        trial.capture = path
        changed = results.read_json(said, "what trace-change did")
        trial.done, trial.not_simulated = changed["done"], changed["not_simulated"]
        return True

    def _again(self, trial, number):
        """Runs the kernel again with work-groups of another size; whether there is a capture."""
        folder = self.folder / f"again{number}"
        folder.mkdir()
        try:
            trial.capture, done, unknown = work_groups.again(self.capture, work_groups.parse(trial.changes.work_group), folder)
        except (InputError, ToolFailed) as error:
            trial.state, trial.why = "refused", str(error) or "the kernel cannot run again"
            return False
        trial.done, trial.not_simulated = [done], [unknown]
        return True

    def _changed_request(self, trial):
        """The changed simulation: that of the run, and the changes of the machine."""
        return trial.changes.machine.of(self.request)

    def _prepared(self, trial, number):
        """Settles what the change is on this GPU and writes the changed capture; whether it is there."""
        trial.changes = trial.proposal.changes
        if not trial.changes.readonly:
            return self._changed(trial, number)
        try:
            plan = readonly.plan(self.before, trial.changes.readonly)
        except InputError as error:
            trial.state, trial.why = "refused", str(error)
            return False
        trial.changes = Changes(plan.layout)
        if not self._changed(trial, number):
            return False
        trial.done = plan.done
        return True

    def fixed(self, trial, number):
        """Tries it in the fixed order."""
        if not self._prepared(trial, number):
            return
        path = self.folder / f"advice{number}-fixed.json"
        try:
            status = simulation.simulate(trial.capture, self._changed_request(trial), path, quiet=True)
        except (ToolFailed, InputError):
            trial.state, trial.why = "refused", "the simulation does not take it"
            return
        if status and not self.before["context"].get("skipped"):
            trial.state, trial.why = "refused", "launches do not fit the GPU"
            return
        trial.state = "tried"
        trial.fixed = measures.compared(measures.fixed(self.before), measures.fixed(results.load(path)))
        path.unlink()

    def timed(self, trial, number):
        """Tries it cycle by cycle; whether the engine takes it."""
        request, path = self._changed_request(trial), self.folder / f"advice{number}-timed.json"
        try:
            simulation.simulate_timed(trial.capture, request, request.chosen.words(), path)
        except (ToolFailed, InputError):
            return False
        trial.timed = measures.compared(measures.timed(self.known_timed), measures.timed(results.load(path)))
        path.unlink()
        return True
