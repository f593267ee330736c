"""warpscope study: many simulations, on this machine or on many."""
from __future__ import annotations

import pathlib
import sys
from dataclasses import dataclass
from typing import Any, Callable, Optional

from warpscope.base import third_party
from warpscope.base.errors import InputError, printable
from warpscope.base.options import FLAG, MANY, Option, Options, shown_help, unknown_option
from warpscope.explore.study import cluster, listing, reading, report, work
from warpscope.run.experiment import Progress, processors

OPTIONS = Options(
    Option("--output", "FOLDER", "where the answers go: FOLDER/study.sqlite (default warpscope-study-NAME). What is there is not done again: a\n"
           "run that was stopped or killed goes on", alias="-o"),
    Option("--jobs", "N", "tools at a time (default: the processors that this process may use)"),
    Option("--captures", "FOLDER", "where captures are while they are needed (default: captures in FOLDER or DIR)", rare=True),
    Option("--keep-captures", meaning="leaves them there: what is simulated later needs no new recording", kind=FLAG, rare=True),
    Option("--list", meaning="prints the tasks and how many are left, does nothing", kind=FLAG),
    "Worker:",
    Option("--shard", "I/N", "every N-th capture from the I-th on, with all its tasks; I counts from 1"),
    Option("--out", "DIR", "a folder that all workers see; what is there is not done again, whichever worker did it"),
    "Report:",
    Option("--measure", "NAME", "what is compared: cycles, or another measure of warpscope what-if; may be repeated (default: cycles; without\n"
           "them l1_to_l2_read_sectors)", kind=MANY),
    Option("--map", "NAME,NAME", "the two parameters of the heat maps (default: those with the most values)", rare=True),
    Option("--pareto", "NAME,NAME", "the two measures of the fronts (default: cycles,l1_misses)", rare=True),
    "Cluster:",
    Option("--shards", "N", "how many jobs"))
HELP = f"""warpscope study: simulates programs × parameters × GPUs × configurations, on this machine or on many.

warpscope study STUDY.toml [-o FOLDER] [options below]        all of it, on this machine
warpscope study worker STUDY.toml --shard I/N --out DIR       a part of it: a job of a cluster
warpscope study merge STUDY.toml DIR... -o FOLDER             the answers of workers, as if one machine had done all
warpscope study report FOLDER                                 a table (CSV) and a page (HTML) of what is there
warpscope study slurm STUDY.toml --shards N --out DIR         prints a job array for Slurm, over worker
warpscope study snakemake STUDY.toml --shards N --out DIR     prints a workflow for Snakemake, over worker and merge

Options:
{OPTIONS.text()}

Examples:
  warpscope study study.toml -o out
  warpscope study study.toml -o out --list
  warpscope study worker study.toml --shard 3/8 --out /shared/mine
  warpscope study merge study.toml /shared/mine -o out
  warpscope study report out --map TILE,local

Exit status: 0; 2 bad input; 3 tasks are missing, because a tool was ended from outside: run it again. A variant that does not compile
or launch is a row that says why."""

EXIT_MISSING = 3
MOST_LISTED = 1000
COMMON = ("--jobs", "--captures", "--keep-captures")
TAKES = {"run": ("--output", "--list", *COMMON), "worker": ("--shard", "--out", *COMMON), "merge": ("--output",),
         "report": ("--output", "--measure", "--map", "--pareto"), "slurm": ("--shards", "--out", "--output"),
         "snakemake": ("--shards", "--out", "--output")}


@dataclass
class Request:
    """The command line. `action`: a word of TAKES."""

    action: str
    paths: list[str]
    values: dict[str, Any]

    def needed(self, name: str, example: str) -> str:
        if self.values[name] is None:
            raise InputError(f"study {self.action}: no {name}, expected {example}")
        return str(self.values[name])

    def path(self, name: str) -> Optional[pathlib.Path]:
        return None if self.values[name] is None else pathlib.Path(self.values[name])

    def number(self, name: str, default: int) -> int:
        text = str(default) if self.values[name] is None else self.values[name]
        if not text.isdecimal() or not 1 <= int(text) <= 10**6:
            raise InputError(f"{name} {text}: expected a whole number from 1 on")
        return int(text)


def parse(words: list[str]) -> Request:
    """Raises InputError."""
    begins = bool(words) and words[0] in TAKES and words[0] != "run"
    action, words = (words[0], words[1:]) if begins else ("run", words)
    own = Options(*(one for one in OPTIONS.all if one.name in TAKES[action]))
    values, paths = own.read(words, unknown_option(own, "see warpscope study --help"))
    if not paths or len(paths) > 1 and action != "merge":
        raise InputError(f"study: expected one {'folder' if action == 'report' else 'study file'}; see warpscope study --help")
    return Request(action, paths, values)


def counted(number: int, what: str) -> str:
    """1 task, 2 tasks"""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _say(study: reading.Study, outcome: work.Outcome, where: str) -> int:
    """What a run did; its exit status."""
    earlier = f", {outcome.earlier:,} of them earlier" if outcome.earlier else ""
    done = outcome.tasks - outcome.missing
    print(printable(f"{study.path.name}: {done:,} of {counted(outcome.tasks, 'task')} done{earlier}; {counted(outcome.captures, 'capture')}; {where}"))
    if outcome.poor:
        print(printable(f"  {counted(len(outcome.poor), 'task')} without a whole result; the first: {min(outcome.poor)[1]}"))
    if outcome.missing:
        why = f" ({outcome.why})" if outcome.why else ""
        print(printable(f"{study.path.name}: {counted(outcome.missing, 'task')} missing{why}; run it again"), file=sys.stderr)
    return EXIT_MISSING if outcome.missing else 0


def _output(request: Request) -> pathlib.Path:
    folder = request.path("--output") or pathlib.Path(f"warpscope-study-{pathlib.Path(request.paths[0]).stem}")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file, expected a folder for the answers")
    return folder


def _with_progress(call: Callable[[Optional[work.OnProgress]], work.Outcome]) -> work.Outcome:
    progress = Progress()
    try:
        return call(lambda done, of: progress.say(done, of, f"about {progress.time_left(done, of)} left"))
    finally:
        progress.end()


def _run(request: Request) -> int:
    study, folder = reading.read(request.paths[0]), _output(request)
    if request.values["--list"]:
        print("\n".join(map(printable, listing.lines(study, folder, MOST_LISTED))))
        return 0
    outcome = _with_progress(lambda on_progress: work.run(study, folder, request.path("--captures"), request.values["--keep-captures"],
                                                   request.number("--jobs", processors()), on_progress))
    return _say(study, outcome, f"{folder}/study.sqlite")


def _worker(request: Request) -> int:
    shard = work.shard_of(request.needed("--shard", "--shard I/N"))
    folder = pathlib.Path(request.needed("--out", "--out DIR, a folder that all workers see"))
    study = reading.read(request.paths[0])
    outcome = _with_progress(lambda on_progress: work.work(study, shard, folder, request.path("--captures"), request.values["--keep-captures"],
                                                    request.number("--jobs", processors()), on_progress))
    return _say(study, outcome, f"shard {shard[0]}/{shard[1]} in {folder}")


def _merge(request: Request) -> int:
    if len(request.paths) < 2:
        raise InputError("study merge: expected the study file and the folders of its workers; see warpscope study --help")
    study, folder = reading.read(request.paths[0]), _output(request)
    return _say(study, work.merge(study, [pathlib.Path(path) for path in request.paths[1:]], folder), f"{folder}/study.sqlite")


def _report(request: Request) -> int:
    third_party.check()
    folder = pathlib.Path(request.paths[0])
    wishes = report.wishes_of(request.values["--measure"], request.values["--map"], request.values["--pareto"])
    print("\n".join(map(printable, report.make(folder, request.path("--output") or folder, wishes))))
    return 0


def _template(request: Request) -> int:
    reading.read(request.paths[0])
    out = pathlib.Path(request.needed("--out", "--out DIR, a folder that all workers see"))
    request.needed("--shards", "--shards N")
    study, shared, folder = (str(path.absolute()) for path in (pathlib.Path(request.paths[0]), out, _output(request)))
    print(cluster.TEMPLATES[request.action](study, shared, folder, request.number("--shards", 1)), end="")
    return 0


ACTIONS = {"run": _run, "worker": _worker, "merge": _merge, "report": _report,
           "slurm": _template, "snakemake": _template}


def main(words: list[str]) -> int:
    if shown_help(words, HELP, OPTIONS, needs_words=True):
        return 0 if words else 2
    request = parse(words)
    return ACTIONS[request.action](request)
