"""warpscope study --list: the tasks of a study."""
from __future__ import annotations

import pathlib

from warpscope.explore.study import store
from warpscope.explore.study.reading import Study
from warpscope.explore.study.tasks import groups_of, tasks_of


def lines(study: Study, folder: pathlib.Path, most: int) -> list[str]:
    """How many tasks there are and how many are left, then each."""
    groups = groups_of(study)
    tasks = tasks_of(groups)
    answered: set[str] = set()
    if (folder / store.FILE).is_file():
        base = store.Store(folder / store.FILE)
        answered = base.answered_keys()
        base.close()
    left = sum(task.key not in answered for task in tasks)
    found = [f"{study.path.name}: {len(tasks):,} tasks of {len(groups):,} captures, {left:,} left to do"]
    found += [f"  {'done' if task.key in answered else 'left'}  {task.text()}" for task in tasks[:most]]
    return found + ([f"  and {len(tasks) - most:,} more"] if len(tasks) > most else [])
