"""warpscope study: simulates programs × parameters × GPUs × configurations, on this machine or on many.

warpscope study STUDY.toml [-o FOLDER] [options below]        all of it, on this machine
warpscope study worker STUDY.toml --shard I/N --out DIR       a part of it: a job of a cluster
warpscope study merge STUDY.toml DIR... -o FOLDER             the answers of workers, as if one machine had done all
warpscope study report FOLDER                                 a table (CSV) and a page (HTML) of what is there
warpscope study slurm STUDY.toml --shards N --out DIR         prints a job array for Slurm, over worker
warpscope study snakemake STUDY.toml --shards N --out DIR     prints a workflow for Snakemake, over worker and merge

Options:
  -o, --output FOLDER  where the answers go: FOLDER/study.sqlite (default warpscope-study-NAME). What is there is not done again: a
                       run that was stopped or killed goes on
  --jobs N             tools at a time (default: the processors that this process may use)
  --captures FOLDER    where captures are while they are needed (default: captures in FOLDER or DIR)
  --keep-captures      leaves them there: what is simulated later needs no new recording
  --list               prints the tasks and how many are left, does nothing
Worker:
  --shard I/N          every N-th capture from the I-th on, with all its tasks; I counts from 1
  --out DIR            a folder that all workers see; what is there is not done again, whichever worker did it
Report:
  --measure NAME       what is compared: cycles, or another measure of warpscope what-if; may be repeated (default: cycles; without
                       them l1_to_l2_read_sectors)
  --map NAME,NAME      the two parameters of the heat maps (default: those with the most values)
  --pareto NAME,NAME   the two measures of the fronts (default: cycles,l1_misses)
Cluster:
  --shards N           how many jobs

Examples:
  warpscope study study.toml -o out
  warpscope study study.toml -o out --list
  warpscope study worker study.toml --shard 3/8 --out /shared/mine
  warpscope study merge study.toml /shared/mine -o out
  warpscope study report out --map TILE,local

Exit status: 0; 2 bad input; 3 tasks are missing, because a tool was ended from outside: run it again. A variant that does not compile
or launch is a row that says why.
"""
from __future__ import annotations

import pathlib
import sys
import time
from dataclasses import dataclass, field
from typing import Callable, Optional

from warpscope.base import third_party
from warpscope.base.errors import InputError, printable
from warpscope.explore.study import cluster, listing, reading, report, work
from warpscope.explore.study.running import processors

EXIT_MISSING = 3
MOST_LISTED = 1000
FLAGS = ("--keep-captures", "--list")
SINGLE = ("--output", "--jobs", "--captures", "--shard", "--out", "--shards", "--map", "--pareto")
MANY = ("--measure",)
COMMON = ("--jobs", "--captures", "--keep-captures")
TAKES = {"run": ("--output", "--list", *COMMON), "worker": ("--shard", "--out", *COMMON), "merge": ("--output",),
         "report": ("--output", "--measure", "--map", "--pareto"), "slurm": ("--shards", "--out", "--output"),
         "snakemake": ("--shards", "--out", "--output")}


@dataclass
class Request:
    """The command line. `action`: a word of TAKES."""

    action: str
    paths: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    many: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in MANY})
    flags: set[str] = field(default_factory=set)

    def needed(self, name: str, example: str) -> str:
        if name not in self.values:
            raise InputError(f"study {self.action}: no {name}, expected {example}")
        return self.values[name]

    def path(self, name: str) -> Optional[pathlib.Path]:
        return pathlib.Path(self.values[name]) if name in self.values else None

    def number(self, name: str, default: int) -> int:
        text = self.values.get(name, str(default))
        if not text.isdecimal() or not 1 <= int(text) <= 10**6:
            raise InputError(f"{name} {text}: expected a whole number from 1 on")
        return int(text)


def parse(words: list[str]) -> Request:
    """Raises InputError."""
    queue = list(words)
    request = Request(queue.pop(0) if queue and queue[0] in TAKES and queue[0] != "run" else "run")
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        name = {"-o": "--output"}.get(name, name)
        if not word.startswith("-"):
            request.paths.append(word)
            continue
        if name not in TAKES[request.action]:
            raise InputError(f"'{word}': unknown option, expected one of {', '.join(TAKES[request.action])}; see warpscope study --help")
        if name in FLAGS:
            request.flags.add(name)
            continue
        if not equals and not queue:
            raise InputError(f"{word}: has no value, expected one behind it")
        value = value if equals else queue.pop(0)
        if name in MANY:
            request.many[name].append(value)
        elif name in request.values:
            raise InputError(f"{word}: was given already ({request.values[name]}), expected it once")
        else:
            request.values[name] = value
    if not request.paths or len(request.paths) > 1 and request.action != "merge":
        raise InputError(f"study: expected one {'folder' if request.action == 'report' else 'study file'}; see warpscope study --help")
    return request


class Progress:
    """One line that is written anew, on a terminal only."""

    def __init__(self) -> None:
        self.began, self.shown = time.monotonic(), sys.stderr.isatty()

    def told(self, done: int, of: int) -> None:
        seconds = (time.monotonic() - self.began) / done * (of - done)
        left = f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
        print(f"\r\033[K[{done}/{of}] about {left} left", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr)


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


def _with_progress(call: Callable[[Optional[work.Told]], work.Outcome]) -> work.Outcome:
    progress = Progress()
    try:
        return call(progress.told if progress.shown else None)
    finally:
        progress.end()


def _run(request: Request) -> int:
    study, folder = reading.read(request.paths[0]), _output(request)
    if "--list" in request.flags:
        print("\n".join(map(printable, listing.lines(study, folder, MOST_LISTED))))
        return 0
    outcome = _with_progress(lambda told: work.run(study, folder, request.path("--captures"), "--keep-captures" in request.flags,
                                                   request.number("--jobs", processors()), told))
    return _say(study, outcome, f"{folder}/study.sqlite")


def _worker(request: Request) -> int:
    shard = work.shard_of(request.needed("--shard", "--shard I/N"))
    folder = pathlib.Path(request.needed("--out", "--out DIR, a folder that all workers see"))
    study = reading.read(request.paths[0])
    outcome = _with_progress(lambda told: work.work(study, shard, folder, request.path("--captures"), "--keep-captures" in request.flags,
                                                    request.number("--jobs", processors()), told))
    return _say(study, outcome, f"shard {shard[0]}/{shard[1]} in {folder}")


def _merge(request: Request) -> int:
    if len(request.paths) < 2:
        raise InputError("study merge: expected the study file and the folders of its workers; see warpscope study --help")
    study, folder = reading.read(request.paths[0]), _output(request)
    return _say(study, work.merge(study, [pathlib.Path(path) for path in request.paths[1:]], folder), f"{folder}/study.sqlite")


def _report(request: Request) -> int:
    third_party.check()
    folder = pathlib.Path(request.paths[0])
    wishes = report.wishes_of(request.many["--measure"], request.values.get("--map"), request.values.get("--pareto"))
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
    if not words or any(word in ("-h", "--help") for word in words):
        print((__doc__ or "").strip())
        return 0 if words else 2
    request = parse(words)
    return ACTIONS[request.action](request)
