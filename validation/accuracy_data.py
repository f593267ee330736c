"""The published measurements of validation/published simulated again: one Dataset each, for docs/validation/accuracy.md."""
import csv
import dataclasses
import math
import pathlib
import re
import tempfile

from warpscope.base import presets, toolchain
from warpscope.base.errors import InputError
from warpscope.result import error_statistics as statistics, rates, simulated_counters
from warpscope.run import harness

SOURCE = pathlib.Path(__file__).resolve().parent.parent
VALIDATION = SOURCE / "validation"
SECTOR_BYTES = 32
SEEDS = range(1, 8)


@dataclasses.dataclass
class Point:
    """One measured value and ours: `simulated` by series, `trivial` by predictor, `others` by who simulated it."""

    configuration: str
    measured: float
    exact: bool
    simulated: dict
    trivial: dict = dataclasses.field(default_factory=dict)
    others: dict = dataclasses.field(default_factory=dict)
    cold_share: float | None = None  # cold misses over measured misses

    @property
    def near_cold(self):
        """Measured misses within 1.2 times the cold ones: counting is tested, not the cache."""
        return self.cold_share is not None and self.cold_share * 1.2 >= 1


@dataclasses.dataclass
class Dataset:
    title: str
    source: str
    preset: str
    quantity: str        # what the numbers are
    unit: str            # "points" of a rate, or "%" where errors are relative
    how: str             # what was simulated
    keywords: tuple      # in the sources of preset values that come from this dataset
    points: list
    missing: str = ""    # what the simulation would need, where it cannot be done yet
    remarks: tuple = ()

    def error(self, point, value):
        if value is None:
            return None
        return statistics.error(value, point.measured, self.unit)

    def errors(self, series, points=None):
        return [self.error(point, point.simulated.get(series)) for point in (self.points if points is None else points)]

    def trivial_errors(self, predictor, points=None):
        return [self.error(point, point.trivial.get(predictor)) for point in (self.points if points is None else points)]

    def series(self, attribute="simulated"):
        names = []
        for point in self.points:
            names += [name for name in getattr(point, attribute) if name not in names]
        return names

    def tuned_values(self):
        """Values of the preset whose source or note is this dataset."""
        content = presets.read(SOURCE / "gpus" / f"{self.preset}.json")
        return [key for key, entry in content.items() if isinstance(entry, dict)
                and any(word in f"{entry.get('source', '')} {entry.get('note', '')}" for word in self.keywords)]


def published(name):
    """Rows of a CSV of published values, by (kernel, configuration, metric) and then by source."""
    points = {}
    with open(VALIDATION / "published" / name, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            points.setdefault((row["kernel"], row["configuration"], row["metric"]), {})[row["by"]] = \
                (float(row["value"]), row["exact"] == "yes")
    return points


class Simulation:
    """Captures and simulates kernels in a folder of its own."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.capture = harness.Captures(self._folder.name).of
        self.commit = ""  # of the build that simulates, as soon as it has

    def result(self, capture, *options):
        found = harness.simulate(capture, *options, "--policy", "warp")
        self.commit = found["context"].get("commit") or ""
        return found

    @staticmethod
    def timed(capture, *options):
        """The same with latencies and outstanding misses; None if cachesim cannot do that."""
        return harness.simulate(capture, *options, timed=True) if toolchain.has_timed_engine() else None


def timed_series(result, rate):
    """{"timed": rate} of the loads of a timed result, {} if it has none."""
    return {} if result is None else {"timed": rate(simulated_counters.parts_of(result)["load"])}


def has_sectors(result):
    return simulated_counters.geometry(result)[1] == SECTOR_BYTES


def load_rates(load, hits):
    """The rate of one core's or the GPU's loads in percent and the trivial predictors', as hit or as miss rates."""
    rate = rates.miss_rate_percent(load.counts)
    turn = rates.rest_percent if hits else (lambda value: value)
    return turn(rate), {name: turn(value) for name, value in load.predictors().items()}


def gtx480(simulation):
    """Miss rates of core 0, in the order and on the cores that the preset gives."""
    points = []
    for (kernel, configuration, metric), by in published("gtx480_published.csv").items():
        if metric != "miss_rate_percent" or configuration == "all":
            continue
        numbers = [int(text) for text in configuration.split("x")]
        sizes = ["--global", "128,126,30", "--local", "64,1,1"] if kernel == "stencil" else \
            ["--global", f"{numbers[0] * numbers[1]},{numbers[0] * numbers[1]}", "--local", f"{numbers[0]},{numbers[0]}"]
        capture = simulation.capture(harness.kernel(kernel), *sizes)
        load, rate, trivial = _one_core(simulation, capture)
        random = sorted(_one_core(simulation, capture, "--assign", "random", "--seed", seed)[1] for seed in SEEDS)
        measured, exact = by["hardware"]
        others = {"Crawford's simulator": by["document"][0]} if "document" in by else {}
        simulated = {"fixed order": rate, "random groups": random[len(SEEDS) // 2]}
        if timed := simulation.timed(capture, "--preset", "gtx480"):
            core = simulated_counters.Part().add(timed["cores"][0]["load"], None)
            simulated["timed"] = rates.miss_rate_percent(core.counts)
        points.append(Point(f"{kernel} {configuration}", measured, exact, simulated, trivial, others,
                            load.cold / (measured / 100 * load.looked_up)))
    return Dataset(
        "GTX 480, multiplication and stencil", "E. Crawford, GPU L1 Cache Model for OpenCL Programs, University of Edinburgh, 2014, "
        "chapter 8: profiler counters of one core; most values are rounded in its text (marked ≈)", "gtx480", "miss rate of loads, %",
        "points", "core 0, preset gtx480, order `warp`, as many groups resident as fit; *fixed order*: round-robin assignment, the tools' "
        f"default; *random groups*: the median of {len(SEEDS)} random assignments, as the dissertation supposes; *timed*: `cachesim timed`. "
        "[chapter8.md](../../validation/notes/chapter8.md) has more settings, counts, and the transposition (100 % in all 15 configurations, as measured)",
        ("chapter 8",), points)


def _one_core(simulation, capture, *options):
    """Core 0's loads, their miss rate in percent, and the trivial predictors'."""
    core = simulation.result(capture, "--preset", "gtx480", "--core", "0", *options)["cores"][0]
    load = simulated_counters.Part().add(core["load"], core["miss_classes"])
    return load, *load_rates(load, hits=False)


DLCM_CA = ("--set", "l1_caches_global_loads=true")  # the launches were compiled with -Xptxas -dlcm=ca: something hits


def titanx(simulation):
    """Hit rates of loads of naive multiplications m × n by n × p."""
    points, missing = [], ""
    kernel = VALIDATION / "kernels" / "multiply.cl"
    for (_, configuration, _), by in published("titanx_multiplication.csv").items():
        m, n, p = (int(text) for text in configuration.split("x"))
        capture = simulation.capture(kernel, "--global", f"{p},{m}", "--arg", f"inner={n}")
        result = simulation.result(capture, "--preset", "titanx", *DLCM_CA)
        measured, exact = by["hardware"]
        others = {name: value[0] for name, value in by.items() if name != "hardware"}
        if not has_sectors(result):
            points.append(Point(configuration, measured, exact, {}, {}, others))
            missing = "sectors in the cache"
            continue
        load = simulated_counters.parts_of(result)["load"]
        rate, trivial = load_rates(load, hits=True)
        cold = load.cold / max(rates.misses_at(measured, load.looked_up), 1e-9)
        timed = timed_series(simulation.timed(capture, "--preset", "titanx", *DLCM_CA),
                             lambda load: rates.rest_percent(rates.miss_rate_percent(load.counts)))
        points.append(Point(configuration, measured, exact, {"fixed order": rate, **timed}, trivial, others, cold))
    return Dataset(
        "TITAN X (Pascal), naive multiplication", "romnn/gpucachesim, results of simple_matrixmul: nvprof `global_hit_rate`, and two "
        "simulators' values for the same launches", "titanx", "hit rate of loads, %", "points",
        "blocks of 32 × 32, A m × n, B n × p; whole GPU, preset titanx, l1_caches_global_loads=true", ("global_hit_rate", "tests/validation"), points, missing)


V100_CORES = 80
V100_ROUNDS = 160  # where warps drift apart; the benchmark makes 10^8 / elements, 3,000 and more


def v100(simulation):
    """Miss rates of blocks that read a set of growing size again and again; the first round is left out."""
    points, missing = [], ""
    kernel = VALIDATION / "kernels" / "cyclic_sum.cl"
    for (_, configuration, _), by in published("v100_working_set.csv").items():
        kib = int(configuration)
        measured, exact = by["hardware"]
        rounds = V100_ROUNDS if 120 < kib < 240 else max(4, 512 // kib)
        arguments = ("-D", f"COUNT={kib * 128}", "-D", f"ROUNDS={rounds}")
        capture = simulation.capture(kernel, *arguments)
        result = simulation.result(capture, "--preset", "v100")
        if not has_sectors(result):
            points.append(Point(f"{kib} KiB", measured, exact, {}))
            missing = "sectors in the cache"
            continue
        load = simulated_counters.parts_of(result)["load"]
        warm = load.looked_up * (rounds - 1) / rounds
        everywhere = simulation.capture(kernel, "--global", 256 * V100_CORES, *arguments)
        timed = timed_series(simulation.timed(everywhere, "--preset", "v100"),
                             lambda all_of, cold=load.cold, warm=warm: rates.percent(all_of.missed / V100_CORES - cold, warm))
        points.append(Point(f"{kib} KiB", measured, exact, {"fixed order": rates.percent(load.missed - load.cold, warm), **timed},
                            {"cold misses only": 0.0, "fully associative LRU": rates.percent(load.fully_associative - load.cold, warm)}))
    return Dataset(
        "V100, working sets", "te42kyfo/gpu-benches, gpu-cache/v100.txt (commit a7dc559): L2 read over effective bandwidth, one block of 256 "
        "work-items per core", "v100", "miss rate of loads, %", "points",
        "preset v100, the cold misses of the first round left out. *Fixed order*: one work-group, order `warp`; *timed*: one on each of "
        f"80 cores, which share the L2; {V100_ROUNDS} rounds from 124 to 236 KiB, at least four elsewhere",
        ("gpu-cache/", "gpu-benches, gpu-cache"), points, missing,
        remarks=("Hardware begins to miss between 120 and 124 KiB. Beyond the capacity LRU in lockstep misses everything at once, where "
                 "hardware degrades slowly. In timed mode, too, warps that hit run ahead of those that miss, until those ahead fit. The hardware "
                 "made 20 to 40 times as many rounds. Every scheduler, replacement and set index tried is in [timed.md](../../validation/notes/timed.md).",) if not missing else ())


def strides(simulation, name, preset, title, source, remark):
    """Wavefronts per warp load: passes of the tag stage, and in a remark those of the data stage."""
    content = presets.read(SOURCE / "gpus" / f"{preset}.json")
    tags = content["l1_tags_per_cycle"]["value"]
    points, data_errors = [], []
    for (_, configuration, metric), by in published(name).items():
        if metric not in ("tag_wavefronts_per_request", "data_wavefronts_per_request"):
            continue
        element, pattern, number = re.fullmatch(r"(\w+)-(\w+)-(\d+)", configuration).groups()
        count = int(number)
        shape = ["--global", "1024", "--local", "1024", "--arg", f"stride={count}"] if pattern == "stride" else \
            ["--global", f"{count},{1024 // count}", "--local", f"{count},{1024 // count}", "--arg", "pitch=4098"]
        capture = simulation.capture(VALIDATION / "kernels" / "strides.cl", *shape, "-D", f"TYPE={element}")
        result = simulation.result(capture, "--preset", preset)
        sites = [site["load"] for site in result["sites"] if site["kind"] == "load" and site["load"]["requests"]]
        whole = sum(site["requests"] for site in sites)
        measured, exact = by["hardware"]
        if metric == "data_wavefronts_per_request":
            data_errors.append(sum(site["data_wavefronts"] for site in sites) / whole / measured - 1)
            continue
        passes = sum(site["requests"] * math.ceil(site["tag_lookups"] / site["requests"] / tags) for site in sites)
        points.append(Point(configuration, measured, exact, {"tag banks": sum(site["tag_wavefronts"] for site in sites) / whole},
                            {"one pass": 1.0, f"lines / {tags}, rounded up": passes / whole,
                             "one pass per line": sum(site["tag_lookups"] for site in sites) / whole}))
    off = max(abs(error) for error in data_errors)
    within = sum(abs(error) <= 0.005 for error in data_errors)
    return Dataset(title, source, preset, "passes of the tag stage per warp load (l1tex__t_output_wavefronts)", "%",
                   f"a block of 1024 work-items, preset {preset}: distinct lines of each load, one of each of the {tags} banks of tags at a time",
                   ("gpu-strides",), points,
                   remarks=(remark, f"Data stage (`data_wavefronts_per_request`): {within} of {len(data_errors)} values within 0.5 %, "
                            f"the largest error {rates.percent_text(off, 1)}; the published values have two or three digits."))


def all_datasets(simulation, only=()):
    """Every published dataset, simulated."""
    benches = "te42kyfo/gpu-benches, gpu-strides/{}.txt (commit 0a45416)"
    makers = {"gtx480": gtx480, "titanx": titanx, "v100": v100,
              "a100": lambda s: strides(s, "a100_strides.csv", "a100", "A100, strides", benches.format("a100"),
                                        "Which bits choose the bank was fitted to these values (docs/reference/counters.md); "
                                        "the number of banks was not."),
              "h200": lambda s: strides(s, "h200_strides.csv", "h200", "H200, strides", benches.format("h200"),
                                        "The banks are those fitted to the A100's values: predicted here.")}
    unknown = [name for name in only if name not in makers]
    if unknown:
        raise InputError(f"--only {unknown[0]}: expected one of {', '.join(makers)}")
    return [make(simulation) for name, make in makers.items() if not only or name in only]
