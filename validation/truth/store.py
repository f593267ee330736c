"""What was simulated already: an answer per launch and engine, so that a call that was stopped or killed goes on; and small captures."""
import hashlib
import json

from warpscope.base.source import SOURCE
from warpscope.run import kept

FORMAT = 3
TOOLS = ("trace-kernel", "cachesim")


def tools_digest(*tools):
    """Changes when one of the tools does."""
    return kept.of_tools(*(tools or TOOLS))


def preset_file(preset):
    """The file of a preset of this source tree, which a build may not know yet; the name where there is none."""
    path = SOURCE / "gpus" / f"{preset}.json"
    return str(path) if path.exists() else preset


def preset_digest(preset):
    return kept.of_preset(preset_file(preset))


class Captures:
    """Small captures, kept by what they were made of: a change of the simulator alone makes no new ones."""

    LARGEST = 8 << 20  # bytes of one that is kept
    SUFFIX = ".wtrace"

    def __init__(self, folder, tool, stale=False):
        """`tool`: changes when trace-kernel does."""
        self.store, self.tool, self.stale = kept.Store(folder), tool, stale

    def _name(self, made_of):
        return f"{kept.digest(made_of)}-{self.tool}"

    def get(self, made_of):
        """The file, or None; with `stale` also one that another trace-kernel has made."""
        others = sorted(self.store.folder.glob(f"{kept.digest(made_of)}-*{self.SUFFIX}")) if self.stale else []
        found = (self.store.file(name, self.SUFFIX) for name in (self._name(made_of), *(path.name.removesuffix(self.SUFFIX) for path in others)))
        return next(filter(None, found), None)

    def keep(self, made_of, path):
        """Moves a capture here if it is small; where it is now."""
        return path if path.stat().st_size > self.LARGEST else self.store.put_file(self._name(made_of), self.SUFFIX, path)


class Store:
    """Results by name. An entry says with which tools, preset and options it was made; with others it does not count, unless
    `stale` says that old ones do."""

    def __init__(self, folder, tools, stale=False):
        self.kept = kept.Store(folder)
        self.tools = tools
        self.stale = stale
        self.used_stale = 0

    def _entry(self, name):
        content = self.kept.get(kept.digest(FORMAT, name))
        return self._entry_of_before(name) if content is None else json.loads(content)

    def _entry_of_before(self, name):
        """As format 2 had it, for --stale: there are days of simulation in such folders."""
        key = hashlib.sha256(name.encode()).hexdigest()[:20]
        try:
            entry = json.loads((self.kept.folder / key[:2] / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return entry if entry.get("format") == 2 and entry.get("name") == name else None

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
        self.kept.put(kept.digest(FORMAT, name), json.dumps({"name": name, "tools": self.tools, "made_with": made_with, "result": result}).encode())
