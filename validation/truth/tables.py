"""The tables of validation/truth (README.md defines the columns): launches, what was measured, how they are captured, their groups."""
import csv
import dataclasses
import fnmatch
import functools
import pathlib
import shlex

from warpscope.base import presets
from warpscope.base.errors import InputError, reason

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDER = SOURCE / "validation" / "truth"
SPLITS = SOURCE / "validation" / "notes" / "splits.csv"

HIT_RATES = ("l1tex__t_sector_hit_rate.pct", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "l1_cache_global_hit_rate",
             "tex__hit_rate.pct", "l1_miss_ratio")
TIMES = ("gpu__time_duration.sum", "sm__cycles_elapsed.max")
VARIANTS = ("transpose", "coulomb", "conv7x7", "convolution")  # families of which many variants of one kernel were measured


@dataclasses.dataclass
class Command:
    """How trace-kernel captures a launch: a file relative to the repository, and options without -o."""

    file: str
    options: tuple
    simulator_options: tuple = ()  # of cachesim, where a command has a column for them

    @property
    def path(self):
        return SOURCE / self.file


@dataclasses.dataclass
class Launch:
    """A launch that was measured. `measured` and `spread` are by the profiler's own counter name."""

    name: str
    gpu: str
    preset: str
    cc: str
    profiler: str
    family: str
    group: str
    seen: str
    grid: tuple
    block: tuple
    settings: dict
    measured: dict = dataclasses.field(default_factory=dict)
    spread: dict = dataclasses.field(default_factory=dict)
    command: Command | None = None
    fold_family: str = ""
    fold_gpu: str = ""

    @property
    def groups(self):
        """Work-groups of the whole launch."""
        x, y, z = self.grid
        return x * y * z

    @property
    def timed(self):
        """Whether its time was measured."""
        return any(name in self.measured for name in TIMES)

    @property
    def generation(self):
        return generation(self.cc)

    def options(self):
        """What the row itself states, as options of cachesim."""
        words = []
        if "dlcm" in self.settings:
            words += ["--set", f"l1_caches_global_loads={'true' if self.settings['dlcm'] == 'ca' else 'false'}"]
        if "registers" in self.settings:
            words += ["--registers", self.settings["registers"]]
        return words


GENERATIONS = (("2", "Fermi"), ("3", "Kepler"), ("5", "Maxwell"), ("6", "Pascal"), ("7.0", "Volta"), ("7.5", "Turing"),
               ("8.9", "Ada"), ("8", "Ampere"), ("9", "Hopper"), ("1", "Blackwell"))


def generation(cc):
    """The architecture's name of a compute capability such as "8.6"."""
    return next(name for start, name in GENERATIONS if cc.startswith(start))


def rows(path, columns):
    """The lines of a CSV file as dicts; its head must have these columns. Raises InputError."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise InputError(f"{path}: no column '{missing[0]}', expected {','.join(columns)}")
            return list(reader)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {reason(error)}, expected a table {','.join(columns)}") from error


def sizes(text):
    """"16x16x1" as three numbers."""
    numbers = [int(word) for word in text.split("x")]
    return tuple(numbers + [1] * (3 - len(numbers)))


def commands(folder=FOLDER):
    """Launch -> Command, of every table in commands/."""
    found = {}
    for path in sorted((folder / "commands").glob("*.csv")):
        for row in rows(path, ("launch", "file", "options")):
            if row["launch"] in found:
                raise InputError(f"{path}: '{row['launch']}' is there twice, expected one command of a launch")
            found[row["launch"]] = Command(row["file"], tuple(shlex.split(row["options"])),
                                           tuple(shlex.split(row.get("simulator_options") or "")))
    return found


AGAIN = "-run2"  # ends the name of a launch that the same authors measured a second time


def spread_of_repeats(known):
    """{(GPU, counter): half the largest relative difference of two measurements of one launch on that GPU}."""
    found = {}
    for name, first in known.items():
        second = known.get(name + AGAIN)
        for counter in first.measured.keys() & second.measured.keys() if second else ():
            one, other = first.measured[counter], second.measured[counter]
            half = abs(one - other) / abs(one + other) if one + other else 0.0
            found[first.gpu, counter] = max(half, found.get((first.gpu, counter), 0.0))
    return found


def launches(folder=FOLDER, splits=SPLITS):
    """The launches of sample.csv, in its order, with all that is known of them."""
    known = {}
    for row in rows(folder / "launches.csv", ("launch", "gpu", "preset", "cc", "family", "group", "seen", "grid", "settings")):
        settings = dict(word.split("=", 1) for word in row["settings"].split())
        known[row["launch"]] = Launch(row["launch"], row["gpu"], row["preset"], row["cc"], row["profiler"], row["family"],
                                      row["group"], row["seen"], sizes(row["grid"]), sizes(row["block"]), settings)
    for row in rows(folder / "measured.csv", ("launch", "counter", "value", "spread")):
        one = known[row["launch"]]
        one.measured[row["counter"]] = float(row["value"])
        if row["spread"]:
            one.spread[row["counter"]] = float(row["spread"])
    repeats = spread_of_repeats(known)
    for one in known.values():
        for counter, value in one.measured.items():
            if (one.gpu, counter) in repeats:
                one.spread.setdefault(counter, repeats[one.gpu, counter] * abs(value))
    for row in rows(splits, ("launch", "fold_family", "fold_gpu")):
        known[row["launch"]].fold_family, known[row["launch"]].fold_gpu = row["fold_family"], row["fold_gpu"]
    for name, command in commands(folder).items():
        if name not in known:
            raise InputError(f"{folder / 'commands'}: '{name}', expected a launch of launches.csv")
        known[name].command = command
    return [known[row["launch"]] for row in rows(folder / "sample.csv", ("launch",))]


@dataclasses.dataclass
class Fitted:
    """A value of a preset that was chosen by rows of these groups: their scores are not those of groups left out."""

    preset: str
    key: str
    value: str
    families: frozenset
    gpus: frozenset
    why: str


def fitted(folder=FOLDER):
    return [Fitted(row["preset"], row["key"], row["value"], frozenset(row["fold_family"].split()),
                   frozenset(row["fold_gpu"].split()), row["why"])
            for row in rows(folder / "fitted.csv", ("preset", "key", "value", "fold_family", "fold_gpu", "why"))]


SPLITS_BY = ("family", "gpu")  # what is left out: a fold of families on every GPU, or a GPU with all of its launches


def fold(launch, split):
    return launch.fold_family if split == "family" else launch.fold_gpu


def chosen_by(launch, values, split="family"):
    """The fitted values of a launch's preset that launches of its fold took part in choosing."""
    return [value for value in values if value.preset in (launch.preset, "*") and
            fold(launch, split) in (value.families if split == "family" else value.gpus)]


TIMED_ONLY = ("unrolled_iterations", "l1_allocates_on_fill", "warp_scheduler", "dispatch_window_cycles")  # keys that fixed order does not read


@dataclasses.dataclass
class LeftOut:
    """The value that a preset's key would have if the rows of a fold had not been looked at."""

    split: str
    fold: str
    preset: str
    key: str
    value: str
    why: str

    def of(self, launch):
        return (self.fold, self.preset) == (fold(launch, self.split), launch.preset)

    @property
    def timed_only(self):
        return self.key in TIMED_ONLY


def left_out(folder=FOLDER):
    return [LeftOut(row["split"], row["fold"], row["preset"], row["key"], row["value"], row["why"])
            for row in rows(folder / "left_out.csv", ("split", "fold", "preset", "key", "value", "why"))]


@functools.lru_cache(maxsize=None)
def preset_value(preset, key):
    """As left_out.csv writes it."""
    value = presets.read(SOURCE / "gpus" / f"{preset}.json").get(key, {}).get("value")
    return str(value).lower() if isinstance(value, bool) else str(value)


def changes(launch, values, split):
    """The LeftOut of a split that give a launch another value than its preset has."""
    return [value for value in values if value.split == split and value.of(launch) and value.value != preset_value(value.preset, value.key)]


@dataclasses.dataclass(frozen=True)
class Cause:
    """`launch` and `counter` are patterns. `counted`: whether the values count as ones that should be exact; not where hardware's own
    value depends on the moment."""

    launch: str
    counter: str
    counted: bool
    text: str

    def of(self, launch, counter):
        return fnmatch.fnmatch(launch, self.launch) and fnmatch.fnmatch(counter, self.counter)


def causes(folder=FOLDER):
    """Why values that should be exact are not."""
    return [Cause(row["launch"], row["counter"], row["counted"] == "yes", row["cause"])
            for row in rows(folder / "causes.csv", ("launch", "counter", "counted", "cause"))]


def write(path, columns, rows):
    """A table of these columns: whole, or not at all."""
    new = path.with_suffix(".new")
    with open(new, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    new.replace(path)
