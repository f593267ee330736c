"""Runs under limits: what others have written must not read, write or reach more than it needs, nor run for ever."""
from __future__ import annotations

import json
import pathlib
from typing import Sequence

from warpscope.base import toolchain
from warpscope.run import fixed_target

MEMORY = 16 << 30  # bytes of address space; PoCL and its guarded buffers reserve several GiB
FILE = 4 << 30  # bytes of one file


def command(words: Sequence[str], folder: pathlib.Path, read: Sequence[pathlib.Path], cpu_seconds: int) -> list[str]:
    """The command line under `confine`: writing only below `folder`, reading also below `read`."""
    reads = [word for one in (toolchain.folder().parent, *read) for word in ("--read", str(one))]
    limits = ["--cpu-seconds", str(cpu_seconds), "--memory", str(MEMORY), "--file-size", str(FILE)]
    return [*toolchain.command("confine", "--write", folder, *reads, *limits, "--"), *words]


def caches(folder: pathlib.Path) -> pathlib.Path:
    """Where runs below `folder` have their caches; made if it is not there."""
    found = folder / "caches"
    found.mkdir(parents=True, exist_ok=True)
    return found


def environment(folder: pathlib.Path) -> dict[str, str]:
    """Of runs below `folder`, for one CPU target. Their caches are their own: no code of others is in them."""
    return {**fixed_target.environment(toolchain.environment()), "TMPDIR": str(folder), "POCL_CACHE_DIR": str(caches(folder)), "XDG_CACHE_HOME": str(caches(folder)), "WARPSCOPE_CACHE": ""}


def enforced() -> dict[str, object]:
    """What the limits are on this machine, as `confine --report` says it, but for that of processes, which is not asked for and depends on the user."""
    found: dict[str, object] = json.loads(toolchain.output("confine", "--report", quiet=True))
    return {name: value for name, value in found.items() if name != "processes"}
