"""Many simulations: some at a time, none that is known already, within a budget of work; and what an interruption leaves is whole."""
from __future__ import annotations

import concurrent.futures
import os
import pathlib
import re
import signal
import sys
import time
from typing import Callable, Generic, Optional, Protocol, Sequence, TypeVar, Union

from warpscope.base import children
from warpscope.base.errors import InputError, reason
from warpscope.run.budget import Work

FROM_OUTSIDE = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
OF_THE_MACHINE = re.compile("No space left on device|Disk quota exceeded|Cannot allocate memory|Input/output error|Stale file handle|"
                            "Too many open files|Resource temporarily unavailable|bad_alloc")
Task = TypeVar("Task")
Key = TypeVar("Key", contravariant=True)
Answer = TypeVar("Answer")


def processors() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) or 1


class Ended(Exception):
    """A tool was ended from outside, or the machine is short of something: that is no answer about the task."""


def ended_by(status: int) -> int:
    """The signal in an exit status of a program or of a shell; 0 without one."""
    return -status if status < 0 else status - 128 if status > 128 else 0


def check_ended(tool: str, status: int, said: str) -> None:
    """Raises Ended."""
    if ended_by(status) in FROM_OUTSIDE:
        raise Ended(f"{tool} was ended by signal {ended_by(status)}")
    if status and (why := next((line for line in said.splitlines() if OF_THE_MACHINE.search(line)), None)):
        raise Ended(why)


class Store(Protocol[Key, Answer]):
    """Where answers are kept from one run to the next. Threads call both."""

    def get(self, task: Key) -> Optional[Answer]:
        """What is known; None without it."""

    def put(self, task: Key, answer: Answer) -> None:
        """From here on it is known, whole or not at all."""


class Progress:
    """One line on standard error that is rewritten, on a terminal only."""

    def __init__(self) -> None:
        self.began, self.shown = time.monotonic(), sys.stderr.isatty()

    def say(self, done: int, of: int, text: str) -> None:
        if self.shown:
            print(f"\r\033[K[{done}/{of}] {text}", end="", file=sys.stderr, flush=True)

    def time_left(self, done: int, of: int) -> str:
        """About 3 min, as the rest takes as long as what was done."""
        seconds = (time.monotonic() - self.began) / done * (of - done)
        return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"

    def end(self) -> None:
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr)


class Experiment(Generic[Task, Answer]):
    """Simulations by `do`, `jobs` at a time in threads of this process, which start tools as children. `folder`: where they write. Whatever ends
    a run, a signal above all, ends the children and begins no other task; an OSError is bad input, about its own file or `folder`."""

    def __init__(self, do: Callable[[Task], Answer], jobs: int = 1, folder: Union[str, pathlib.Path] = ".",
                 store: Optional[Store[Task, Answer]] = None, work: Optional[Work] = None) -> None:
        self.do, self.jobs, self.folder, self.store, self.work = do, jobs, folder, store, work
        self.reused = 0  # answers that were there

    def run(self, take: Callable[[], Optional[Task]], done: Callable[[Task, Answer], None]) -> None:
        """All that `take` gives; it is asked whenever there is room for a task, and gives None where none is ready. It and `done` are called
        by this thread, one at a time, so what was answered stays."""
        running: dict[concurrent.futures.Future[Answer], Task] = {}
        pool = concurrent.futures.ThreadPoolExecutor(self.jobs)
        try:
            while True:
                while len(running) < self.jobs and (task := take()) is not None:
                    running[pool.submit(self.do, task)] = task
                if not running:
                    break
                for future in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                    done(running.pop(future), future.result())
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            children.end_all()
            if isinstance(error, OSError):
                raise InputError(f"{error.filename or self.folder}: {reason(error)}") from error
            raise
        pool.shutdown()

    def each(self, tasks: Sequence[Task], on_answer: Callable[[Answer], None] = lambda answer: None) -> list[Answer]:
        """The answers in the order of the tasks, whatever ended first; those that are known are not made again. `on_answer`: of each, as it comes."""
        found: dict[int, Answer] = {}

        def done(place: int, answer: Answer) -> None:
            found[place] = answer
            on_answer(answer)

        waiting = []
        for place, task in enumerate(tasks):
            known = None if self.store is None else self.store.get(task)
            if known is None:
                waiting.append(place)
                continue
            self.reused += 1
            done(place, known)
        queue = iter(waiting)
        places: Experiment[int, Answer] = Experiment(lambda place: self._made(tasks[place]), self.jobs, self.folder)
        places.run(lambda: next(queue, None), done)
        return [found[place] for place in range(len(tasks))]

    def _made(self, task: Task) -> Answer:
        answer = self.do(task)
        if self.store is not None:
            self.store.put(task, answer)
        return answer

    def affordable(self, tasks: Sequence[Task], cost: Callable[[Task], Optional[int]], part: float = 1.0) -> tuple[list[Task], list[Task]]:
        """(those that the budget has work for, in their order; the others), as long as this part of it lasts. `cost`: None where a task has none."""
        chosen: list[Task] = []
        others: list[Task] = []
        for task in tasks:
            each = cost(task)
            fits = each is not None and (self.work is None or self.work.take(each, part))
            (chosen if fits else others).append(task)
        return chosen, others
