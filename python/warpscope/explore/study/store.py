"""A study's answers in one SQLite file, FOLDER/study.sqlite. `results`, `measures` and `listed` depend on the study only, and are the same bytes
in order of their keys however it was run; times, hosts and attempts are in `runs` and `recordings`."""
from __future__ import annotations

import contextlib
import fcntl
import json
import pathlib
import sqlite3
from typing import Any, Iterable, Iterator

from warpscope.base.errors import InputError, reason
from warpscope.explore.study.running import Answer, Recording, Run
from warpscope.explore.study.tasks import Group, Task

FILE = "study.sqlite"
APPLICATION, VERSION = 0x57535354, 1  # "WSST"
TABLES = """
CREATE TABLE results(key TEXT PRIMARY KEY, program TEXT NOT NULL, parameters TEXT NOT NULL, gpu TEXT NOT NULL, configuration TEXT NOT NULL,
    engine TEXT NOT NULL, capture TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE measures(key TEXT NOT NULL, name TEXT NOT NULL, value NOT NULL, PRIMARY KEY(key, name)) WITHOUT ROWID;
CREATE TABLE listed(number INTEGER PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE study(name TEXT NOT NULL);
CREATE TABLE runs(key TEXT NOT NULL, host TEXT NOT NULL, started REAL NOT NULL, seconds REAL, PRIMARY KEY(key, started, host)) WITHOUT ROWID;
CREATE TABLE recordings(capture TEXT NOT NULL, host TEXT NOT NULL, started REAL NOT NULL, seconds REAL NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY(capture, started, host)) WITHOUT ROWID;
"""


class Store:
    """An open file; a Sink of running.py. Raises InputError where the file is none of ours or cannot be written."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        with self._said():
            self.base = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._prepare()

    @contextlib.contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"{self.path}: {reason(error)}, expected the file of a study that can be written") from error

    def _prepare(self) -> None:
        (application,), (version,) = (self.base.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
        if (application, version) == (APPLICATION, VERSION):
            return
        if application or version or self.base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise InputError(f"{self.path}: version {version} of another program's file, expected version {VERSION} of a study; use another folder")
        self.base.executescript(f"BEGIN; {TABLES} PRAGMA application_id={APPLICATION}; PRAGMA user_version={VERSION}; COMMIT;")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, also if the process or the machine ends meanwhile."""
        with self._said():
            self.base.execute("BEGIN IMMEDIATE")
            try:
                yield self.base
            except BaseException:
                self.base.execute("ROLLBACK")
                raise
            self.base.execute("COMMIT")

    def list_tasks(self, name: str, tasks: Iterable[Task]) -> None:
        """Which tasks the study has now; answers to others stay, and are not reported."""
        with self.transaction() as base:
            base.execute("DELETE FROM study")
            base.execute("INSERT INTO study VALUES(?)", (name,))
            base.execute("DELETE FROM listed")
            base.executemany("INSERT INTO listed VALUES(?, ?)", ((task.number, task.key) for task in tasks))

    def answered_keys(self) -> set[str]:
        with self._said():
            return {key for key, in self.base.execute("SELECT key FROM results")}

    def recorded(self, group: Group, recording: Recording) -> None:
        with self.transaction() as base:
            insert_recording(base, group.capture, recording)

    def begun(self, group: Group, task: Task, run: Run) -> None:
        with self.transaction() as base:
            insert_run(base, task.key, run)

    def answered(self, group: Group, task: Task, answer: Answer, run: Run) -> None:
        with self.transaction() as base:
            insert_answer(base, group, task, answer)
            insert_run(base, task.key, run)

    def finished(self, group: Group) -> None:
        """All is kept already."""

    def close(self) -> None:
        self.base.close()


def insert_recording(base: sqlite3.Connection, capture: str, made: Recording) -> None:
    base.execute("INSERT OR IGNORE INTO recordings VALUES(?, ?, ?, ?, ?)", (capture, made.host, made.started, made.seconds, made.bytes))


def insert_run(base: sqlite3.Connection, key: str, run: Run) -> None:
    base.execute("INSERT OR REPLACE INTO runs VALUES(?, ?, ?, ?)", (key, run.host, run.started, run.seconds))


def insert_answer(base: sqlite3.Connection, group: Group, task: Task, answer: Answer) -> None:
    base.execute("INSERT OR IGNORE INTO results VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", (
        task.key, task.program, json.dumps(task.parameters), task.gpu.name, task.configuration.name, task.configuration.engine, group.capture,
        answer.status, answer.reason))
    base.executemany("INSERT OR IGNORE INTO measures VALUES(?, ?, ?)", ((task.key, *one) for one in answer.measures.items()))


@contextlib.contextmanager
def opened(folder: pathlib.Path) -> Iterator[Store]:
    """The store of a folder, for one process at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{folder}: another run of a study uses it, expected a folder of its own") from error
        store = Store(folder / FILE)
        try:
            yield store
        finally:
            store.close()


def rows(folder: pathlib.Path) -> tuple[list[dict[str, Any]], int, str]:
    """(the answers to the tasks of the study, in its order; how many tasks it has; its name). Raises InputError."""
    path = folder / FILE
    if not path.is_file():
        raise InputError(f"{path}: no such file, expected the folder of a study: warpscope study STUDY.toml -o FOLDER")
    store = Store(path)
    try:
        return _rows(store)
    except (sqlite3.Error, ValueError) as error:
        raise InputError(f"{path}: {reason(error)}, expected the file of a study") from error
    finally:
        store.close()


def _rows(store: Store) -> tuple[list[dict[str, Any]], int, str]:
    count: int = store.base.execute("SELECT count(*) FROM listed").fetchone()[0]
    found: dict[str, dict[str, Any]] = {}
    names = ("program", "parameters", "gpu", "configuration", "engine", "status", "reason")
    for key, *values in store.base.execute(f"SELECT key, {', '.join(names)} FROM listed JOIN results USING(key) ORDER BY number"):
        found[key] = {**dict(zip(names, values)), "measures": {}}
        found[key]["parameters"] = json.loads(found[key]["parameters"])
    for key, name, value in store.base.execute("SELECT key, name, value FROM listed JOIN measures USING(key) ORDER BY number, name"):
        found[key]["measures"][name] = value
    name = store.base.execute("SELECT name FROM study").fetchone()
    return list(found.values()), count, name[0] if name else ""

