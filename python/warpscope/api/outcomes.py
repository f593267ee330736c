"""What simulations return: the JSON that the command writes, data frames, plots."""
from __future__ import annotations

import html
import json
import pathlib
from typing import TYPE_CHECKING, Any, Callable

from warpscope.api import frames
from warpscope.api.figures import Plot, drawn
from warpscope.api.tools import Path, needed
from warpscope.base.errors import InputError
from warpscope.explore import whatif
from warpscope.result import rates, results
from warpscope.show.summary import layout

if TYPE_CHECKING:
    import numpy
    import pandas


class Outcome:
    """JSON of a program: `json` as a dictionary, `text` as it was written, byte by byte."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.json: dict[str, Any] = json.loads(text)

    def __getitem__(self, key: str) -> Any:
        return self.json[key]

    def save(self, path: Path) -> None:
        """Writes the JSON, as the command's --json does."""
        pathlib.Path(path).write_text(self.text, encoding="utf-8")


class Result(Outcome):
    """Counters of a simulation (cachesim/RESULT.md). All counts are numbers of events; docs/reference/counters.md defines each. The data
    frames add up: total = sum of launches = sum of cores = sum of sites = sum of buffers, column by column."""

    @property
    def total(self) -> dict[str, Any]:
        """The counters of all launches and cores together."""
        total: dict[str, Any] = self.json["total"]
        return total

    @property
    def l1_hit_rate(self) -> float | None:
        """Load hits, pending ones too, of the loads looked up: 0 to 1. None without any."""
        return rates.hit_rate(self.total["load"])

    def counters(self) -> "pandas.DataFrame":
        """The total: a row for loads, stores and atomics, a column per counter."""
        return frames.by_kind(self.total)

    def sites(self) -> "pandas.DataFrame":
        """A row per memory instruction, with kernel, file, line, buffers and counters (`load.misses`, …)."""
        return frames.table(self.json["sites"])

    def buffers(self) -> "pandas.DataFrame":
        """A row per memory object: name, space, size in bytes, simulated address, counters."""
        return frames.table(self.json["buffers"], "buffer")

    def launches(self) -> "pandas.DataFrame":
        """A row per launch: kernel, global and local size in work-items, L1 in KiB, counters."""
        return frames.table(self.json["launches"], "launch")

    def cores(self) -> "pandas.DataFrame":
        """A row per core of the GPU that made an access."""
        return frames.table(self.json["cores"], "core")

    def reuse_histogram(self) -> "pandas.DataFrame":
        """References by reuse distance (distinct lines since the last use): from, to, load, store. Raises InputError without it."""
        if not self.json.get("reuse_histogram"):
            raise InputError("no reuse histogram in the result, expected simulate(reuse_histogram=True)")
        return frames.table(self.json["reuse_histogram"]["bins"])

    def sets(self) -> "dict[str, numpy.ndarray[Any, Any]]":
        """`transactions` and `misses` of each set of the L1, all cores and launches together."""
        numpy = needed("numpy", "an array")
        return {key: numpy.asarray(values, dtype=numpy.int64) for key, values in self.json["sets"].items() if isinstance(values, list)}

    def summary(self) -> str:
        """What the command warpscope says about it, at most 25 lines."""
        return "\n".join(layout.summary(self.json))

    def plot(self, name: str = "miss_classes") -> Plot:
        """`miss_classes` (why each memory instruction misses) or `reuse_distance`. Raises InputError if the result has no such numbers."""
        subtitle = f"{results.title(self.json)}\n{results.cache_text(self.json)}"
        drawings: dict[str, Callable[[], Any]] = {"miss_classes": lambda: self._miss_classes(subtitle),
                                                  "reuse_distance": lambda: self._reuse(subtitle)}
        if name not in drawings:
            raise InputError(f"plot '{name}', expected one of {', '.join(drawings)}")
        return drawn(drawings[name])

    def _miss_classes(self, subtitle: str) -> Any:
        from warpscope.show.plots import miss_classes
        bars = miss_classes.bars_of(self.json, "site") if self.total.get("miss_classes") else None
        if not bars:
            raise InputError("no classified misses in the result")
        return miss_classes.draw(bars, "Why accesses miss", subtitle, "Memory instruction (buffer, source line)")

    def _reuse(self, subtitle: str) -> Any:
        from warpscope.show.plots import reuse
        self.reuse_histogram()
        return reuse.draw(self.json["reuse_histogram"], "Reuse distance", subtitle)

    def __repr__(self) -> str:
        load = self.total["load"]
        return f"<{type(self).__name__}: {results.title(self.json)}; {load['transactions']:,} load transactions>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


class TimedResult(Result):
    """Counters of a simulation cycle by cycle (docs/tools/timed.md), with `timing`."""

    @property
    def timing(self) -> dict[str, Any]:
        """Cycles, instructions per cycle, latencies in cycles, bytes."""
        timing: dict[str, Any] = self.total["timing"]
        return timing

    @property
    def cycles(self) -> int:
        """Cycles of all launches, at the GPU's core clock."""
        return int(self.timing["cycles"])

    def summary(self) -> str:
        """The cycles in one line."""
        return (f"{results.title(self.json)}\n{results.cache_text(self.json)}\n{self.cycles:,} cycles, "
                f"{self.timing['warp_instructions_per_cycle']:.3f} warp instructions per cycle")


class Sweep(Outcome):
    """Many caches on one schedule (docs/tools/sweep.md)."""

    def cells(self) -> "pandas.DataFrame":
        """A row per cache: size_kib, line_bytes, ways, sets, …, counters, load_miss_rate_percent."""
        return frames.table(self.json["cells"])

    def best(self) -> "pandas.DataFrame":
        """The best cache of each capacity that misses at least 1 % fewer loads than all smaller ones."""
        cells = self.cells()
        return cells.iloc[self.json["best"]]

    def plot(self, x: str = "ways", y: str = "sets") -> Plot:
        """Maps of load miss rates over two of size_kib, ways, sets, …, and curves over capacity."""
        from warpscope.show.plots import sweep
        return drawn(lambda: sweep.draw(self.json, None, x, y))

    def __repr__(self) -> str:
        return f"<Sweep: {len(self.json['cells']):,} caches>"

    def _repr_html_(self) -> str:
        return str(self.best().to_html())


class Comparison(Outcome):
    """A what-if (docs/tools/what-if.md): before, after and after / before, of both clocks."""

    def fixed(self) -> "pandas.DataFrame":
        """The fixed order: a row per measure."""
        return frames.compared(self.json["fixed"])

    def timed(self) -> "pandas.DataFrame":
        """Cycle by cycle. Raises InputError that says why there is none."""
        if not self.json["timed"]:
            raise InputError(f"not timed: {self.json['not_timed']}")
        return frames.compared(self.json["timed"])

    @property
    def speedup(self) -> float | None:
        """Cycles before / cycles after; None if they were not simulated."""
        ratio = (self.json["timed"] or {}).get("ratio", {}).get("cycles")
        return 1 / ratio if ratio else None

    def summary(self) -> str:
        """What the command prints."""
        return "\n".join(whatif.text_of(self.json))

    def __repr__(self) -> str:
        return f"<Comparison: {', '.join(self.json['changes']) or ', '.join(self.json['machine'])}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


class Prediction(Outcome):
    """A performance model's answer (docs/tools/model.md)."""

    @property
    def seconds(self) -> float:
        """The predicted time in seconds."""
        return float(self.json["seconds"])

    def inputs(self) -> "pandas.DataFrame":
        """A row per input: value, unit, origin."""
        pandas = needed("pandas", "a data frame")
        return pandas.DataFrame.from_dict(self.json["inputs"], orient="index")

    def _repr_html_(self) -> str:
        return str(self.inputs().to_html())


def load(path: Path) -> Result:
    """A result.json that a program wrote before. Raises InputError where it is no such file."""
    said = results.load(str(path))
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return (TimedResult if "timing" in said["total"] else Result)(text)
