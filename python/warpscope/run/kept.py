"""What the tools said of a capture, kept from one call to the next: a model's second answer needs no simulation.

A file per answer of a tool in one folder, named by all that the answer depends on: the capture's bytes, the GPU preset, the tools and the
options. Its first line is the checksum of the rest, so that a damaged file counts as none. The files that were used longest ago leave first.
"""
from __future__ import annotations

import hashlib
import os
import pathlib
import sys
import tempfile
from typing import Any, Callable, Optional, Union

from warpscope.base import toolchain
from warpscope.base.errors import printable_message, reason
from warpscope.base.source import SOURCE

VARIABLE = "WARPSCOPE_CACHE"
MOST_BYTES = 256 << 20  # of all files
TOOLS = ("warpsched", "cachesim", "trace-view")
FORMAT = b"1"  # of a file and its name


def folder() -> Optional[pathlib.Path]:
    """$WARPSCOPE_CACHE, else warpscope in the user's folder of caches. None where nothing is to be kept: the variable is empty, or there is no
    such folder."""
    if (named := os.environ.get(VARIABLE)) is not None:
        return pathlib.Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return pathlib.Path(base) / "warpscope"
    home = os.environ.get("HOME", "")
    return pathlib.Path(home) / ".cache" / "warpscope" if os.path.isabs(home) else None


def _hash(*parts: bytes) -> bytes:
    """Of parts, each with its length: ("ab", "c") is not ("a", "bc")."""
    whole = hashlib.blake2b(digest_size=20)
    for part in parts:
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole.digest()


def _of_file(path: Union[str, pathlib.Path]) -> bytes:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=20)).digest()


def _of_tools() -> bytes:
    """A tool that was built or installed anew is another one."""
    states = [(toolchain.folder() / tool).stat() for tool in TOOLS if (toolchain.folder() / tool).exists()]
    return repr([(state.st_size, state.st_mtime_ns) for state in states]).encode()


def _of_preset(name: str) -> bytes:
    """The preset in the source tree and next to the tools, which after a change and before a build are two."""
    places = (SOURCE / "gpus", toolchain.folder().parent / "share" / "warpscope" / "gpus")
    return _hash(*(_of_file(path) for path in (place / f"{name}.json" for place in places) if path.exists()))


class Kept:
    """The answers about one capture on the GPU of one preset. `fresh`: those of before do not count; they are made anew and kept."""

    def __init__(self, capture: Union[str, pathlib.Path], preset: str, fresh: bool = False) -> None:
        self._folder, self._fresh = folder(), fresh
        self._of_all = b"" if self._folder is None else _hash(FORMAT, _of_tools(), _of_preset(preset), _of_file(capture))

    def answer(self, words: Any, make: Callable[[], tuple[bytes, bool]]) -> bytes:
        """What `make` returns, or returned when it was called with the same `words` (whose repr counts); with it, it says whether to keep
        that."""
        if self._folder is None:
            return make()[0]
        path = self._folder / f"{_hash(self._of_all, repr(words).encode()).hex()}.kept"
        content = None if self._fresh else _read(path)
        if content is None:
            content, whole = make()
            try:
                if whole:
                    _write(path, content)
            except OSError as error:
                self._give_up(error)
        return content

    def _give_up(self, error: OSError) -> None:
        print(f"warpscope: {printable_message(str(self._folder))}: simulations are not kept ({reason(error)}), expected a folder that can be "
              f"written; set {VARIABLE} to another, or to nothing to keep none", file=sys.stderr)
        self._folder = None


def _read(path: pathlib.Path) -> Optional[bytes]:
    """The content of a kept file, which is used now; None where there is none or it is damaged."""
    try:
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum != _hash(content).hex().encode():
            return None
        os.utime(path)
        return content
    except OSError:
        return None


def _write(path: pathlib.Path, content: bytes) -> None:
    """Others may write the same file now: each under a name of its own until it is complete."""
    if len(content) > MOST_BYTES:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix="part-", suffix=".kept")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_hash(content).hex().encode() + b"\n" + content)
        os.replace(part, path)
    finally:
        pathlib.Path(part).unlink(missing_ok=True)
    _shrink(path.parent)


def _shrink(where: pathlib.Path) -> None:
    """Removes what was used longest ago until the rest has at most MOST_BYTES."""
    states = []
    for path in where.glob("*.kept"):
        try:
            states.append((path.stat().st_mtime_ns, path.stat().st_size, path))
        except FileNotFoundError:  # another call removed it
            continue
    total = sum(size for _, size, _ in states)
    for _, size, path in sorted(states):
        if total <= MOST_BYTES:
            return
        path.unlink(missing_ok=True)
        total -= size
