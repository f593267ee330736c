"""The one store of what was made before: captures, and what the tools said of them. Each is a file under a name made of all that it depends on:
what ran (sources with what they include, options), the tools with what they load, PoCL, the GPU presets. So whatever changes has another
name, on every machine.

Every entry has its checksum: a damaged one counts as none and is made again. It appears under its name when it is complete, so that several
writers do not disturb each other. A store with a bound removes first what was used longest ago.
"""
from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
from typing import Any, Callable, Iterable, Optional, Union

from warpscope.base import cuda_tools, presets, toolchain
from warpscope.base.errors import printable_message, reason
from warpscope.base.source import SOURCE

Path = Union[str, pathlib.Path]
VARIABLE = "WARPSCOPE_CACHE"
MOST_BYTES = 256 << 20  # of all files in the user's folder
TOOLS = ("warpsched", "cachesim", "trace-view")
FORMAT = b"2"  # of what a name is made of
PART, PART_SECONDS = "part-", 24 * 3600  # what is not complete: its name's beginning, and when nobody writes it any more
SUFFIX = ".kept"  # of an answer; a capture has one next to it, with its digest
# What runs when trace-kernel does, besides itself: the plug-ins of its build, and of the system PoCL and the compiler behind it.
RECORDER = ("compile-kernel",)
SYSTEM = ("libpocl.so.*", "libLLVM-15.so.*", "libclang-cpp.so.15*")
BUILD_ID = re.compile(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", re.DOTALL)  # the note that a linker makes of all that it links


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


def digest(*parts: Any) -> str:
    """Of bytes, and of anything else that its repr() tells apart; each with its length: ("ab", "c") is not ("a", "bc")."""
    whole = hashlib.blake2b(digest_size=20)
    for part in parts:
        content = part if isinstance(part, bytes) else repr(part).encode()
        whole.update(len(content).to_bytes(8, "little"))
        whole.update(content)
    return whole.hexdigest()


@functools.lru_cache(maxsize=4096)
def _of_state(path: str, size: int, changed: int) -> str:
    with open(path, "rb") as file:
        head = file.read(8192)
        if size > 1 << 20 and head.startswith(b"\x7fELF") and (found := BUILD_ID.search(head)):
            return digest(found[1])
        file.seek(0)
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=20)).hexdigest()


def of_file(path: Path) -> str:
    """Of a file's content; of a large program or library that of its build."""
    state = os.stat(path)
    return _of_state(os.path.realpath(path), state.st_size, state.st_mtime_ns)


def of_files(paths: Iterable[Path], start: Optional[Path] = None) -> str:
    """Of names and contents of those that there are. The names are relative to `start`, or the last part of each path."""
    named = ((os.path.relpath(path, start) if start else os.path.basename(path), path) for path in paths if os.path.isfile(path))
    return digest(*((name, of_file(path)) for name, path in sorted(named)))


def with_includes(paths: Iterable[Optional[Path]]) -> list[pathlib.Path]:
    """Files, what they include with "…", and what launch files among them fill buffers from; each once."""
    found: dict[pathlib.Path, None] = {}
    queue = [pathlib.Path(path) for path in paths if path is not None]
    while queue:
        path = queue.pop(0)
        if path in found or not path.is_file():
            continue
        found[path] = None
        for name in re.findall(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"|(?:file|none):([^"\n,]+)"', path.read_bytes(), re.MULTILINE):
            queue.append(path.parent / (name[0] or name[1]).decode("utf-8", "replace"))
    return list(found)


def of_tools(*names: str) -> str:
    """Of programs, with what they load: a build or a package that differs is another tool."""
    home = toolchain.folder()
    files = [home / name for name in names]
    if "trace-kernel" in names:
        plugins = home.parent / "lib" / "warpscope"
        files += [*(home / name for name in RECORDER), *(path for path in sorted(plugins.rglob("*")) if path.suffix != ".py"),
                  *(path for pattern in SYSTEM for path in sorted(pathlib.Path("/usr/lib").glob(f"*/{pattern}")))]
    return of_files(files)


def of_compilers(kernel: Path, words: Iterable[str]) -> str:
    """Of NVIDIA's compilers where they make the code of a kernel; "" elsewhere."""
    if not str(kernel).endswith(".ptx") and not any(word.partition("=")[0] == "--machine" for word in words):
        return ""
    return of_files([found for name in ("nvcc", "ptxas") if (found := cuda_tools.look(name))])


def of_preset(name: str) -> str:
    """Of a .json file, or of a preset by name: in the source tree and next to the tools, which after a change and before a build are two."""
    places = (SOURCE / "gpus", toolchain.folder().parent / "share" / "warpscope" / "gpus")
    paths = [pathlib.Path(name)] if name.endswith(".json") else [place / f"{presets.canonical(name)}.json" for place in places]
    contents = {json.dumps(presets.read(path), sort_keys=True) for path in paths if path.is_file()}
    return digest(pathlib.Path(name).name, *sorted(contents))


class Store:
    """Files in a folder. `most_bytes`: of all together; None, where they are a user's results: they stay."""

    def __init__(self, where: Path, most_bytes: Optional[int] = None) -> None:
        self.folder, self.most_bytes = pathlib.Path(where), most_bytes
        for left in self.folder.glob(f"{PART}*"):  # by a writer that was killed
            with contextlib.suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > PART_SECONDS:
                    shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()

    def path(self, name: str, suffix: str = SUFFIX) -> pathlib.Path:
        return self.folder / f"{name}{suffix}"

    def get(self, name: str) -> Optional[bytes]:
        """An answer, which is used now; None where there is none or it is damaged."""
        path = self.path(name)
        try:
            checksum, _, content = path.read_bytes().partition(b"\n")
            if checksum != digest(content).encode():
                return None
            os.utime(path)
            return content
        except OSError:
            return None

    def put(self, name: str, content: bytes) -> None:
        """Keeps an answer. Raises OSError."""
        if self.most_bytes is not None and len(content) > self.most_bytes:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=self.folder, prefix=PART, suffix=SUFFIX)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(digest(content).encode() + b"\n" + content)
            os.replace(part, self.path(name))
        finally:
            pathlib.Path(part).unlink(missing_ok=True)
        self._shrink()

    def file(self, name: str, suffix: str) -> Optional[pathlib.Path]:
        """A file that was kept, which is used now; None where there is none or it is damaged."""
        path, said = self.path(name, suffix), self.get(f"{name}{suffix}")
        try:
            if said is None or of_file(path).encode() != said:
                return None
            os.utime(path)
            return path
        except OSError:
            return None

    def put_file(self, name: str, suffix: str, made: pathlib.Path) -> pathlib.Path:
        """Moves a file here; where it is now. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path, content = self.path(name, suffix), of_file(made)
        try:
            os.replace(made, path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            with tempfile.TemporaryDirectory(dir=self.folder, prefix=PART) as work:
                os.replace(shutil.move(made, work), path)
        self.put(f"{name}{suffix}", content.encode())
        return path

    def make_file(self, name: str, suffix: str, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
        """A file that was kept, or that `make` writes to the path that it is given; of processes side by side, one makes it."""
        if (found := self.file(name, suffix)) is not None:
            return found
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.path(name, ".lock"), "a", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if (found := self.file(name, suffix)) is not None:
                return found
            with tempfile.TemporaryDirectory(dir=self.folder, prefix=PART) as work:
                made = pathlib.Path(work) / f"{name}{suffix}"
                make(made)
                return self.put_file(name, suffix, made)

    def remove(self, name: str, suffix: str = "") -> None:
        """An answer, or a file with its digest."""
        for path in (self.path(name), self.path(name, suffix), self.path(f"{name}{suffix}")):
            if path.is_file():
                path.unlink(missing_ok=True)

    def _shrink(self) -> None:
        """Removes what was used longest ago until the rest has at most most_bytes."""
        if self.most_bytes is None:
            return
        states = []
        for path in filter(pathlib.Path.is_file, self.folder.iterdir()):
            try:
                states.append((path.stat().st_mtime_ns, path.stat().st_size, path))
            except FileNotFoundError:  # another call removed it
                continue
        total = sum(size for _, size, _ in states)
        for _, size, path in sorted(states):
            if total <= self.most_bytes:
                return
            path.unlink(missing_ok=True)
            total -= size


class Kept:
    """The answers about one capture on the GPU of one preset. `fresh`: those of before do not count; they are made again and kept."""

    def __init__(self, capture: Path, preset: str, fresh: bool = False) -> None:
        where, self._fresh = folder(), fresh
        self._store = None if where is None else Store(where, MOST_BYTES)
        self._of_all = "" if where is None else digest(FORMAT, of_tools(*TOOLS), of_preset(preset), of_file(capture))

    def answer(self, words: Any, make: Callable[[], tuple[bytes, bool]]) -> bytes:
        """What `make` returns, or returned when it was called with the same `words` (whose repr counts); with it, it says whether to keep
        that."""
        if self._store is None:
            return make()[0]
        name = digest(self._of_all, words)
        content = None if self._fresh else self._store.get(name)
        if content is None:
            content, whole = make()
            try:
                if whole:
                    self._store.put(name, content)
            except OSError as error:
                self._give_up(self._store.folder, error)
        return content

    def _give_up(self, where: pathlib.Path, error: OSError) -> None:
        print(f"warpscope: {printable_message(str(where))}: simulations are not kept ({reason(error)}), expected a folder that can be "
              f"written; set {VARIABLE} to another, or to nothing to keep none", file=sys.stderr)
        self._store = None
