"""The ways to run a study: all of it on this machine, or a shard of it; and merging shards."""
from __future__ import annotations

import dataclasses
import pathlib
import re
from dataclasses import dataclass, field
from typing import Callable, Optional, Sequence

from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.explore.study import shards, store
from warpscope.explore.study.reading import Study
from warpscope.explore.study.running import Captures, Recording, Run, Runner, Sink
from warpscope.explore.study.tasks import Group, groups_of, tasks_of
from warpscope.explore.tuning.variants import line_of

OnProgress = Callable[[int, int], None]


@dataclass
class Outcome:
    """What a run did. `missing`: tasks without an answer, `why` one of the reasons; `poor`: those with less than a whole result."""

    tasks: int
    captures: int
    earlier: int
    missing: int = 0
    why: str = ""
    poor: list[tuple[int, str]] = field(default_factory=list)


def check_options(study: Study) -> None:
    """Whether the engines take what the configurations say. Raises InputError."""
    for gpu in study.gpus:
        for one in study.configurations:
            words = [*one.tool_words(), "-", "--gpu", gpu.word, *one.words, "--check-options"]
            status, _, said = toolchain.attempt("cachesim", *words)
            if status:
                raise InputError(f"{study.path}: configuration {one.name}: gpu {gpu.name}: {line_of(said)}")


def missing_of(groups: Sequence[Group], answered: Callable[[Group], set[str]]) -> list[Group]:
    """The groups with what is left to do."""
    found = []
    for group in groups:
        known = answered(group)
        if tasks := [task for task in group.tasks if task.key not in known]:
            found.append(dataclasses.replace(group, tasks=tasks))
    return found


def _work(groups: Sequence[Group], left: list[Group], sink: Sink, captures: Captures, jobs: int, on_progress: Optional[OnProgress]) -> Outcome:
    """Does what is left."""
    total, to_do = len(tasks_of(groups)), len(tasks_of(left))
    outcome = Outcome(total, len(groups), total - to_do, to_do)

    def count() -> None:
        outcome.missing -= 1
        if on_progress:
            on_progress(to_do - outcome.missing, to_do)

    needed = {group.capture for group in left}
    for group in groups:
        if group.capture not in needed:  # of a run that was killed before it tidied up
            captures.remove(group)
    runner = Runner(captures, sink, jobs, count)
    runner.run(left)
    outcome.why = runner.ended[0] if runner.ended else ""
    outcome.poor = runner.poor
    return outcome


def run(study: Study, folder: pathlib.Path, captures: Optional[pathlib.Path], keep: bool, jobs: int, on_progress: Optional[OnProgress]) -> Outcome:
    """The whole study, into FOLDER/study.sqlite."""
    check_options(study)
    groups = groups_of(study)
    with store.opened(folder) as base:
        base.list_tasks(study.path.stem, tasks_of(groups))
        answered = base.answered_keys()
        left = missing_of(groups, lambda group: answered)
        return _work(groups, left, base, Captures(captures or folder / "captures", keep), jobs, on_progress)


def shard_of(text: str) -> tuple[int, int]:
    """3/8 -> (3, 8). Raises InputError."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError(f"--shard {text}: expected I/N, from 1/N to N/N")
    return int(found[1]), int(found[2])


def work(study: Study, shard: tuple[int, int], folder: pathlib.Path, captures: Optional[pathlib.Path], keep: bool, jobs: int,
         on_progress: Optional[OnProgress]) -> Outcome:
    """A shard of the study, into FOLDER/answers: every n-th capture with all its tasks."""
    check_options(study)
    groups = groups_of(study)[shard[0] - 1::shard[1]]
    answers = shards.Answers(folder)
    left = missing_of(groups, answers.answered_keys)
    return _work(groups, left, answers, Captures(captures or folder / "captures", keep), jobs, on_progress)


def merge(study: Study, folders: Sequence[pathlib.Path], output: pathlib.Path) -> Outcome:
    """The answers of workers into OUTPUT/study.sqlite."""
    for folder in folders:
        if not (folder / "answers").is_dir():
            raise InputError(f"{folder}: has no answers, expected a folder of warpscope study worker --out")
    groups = groups_of(study)
    sources = [shards.Answers(folder) for folder in folders]
    outcome = Outcome(len(tasks_of(groups)), len(groups), 0)
    with store.opened(output) as base:
        base.list_tasks(study.path.stem, tasks_of(groups))
        before = base.answered_keys()
        outcome.earlier = sum(task.key in before for task in tasks_of(groups))
        with base.transaction() as cursor:
            for group in groups:
                by_key = {task.key: task for task in group.tasks}
                for line in shards.merged(group, sources):
                    if line["kind"] == "recorded":
                        store.insert_recording(cursor, group.capture, Recording(**line["made"]))
                        continue
                    if line["key"] in by_key:
                        store.insert_run(cursor, line["key"], Run(**line["run"]))
                    if line["kind"] == "answered":
                        store.insert_answer(cursor, group, by_key[line["key"]], shards.answer_of(line))
        answered = base.answered_keys()
        outcome.missing = sum(task.key not in answered for task in tasks_of(groups))
    return outcome
