"""From measured launches and stored results to rows, and from rows to the scores of validation/notes/truth.md."""
import dataclasses
import fnmatch
import re

from truth import counters, runs, statistics, tables
from truth.parts import LOADS_OF_ALL
from warpscope.result import error_statistics, rates

ENGINES = ("fixed", "jitter", "timed")
DEFAULT_ENGINE = "fixed"
RATE_ENGINE = "timed"       # of hit rates: what warpscope shows first on Fermi, Kepler and Ampere, the nearest to hardware on launches left out
PREDICTORS = ("cold", "in_block", "unlimited", "full_lru")
RANK_PREDICTORS = (*PREDICTORS, "wavefronts", "instructions", "transactions", "wavefronts_by_occupancy")
ABOVE = 1.2                 # times the compulsory misses: from here the cache is tested, not the counting
EXACT_WITHIN = 0.001        # of the measured value; published ones have four to six digits
EXACT = ("l1tex__t_requests_*", "l1tex__t_sectors_pipe_lsu_mem_global_*", "l1tex__average_t_sectors_per_request_*",
         "l1tex__data_pipe_lsu_wavefronts_mem_shared_*", "smsp__inst_executed_op_shared_*", "gld_request", "gst_request",
         "gld_transactions*", "gst_transactions_per_request", "shared_*_transactions*",
         "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "inst_fp_32", "sm__maximum_warps_per_active_cycle_pct")


@dataclasses.dataclass
class Row:
    """A launch with what was simulated of it. `rates`: {engine or predictor: hit rate in percent}; `reads`: L2 read sectors;
    `ranks`: what variants may be ranked by; `values`: {counter: {engine: value}}."""

    launch: tables.Launch
    values: dict = dataclasses.field(default_factory=dict)
    rates: dict = dataclasses.field(default_factory=dict)
    reads: dict = dataclasses.field(default_factory=dict)
    ranks: dict = dataclasses.field(default_factory=dict)
    cycles: dict = dataclasses.field(default_factory=dict)
    looked_up: float | None = None
    compulsory: float | None = None   # misses of an unlimited cache per core, of what the hit rate covers
    scored: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)  # {split: Row with values that the launch's own fold did not choose}
    parts: tuple = ()
    fixed: dict = dataclasses.field(default_factory=dict)   # the reduced result of fixed order
    seconds: dict = dataclasses.field(default_factory=dict)  # {step: {"capture", "simulation"}}

    @property
    def hit_counter(self):
        return next((name for name in counters.HIT_RATES if name in self.launch.measured), None)

    @property
    def hit_rate(self):
        """Measured, in percent."""
        name = self.hit_counter
        if name is None:
            return None
        value = self.launch.measured[name]
        return rates.rest_percent(100 * value) if name == "l1_miss_ratio" else value

    @property
    def read_sectors(self):
        return next((self.launch.measured[name] for name in counters.L2_READS if name in self.launch.measured), None)

    @property
    def time(self):
        return next((self.launch.measured[name] for name in counters.TIMES if name in self.launch.measured), None)

    @property
    def misses(self):
        """Measured misses, of as many look-ups as ours."""
        return None if None in (self.hit_rate, self.looked_up) else rates.misses_at(self.hit_rate, self.looked_up)

    @property
    def tests_cache(self):
        return None not in (self.misses, self.compulsory) and self.misses > ABOVE * self.compulsory

    def error(self, series):
        """Of the hit rate, in points."""
        value = self.rates.get(series)
        return None if value is None else error_statistics.error(value, self.hit_rate, error_statistics.POINTS)

    def read_error(self, series):
        """Of the L2 read sectors, as a fraction of the measured ones."""
        value = self.reads.get(series)
        return None if value is None or not self.read_sectors else value / self.read_sectors - 1

    @property
    def reads_comparable(self):
        """Without local memory's sectors and instruction fetches of large unrolled code."""
        measured = self.launch.measured
        if any(measured.get(f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum") for op in ("ld", "st")):
            return False
        if any(measured.get(f"local_{op}_transactions") for op in ("load", "store")):
            return False
        tile = re.search(r"/convolution/.*-t(\d+)x(\d+)-", self.launch.name)
        return self.read_sectors is not None and not (tile and int(tile[1]) * int(tile[2]) > 9)


def whole(launch, entry):
    """Whether all work-groups of the measured launch were recorded."""
    return entry.get("sampling") in (None, "all") and entry["groups"] >= launch.groups


def predicted_misses(launch, found):
    """{predictor: misses of what would allocate, of what was recorded}."""
    fixed = found["fixed"]["total"]
    classes = fixed.get("miss_classes")
    if not classes:
        return {}
    misses = {"unlimited": classes["cold"],
              "full_lru": sum(classes[name] for name in ("cold", "invalidated", "capacity", "anti_conflict"))}
    for name in ("cold", "in_block"):
        if name in found and (name != "cold" or whole(launch, found[name])):
            misses[name] = found[name]["total"]["miss_classes"]["cold"]
    return misses


def rate_with(misses, entry, loads_only):
    """The hit rate if what would allocate missed that often, and everything else did what it does in fixed order."""
    total = entry["total"]
    classified = total.get("classified", rates.looked_up(total["load"]))
    if loads_only:
        return rates.percent(classified - misses, classified)
    if classified > rates.looked_up(total["load"]):
        others = 0
    else:
        others = rates.hits(total["store"])
    return rates.percent(classified - misses + others, sum(total[part]["transactions"] for part in counters.PARTS))


def _working_set(row, found):
    """Rates without the first round, which misses everything once."""
    cold = found["fixed"]["total"]["miss_classes"]["cold"]
    for name, entry in found.items():
        if name in ENGINES:
            load = entry["total"]["load"]
            row.rates[name] = rates.rest_percent(rates.percent(rates.missed(load) - cold, load["transactions"] - cold))
    load = found["fixed"]["total"]["load"]
    misses = predicted_misses(row.launch, found)
    row.rates.update({name: rates.rest_percent(rates.percent(max(0, misses[name] - cold), load["transactions"] - cold))
                      for name in ("unlimited", "full_lru") if name in misses})
    row.looked_up, row.compulsory = load["transactions"], cold


def _hit_rates(row, found):
    counter = row.hit_counter
    if counter is None:
        return
    if counter == "l1_miss_ratio":
        _working_set(row, found)
        return
    for engine in ENGINES:
        if engine in found:
            row.rates[engine] = counters.simulated(row.launch, found[engine], counter)
    fixed = found["fixed"]
    loads_only = counter in ("l1_cache_global_hit_rate", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct")
    for name, misses in predicted_misses(row.launch, found).items():
        row.rates[name] = rate_with(misses, fixed, loads_only)
    parts = ("load",) if loads_only else counters.PARTS
    row.looked_up = sum(rates.looked_up(fixed["total"][part]) for part in parts)
    if row.rates.get("unlimited") is not None:
        row.compulsory = rates.misses_at(row.rates["unlimited"], row.looked_up)


def _reads(row, found):
    counter = next((name for name in counters.L2_READS if name in row.launch.measured), "lts__t_sectors_op_read.sum")
    for engine in ENGINES:
        if engine in found:
            row.reads[engine] = counters.simulated(row.launch, found[engine], counter)
    fixed = found["fixed"]
    factor = counters.scale(row.launch, fixed)
    load, unit = fixed["total"]["load"], counters.transaction_bytes(fixed)
    for name, misses in predicted_misses(row.launch, found).items():
        if load["bypasses"]:
            row.reads[name] = row.reads.get("fixed")
        elif factor:
            row.reads[name] = misses * unit / counters.SECTOR * factor


def _ranks(row, found):
    fixed = found["fixed"]
    factor = counters.scale(row.launch, fixed) or 1
    total = fixed["total"]
    local = total.get("outside_l1", {}).get("local", {})
    wavefronts = sum(total[part].get("wavefronts", 0) for part in counters.PARTS) + \
        sum(local.get(part, {}).get("wavefronts", 0) for part in ("load", "store"))
    x, y, z = row.launch.block
    resident = fixed["residency"][0].get("work_groups", 1) * -(-x * y * z // 32) if fixed.get("residency") else None
    row.ranks = {name: row.reads.get(name) for name in PREDICTORS}
    row.ranks.update(wavefronts=wavefronts * factor, transactions=factor * sum(total[part]["transactions"] for part in counters.PARTS),
                     wavefronts_by_occupancy=wavefronts * factor / resident if resident else None)
    if "timed" in found:
        row.ranks["instructions"] = counters.simulated(row.launch, found["timed"], "smsp__inst_executed.sum")
        cycles = counters.simulated(row.launch, found["timed"], "sm__cycles_elapsed.max")
        row.cycles["timed"] = None if cycles is None else cycles * found["timed"]["cores"] / fixed["cores"]


def _row(launch, found):
    """The Row of these results."""
    row = Row(launch, fixed=found["fixed"])
    row.seconds = {step: entry["seconds"] for step, entry in found.items() if "seconds" in entry}
    row.parts = tuple(f"{name} {entry['sampling']} of {entry['groups']}" for name, entry in found.items()
                      if name in ENGINES and not whole(launch, entry))
    for counter in launch.measured:
        values = {engine: counters.simulated(launch, found[engine], counter) for engine in ENGINES if engine in found}
        if counter in LOADS_OF_ALL and "counts" in found:
            values[DEFAULT_ENGINE] = counters.simulated(launch, found["counts"], counter)
        row.values[counter] = {engine: value for engine, value in values.items() if value is not None}
    _hit_rates(row, found)
    _reads(row, found)
    _ranks(row, found)
    return row


def _left_out(launch, found, values, split):
    """The results with values that were chosen without the launch's fold, under the names of the basic steps; those that were not simulated
    so are missing."""
    twin = {runs.basic(step): step for step in runs.twins(launch, values, split)}
    return {step: found[twin.get(step, step)] for step in runs.BASIC if twin.get(step, step) in found}


def row_of(launch, found, fitted=(), left_out=()):
    """The row of a launch; None until its fixed order is simulated. `fitted`, `left_out`: of tables."""
    if "fixed" not in found:
        return None
    row = _row(launch, found)
    for split in tables.SPLITS_BY:
        known = {value.key for value in left_out if value.split == split and value.of(launch)}
        others = _left_out(launch, found, left_out, split)
        if all(value.key in known for value in tables.chosen_by(launch, fitted, split)) and "fixed" in others:
            row.scored[split] = _row(launch, others) if runs.twins(launch, left_out, split) else row
            row.scored[split].compulsory = row.compulsory  # the launches that test the cache are the same ones
    return row


def scored(rows, split="family"):
    """The rows of launches, each with values that its own fold did not choose."""
    return [row.scored[split] for row in rows if split in row.scored]


def cells(rows, series, tested=True):
    """{(gpu, family): [errors of the hit rate in points]} of launches that test the cache, or of all."""
    found = {}
    for row in rows:
        if (row.tests_cache or not tested) and row.error(series) is not None:
            found.setdefault((row.launch.gpu, row.launch.family), []).append(row.error(series))
    return found


def miss_ratios(rows, series):
    """|log2(simulated / measured misses)| of launches that test the cache."""
    ratios = []
    for row in rows:
        rate = row.rates.get(series)
        if row.tests_cache and rate is not None:
            ratio = error_statistics.log2_ratio(rates.misses_at(rate, row.looked_up), row.misses)
            ratios.append(abs(ratio) if ratio is not None else float("inf"))
    return ratios


def read_rows(rows):
    """The rows whose L2 reads are compared: (above 1.2 times the unlimited cache's, the others)."""
    above, trivial = [], []
    for row in rows:
        if row.reads_comparable and row.reads.get("unlimited") is not None:
            (above if row.read_sectors > ABOVE * row.reads["unlimited"] else trivial).append(row)
    return above, trivial


def is_exact(measured, simulated, spread=0.0):
    return abs(simulated - measured) <= max(spread, EXACT_WITHIN * abs(measured))


def should_be_exact(counter):
    return "_lookup_" not in counter and any(fnmatch.fnmatch(counter, pattern) for pattern in EXACT)


@dataclasses.dataclass
class ExactValue:
    """A value that should be exact, by the default engine; `exact` None where it is not simulated; `cause` None where none is known."""

    row: Row
    counter: str
    measured: float
    simulated: float | None
    exact: bool | None
    cause: tables.Cause | None = None

    @property
    def counted(self):
        return self.exact is not None and (self.cause is None or self.cause.counted)

    @property
    def error(self):
        """As a fraction."""
        return 0.0 if self.simulated == self.measured else self.simulated / self.measured - 1 if self.measured else float("inf")


def exact_values(rows, reasons=()):
    """An ExactValue of every counter that should be exact."""
    found = []
    for row in rows:
        for counter, value in row.launch.measured.items():
            if not should_be_exact(counter):
                continue
            simulated = row.values.get(counter, {}).get(DEFAULT_ENGINE)
            exact = None if simulated is None else is_exact(value, simulated, row.launch.spread.get(counter, 0.0))
            cause = next((reason for reason in reasons if reason.of(row.launch.name, counter)), None)
            found.append(ExactValue(row, counter, value, simulated, exact, cause))
    return found


def taus(rows, measured, series):
    """Kendall's tau of a series and the measured value over the rows that have both; (tau, rows)."""
    both = [(measured(row), series(row)) for row in rows]
    both = [(a, b) for a, b in both if a is not None and b is not None]
    if len(both) < 3:
        return None, len(both)
    return error_statistics.kendall_tau([a for a, _ in both], [b for _, b in both]), len(both)


def regret(rows, series):
    """Of the measured time of the rows that have both."""
    return error_statistics.regret([series(row) for row in rows], [row.time for row in rows])


def parameters(launch):
    """The parameters in a variant's key: {"block_x": 32, "tile_y": 8, "p": 1}."""
    found = {}
    for token in launch.name.split("/")[2].split("-"):
        match = re.fullmatch(r"([a-z]*)(\d+)(?:x(\d+))?", token)
        if match is None:
            return {}
        name = {"": "block", "t": "tile", "w": "outputs"}.get(match[1], match[1])
        if match[3] is None:
            found[name] = int(match[2])
        else:
            found.update({f"{name}_x": int(match[2]), f"{name}_y": int(match[3])})
    if launch.family == "transpose":
        found.pop("tile_x")  # the block's width
    return found


def variant_pairs(rows):
    """[(group, parameter, row, row)] of variants that differ in one parameter."""
    groups = {}
    for row in rows:
        if row.launch.family in tables.VARIANTS:
            groups.setdefault(row.launch.group, {})[row.launch.name] = row
    return [(group, parameter, ones[first], ones[second]) for group, ones in sorted(groups.items())
            for first, second, parameter in statistics.pairs({name: parameters(row.launch) for name, row in ones.items()})]
