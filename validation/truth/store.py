"""What was simulated already: one small file per launch and engine, so that a call that was stopped or killed goes on."""
import hashlib
import json
import os
import pathlib
import shutil

from warpscope.base import toolchain
from warpscope.base.source import SOURCE

FORMAT = 2
TOOLS = ("trace-kernel", "cachesim")


def file_digest(*paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(pathlib.Path(path).name.encode() + b"\0" + pathlib.Path(path).read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def tools_digest(*tools):
    """Changes when one of the tools does."""
    return file_digest(*(toolchain.folder() / tool for tool in tools or TOOLS))


def preset_file(preset):
    """The file of a preset of this source tree, which a build may not know yet; the name where there is none."""
    path = SOURCE / "gpus" / f"{preset}.json"
    return str(path) if path.exists() else preset


def preset_digest(preset):
    path = pathlib.Path(preset_file(preset))
    return file_digest(path) if path.exists() else preset


class Captures:
    """Small captures, kept by what they were made of: a change of the simulator alone captures nothing anew."""

    LARGEST = 8 << 20  # bytes of one that is kept

    def __init__(self, folder, tool, stale=False):
        """`tool`: changes when trace-kernel does."""
        self.folder = pathlib.Path(folder)
        self.tool = tool
        self.stale = stale

    def _name(self, made_of):
        return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:20]

    def get(self, made_of):
        """The file, or None."""
        name = self._name(made_of)
        path = self.folder / f"{name}-{self.tool}.wtrace"
        others = sorted(self.folder.glob(f"{name}-*.wtrace")) if self.stale else []
        return path if path.exists() else next(iter(others), None)

    def keep(self, made_of, path):
        """Moves a capture here if it is small; where it is now."""
        if path.stat().st_size > self.LARGEST:
            return path
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = self.folder / f"{self._name(made_of)}-{self.tool}.wtrace"
        temporary = kept.with_suffix(f".{os.getpid()}.new")
        shutil.copyfile(path, temporary)
        temporary.replace(kept)
        return kept


class Store:
    """Results by name. An entry says with which tools, preset and options it was made; with others it does not count, unless
    `stale` says that old ones do."""

    def __init__(self, folder, tools, stale=False):
        self.folder = pathlib.Path(folder)
        self.tools = tools
        self.stale = stale
        self.used_stale = 0

    def _path(self, name):
        key = hashlib.sha256(name.encode()).hexdigest()[:20]
        return self.folder / key[:2] / f"{key}.json"

    def _entry(self, name):
        try:
            entry = json.loads(self._path(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return entry if entry.get("format") == FORMAT and entry.get("name") == name else None

    def give_up(self, name, made_with, limit):
        """Notes that a step took more than `limit` seconds."""
        self.put(f"{name} limit", made_with, limit)

    def gave_up(self, name, made_with, limit):
        """Whether it took more than `limit` seconds before."""
        entry = self._entry(f"{name} limit")
        return entry is not None and (entry["tools"], entry["made_with"]) == (self.tools, made_with) and entry["result"] >= limit

    def is_of_this_build(self, name, made_with):
        entry = self._entry(name)
        return entry is not None and (entry["tools"], entry["made_with"]) == (self.tools, made_with)

    def get(self, name, made_with):
        """The entry, or None. `made_with` is whatever else the result depends on, as JSON."""
        entry = self._entry(name)
        if entry is None:
            return None
        if self.is_of_this_build(name, made_with):
            return entry["result"]
        if not self.stale:
            return None
        self.used_stale += 1
        return entry["result"]

    def put(self, name, made_with, result):
        """Whole or not at all, whenever we are killed."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"format": FORMAT, "name": name, "tools": self.tools, "made_with": made_with, "result": result}
        temporary = path.with_suffix(f".{os.getpid()}.new")
        temporary.write_text(json.dumps(entry), encoding="utf-8")
        temporary.replace(path)
