"""Does the tasks of a study: records a capture, simulates it for each of its tasks, removes it. Answers go to a sink, one by one, in the
thread that called; so whatever ends a run, what was answered stays."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Iterator, Optional, Protocol

from warpscope.base import children, toolchain
from warpscope.explore.study import measures
from warpscope.explore.study.tasks import Group, Task
from warpscope.explore.tuning.variants import NO_CODE, line_of
from warpscope.run import kept
from warpscope.run.experiment import Ended, Experiment, check_ended, processors

EXIT_LEFT_OUT = 3
CAPTURE = ".wtrace"
HOST = socket.gethostname()


@dataclass
class Answer:
    """The row of a task. `status`: ok; incomplete (measures lack something); or compile, runtime, constraints (does not fit the GPU),
    then without measures. `reason`: why, in one line."""

    status: str
    reason: str = ""
    measures: dict[str, Any] = field(default_factory=dict)


@dataclass
class Recording:
    """How a capture was made. `status` and `reason` as of an answer; it is there if status is ok or incomplete."""

    status: str
    reason: str
    host: str
    started: float
    seconds: float
    bytes: int

    @property
    def is_there(self) -> bool:
        return self.status in ("ok", "incomplete")


@dataclass
class Run:
    """Who simulated a task, and for how long. `seconds` is None while it runs."""

    host: str
    started: float
    seconds: Optional[float] = None


class Sink(Protocol):
    """Where answers go; all are called by one thread."""

    def recorded(self, group: Group, recording: Recording) -> None:
        """The capture of a group is there, or cannot be made."""

    def begun(self, group: Group, task: Task, run: Run) -> None:
        """A task was started."""

    def answered(self, group: Group, task: Task, answer: Answer, run: Run) -> None:
        """A task is done; its answer is kept from here on."""

    def finished(self, group: Group) -> None:
        """All tasks of the group that were to be done are done."""


def _communicate(tool: str, words: tuple[Any, ...], limit: Optional[float], folder: pathlib.Path) -> tuple[int, bytes, bytes]:
    """Runs a tool that signals of a terminal do not reach. Raises Ended after `limit` seconds, when all that it started has ended."""
    child = children.start(toolchain.command(tool, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env=toolchain.environment(), start_new_session=True, cwd=folder)
    try:
        output, said = child.communicate(timeout=limit)
        return child.returncode, output, said
    except subprocess.TimeoutExpired as error:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise Ended(f"{tool} took more than {limit:g} s") from error


def _attempt(tool: str, *words: Any, limit: Optional[float], folder: pathlib.Path) -> tuple[int, str, str]:
    """(exit status, standard output, messages). Raises Ended."""
    status, *texts = _communicate(tool, words, limit, folder)
    output, said = (text.decode("utf-8", "replace") for text in texts)
    check_ended(tool, status, said)
    return status, output, said


class Captures:
    """Captures in a folder, with how each was made. A capture counts once that is there."""

    def __init__(self, folder: pathlib.Path, keep: bool) -> None:
        self.folder, self.keep = folder.absolute(), keep  # tools run in the study's folder
        self.store = kept.Store(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._tidy()

    def _tidy(self) -> None:
        """Removes what runs on this machine that were killed have left."""
        for left in self.folder.glob(f".*.{HOST}.*.work*"):
            if not pathlib.Path(f"/proc/{left.name.split('.')[-3]}").exists():
                shutil.rmtree(left, ignore_errors=True)

    def path(self, group: Group) -> pathlib.Path:
        return self.store.path(group.capture, CAPTURE)

    def known(self, group: Group) -> Optional[Recording]:
        content = self.store.get(group.capture)
        found = None if content is None else Recording(**json.loads(content))
        return found if found is None or not found.is_there or self.store.file(group.capture, CAPTURE) else None

    @contextlib.contextmanager
    def work(self, group: Group) -> Iterator[pathlib.Path]:
        """A folder of this process for a time."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f".{group.capture}.{HOST}.{os.getpid()}.", suffix=".work", dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def record(self, group: Group, threads: int) -> Recording:
        """What is known, or what a new recording gives. Raises Ended."""
        found = self.known(group)
        if found is not None:
            return found
        with self.work(group) as work:
            made = _record(group, work, threads)
            if made.is_there:
                self.store.put_file(group.capture, CAPTURE, work / "capture.wtrace")
            self.store.put(group.capture, json.dumps(asdict(made)).encode())
            return made

    def remove(self, group: Group) -> None:
        """All of a capture that no task needs any more, unless captures are kept."""
        for left in self.folder.glob(f".{group.capture}.*.work"):
            shutil.rmtree(left, ignore_errors=True)
        if not self.keep:
            self.store.remove(group.capture, CAPTURE)


def _left_out(said: str) -> str:
    """The first line of trace-kernel's messages that names what a capture lacks."""
    return line_of(next((line for line in said.splitlines() if re.search("not traced|left out", line)), said))


def _status_of(group: Group, status: int, said: str, is_there: bool) -> tuple[str, str]:
    """(status, reason) of a recording."""
    if status == 0 and is_there:
        return "ok", ""
    if is_there and (status == EXIT_LEFT_OUT or not group.is_kernel):
        return "incomplete", _left_out(said) if status == EXIT_LEFT_OUT else f"the program ended with status {status}"
    return "compile" if NO_CODE.search(said) else "runtime", line_of(said)


def _record(group: Group, work: pathlib.Path, threads: int) -> Recording:
    path, started, clock = work / "capture.wtrace", time.time(), time.monotonic()
    words = ["--threads", threads, "-o", path]
    words = [*group.words, *words] if group.is_kernel else [*words, *group.words]
    status, _, said = _attempt("trace-kernel", *words, limit=group.limit, folder=group.folder)
    kind, why = _status_of(group, status, said, path.exists())
    size = path.stat().st_size if kind in ("ok", "incomplete") else 0
    return Recording(kind, why, HOST, started, time.monotonic() - clock, size)


def simulate(group: Group, task: Task, recording: Recording, capture: pathlib.Path, threads: int) -> Answer:
    """Raises Ended."""
    configuration = task.configuration
    status, output, said = _attempt("cachesim", *configuration.tool_words(), capture, "--gpu", task.gpu.word, *configuration.words,
                                    "--threads", threads, "--json", "-", limit=group.limit, folder=group.folder)
    if not capture.exists():
        raise Ended(f"{capture.name} was removed: another worker has done its tasks")
    if status not in (0, EXIT_LEFT_OUT) or not output:
        return Answer("constraints" if status == EXIT_LEFT_OUT else "runtime", line_of(said))
    result = json.loads(output)
    if result["context"].get("skipped") and not measures.counts_anything(result):
        return Answer("constraints", line_of(said))
    found = measures.of_result(result, configuration.engine == "timed")
    if result["context"].get("skipped"):
        return Answer("incomplete", line_of(said), found)
    return Answer(recording.status, recording.reason, found)


@dataclass
class _Job:
    """What a thread does: records (task is None) or simulates."""

    group: Group
    task: Optional[Task]
    run: Run


class Runner:
    """Works through groups with `jobs` threads: simulations before new recordings, so that few captures are there at a time."""

    def __init__(self, captures: Captures, sink: Sink, jobs: int, on_progress: Callable[[], None] = lambda: None) -> None:
        self.captures, self.sink, self.jobs, self.on_progress = captures, sink, jobs, on_progress
        self.threads = max(1, processors() // jobs)
        self.ready: deque[tuple[Group, Task]] = deque()
        self.left: dict[str, int] = {}  # tasks of a group that are not done
        self.recordings: dict[str, Recording] = {}
        self.ended: list[str] = []      # why tasks have no answer
        self.poor: list[tuple[int, str]] = []  # tasks whose answer is not ok: number, text with the reason

    def run(self, groups: list[Group]) -> None:
        """Groups with the tasks that are to be done, no others. Raises InputError where a folder cannot be written."""
        waiting = deque(groups)
        experiment: Experiment[_Job, Any] = Experiment(self._do, self.jobs, self.captures.folder)
        experiment.run(lambda: self._next(waiting), self._take)

    def _next(self, waiting: deque[Group]) -> Optional[_Job]:
        run = Run(HOST, time.time())
        if not self.ready:
            return _Job(waiting.popleft(), None, run) if waiting else None
        group, task = self.ready.popleft()
        self.sink.begun(group, task, run)
        return _Job(group, task, run)

    def _do(self, job: _Job) -> Any:
        """A recording, an answer, or why there is none."""
        began = time.monotonic()
        try:
            if job.task is None:
                return self.captures.record(job.group, self.threads)
            return simulate(job.group, job.task, self.recordings[job.group.capture], self.captures.path(job.group), self.threads)
        except Ended as error:
            return error
        finally:
            job.run.seconds = time.monotonic() - began

    def _take(self, job: _Job, said: Any) -> None:
        if isinstance(said, Ended):
            self.ended.append(str(said))
        elif job.task is None:
            self._recorded(job.group, said)
        else:
            self._answered(job.group, job.task, said, job.run)

    def _recorded(self, group: Group, recording: Recording) -> None:
        self.recordings[group.capture] = recording
        self.left[group.capture] = len(group.tasks)
        self.sink.recorded(group, recording)
        if recording.is_there:
            self.ready.extend((group, task) for task in group.tasks)
            return
        for task in group.tasks:
            run = Run(HOST, time.time(), 0.0)
            self.sink.begun(group, task, run)
            self._answered(group, task, Answer(recording.status, recording.reason), run)

    def _answered(self, group: Group, task: Task, answer: Answer, run: Run) -> None:
        self.sink.answered(group, task, answer, run)
        if answer.status != "ok":
            self.poor.append((task.number, f"{task.text()}: {answer.reason}"))
        self.left[group.capture] -= 1
        if self.left[group.capture] == 0:
            self.sink.finished(group)
            self.captures.remove(group)
        self.on_progress()
