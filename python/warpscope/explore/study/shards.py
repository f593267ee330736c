"""Answers of workers as files on shared storage: a file per capture, DIR/answers/xx/CAPTURE.jsonl, which appears when its tasks are done.

Until then a worker appends lines to CAPTURE.HOST.PROCESS.TIME.part, a file of its own. So no file has two writers, a worker that was killed
leaves whole lines and at most one that is cut short, and the next one goes on behind the whole ones. There is no SQLite and no lock."""
from __future__ import annotations

import json
import os
import pathlib
import time
from dataclasses import asdict
from typing import Any, IO, Iterable

from warpscope.base.errors import InputError
from warpscope.explore.study.running import Answer, HOST, Recording, Run
from warpscope.explore.study.tasks import Group, Task

Line = dict[str, Any]


def lines_in(content: bytes) -> list[Line]:
    """The whole lines of a file; what was cut short or damaged is left out."""
    found = []
    for text in content.split(b"\n")[:-1]:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and line.get("kind") in ("recorded", "begun", "answered"):
            found.append(line)
    return found


def text_of(line: Line) -> bytes:
    return json.dumps(line, separators=(",", ":"), ensure_ascii=True).encode() + b"\n"


def answer_of(line: Line) -> Answer:
    return Answer(**line["answer"])


class Answers:
    """The files in DIR/answers; a Sink of running.py."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder / "answers"
        self.parts: dict[str, tuple[pathlib.Path, IO[bytes]]] = {}
        self.known: dict[str, list[Line]] = {}  # what was there when the group was begun

    def path(self, group: Group) -> pathlib.Path:
        return self.folder / group.capture[:2] / f"{group.capture}.jsonl"

    def _old_parts(self, group: Group) -> list[pathlib.Path]:
        return sorted(self.path(group).parent.glob(f"{group.capture}.*.part"))

    def lines(self, group: Group) -> list[Line]:
        """What is known of a group, of all its files."""
        found: list[Line] = []
        for path in [self.path(group), *self._old_parts(group)]:
            try:
                found += lines_in(path.read_bytes())
            except FileNotFoundError:
                continue
        return found

    def answered_keys(self, group: Group) -> set[str]:
        return {line["key"] for line in self.lines(group) if line["kind"] == "answered"}

    def _append(self, group: Group, line: Line, keep: bool) -> None:
        """`keep`: also if the machine is lost."""
        if group.capture not in self.parts:
            path = self.path(group)
            path.parent.mkdir(parents=True, exist_ok=True)
            self.known[group.capture] = self.lines(group)
            part = path.with_name(f"{group.capture}.{HOST}.{os.getpid()}.{time.time_ns()}.part")
            self.parts[group.capture] = part, open(part, "xb", buffering=0)
        file = self.parts[group.capture][1]
        file.write(text_of(line))
        if keep:
            os.fsync(file.fileno())

    def recorded(self, group: Group, recording: Recording) -> None:
        self._append(group, {"kind": "recorded", "made": asdict(recording)}, False)

    def begun(self, group: Group, task: Task, run: Run) -> None:
        self._append(group, {"kind": "begun", "key": task.key, "run": asdict(run)}, False)

    def answered(self, group: Group, task: Task, answer: Answer, run: Run) -> None:
        self._append(group, {"kind": "answered", "key": task.key, "answer": asdict(answer), "run": asdict(run)}, True)

    def finished(self, group: Group) -> None:
        """The part, behind what others have left, gets its final name."""
        part, file = self.parts.pop(group.capture)
        file.close()
        if known := self.known.pop(group.capture):
            whole = part.with_name(f"{part.name}.whole.part")
            with open(whole, "xb") as out:
                out.write(b"".join(map(text_of, known)) + part.read_bytes())
                out.flush()
                os.fsync(out.fileno())
            os.replace(whole, part)
        os.replace(part, self.path(group))
        for old in self._old_parts(group):
            old.unlink(missing_ok=True)


def merged(group: Group, folders: Iterable[Answers]) -> list[Line]:
    """The lines of a group in several folders, an answer per task. Raises InputError where two answers differ."""
    found: list[Line] = []
    answers: dict[str, Any] = {}
    wanted = {task.key: task for task in group.tasks}
    for folder in folders:
        for line in folder.lines(group):
            if line["kind"] == "answered":
                if line["key"] not in wanted:
                    continue
                before = answers.setdefault(line["key"], line["answer"])
                if before != line["answer"]:
                    raise InputError(f"{folder.path(group)}: another answer than elsewhere for {wanted[line['key']].text()}, expected the same tools "
                                     "on all machines; remove one of the two")
            found.append(line)
    return found
