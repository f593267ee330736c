"""Counters that a profiler measured next to those of a result: which launch is which, and what a metric is there."""
import dataclasses

from warpscope.base.errors import InputError
from warpscope.result import counter_names, results, simulated_counters
from warpscope.result.counter_names import base_name
from warpscope.result.error_statistics import POINTS, error, mean
from warpscope.result.profiler_units import NCU, NVPROF

# What ncu's details page calls a metric.
LABELS = {"L1/TEX Hit Rate": "l1tex__t_sector_hit_rate.pct", "Achieved Occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
          "Theoretical Occupancy": "sm__maximum_warps_per_active_cycle_pct", "Executed Instructions": "smsp__inst_executed.sum"}
# A capture does not tell atomics that return a value from those that do not: neither is compared.
NOT_APART = ("atomic.requests", "reduction.requests")
# The counters of result/counter_names.py by metric; what several metrics are summed for has none of its own here.
SINGLE = {profiler: {choice[0].removeprefix("event:"): counter for counter in counter_names.COUNTERS if counter.name not in NOT_APART
                     for choice in counter.choices(profiler) if len(choice) == 1} for profiler in ("ncu", "nvprof")}
# Events that Fermi and Kepler count in one core; the result has them of all cores under the same name.
ONE_CORE = ("l1_global_load_hit", "l1_global_load_miss")


@dataclasses.dataclass
class Row:
    """A metric of a launch, or (nvprof's summary) its mean over all launches of a kernel. `launch`: number in the result, None for a mean.
    Errors are in percent of the measured value, of rates in points; None without a value."""

    kernel: str
    launch: object
    metric: str
    unit: str
    measured: float
    fixed: object = None
    timed: object = None

    def error(self, engine):
        simulated = getattr(self, engine)
        if simulated is None:
            return None
        return error(simulated, self.measured, POINTS if self.unit == "%" else "%")


def capability_of(result):
    """Compute capability of the result's GPU as text ("9.0"); None without a GPU."""
    value = results.preset_values(result).get("compute_capability")
    return None if value is None else str(value)


def unit_of(metric, profiler, capability):
    """Unit of a profiler's metric; empty where it is not known."""
    if profiler == "ncu":
        own = NCU.get(metric)
    else:
        of = float(capability or 0)
        own = next((unit for first, last, name, unit in NVPROF if name == metric and first <= of <= last), None)
    counter = SINGLE[profiler].get(metric)
    return own or (counter.unit if counter else "")


def simulated(result, number, metrics, profiler):
    """Metric -> value of the launch at a place of result["launches"], of those metrics that the result has."""
    launch = result["launches"][number]
    values = {metric: value for metric, value in ((launch.get("profiler") or {}).get(profiler) or {}).items() if metric not in ONE_CORE}
    ours = simulated_counters.counters(result, number)
    for metric in metrics:
        counter = SINGLE[profiler].get(metric)
        if metric not in values and counter and counter.name in ours:
            values[metric] = ours[counter.name]
    return {metric: values[metric] for metric in metrics if metric in values}


class _Simulated:
    """The launches of both clocks, by number."""

    def __init__(self, result, profiler):
        if "launches" not in result:
            raise InputError("the result has no single launches (it is large, or was made with --launches groups), expected one with "
                             "them; --launch and --kernel of warpscope choose")
        self.profiler = profiler
        self.clocks = {"fixed": result, "timed": result.get("timed")}
        self.place = {engine: {launch["launch"]: at for at, launch in enumerate((of or {}).get("launches") or [])}
                      for engine, of in self.clocks.items()}
        self.by_kernel = {}
        for launch in result["launches"]:
            self.by_kernel.setdefault(base_name(launch.get("kernel_name") or launch.get("kernel") or ""), []).append(launch["launch"])

    def values(self, engine, launch, metrics):
        at = self.place[engine].get(launch)
        return {} if at is None else simulated(self.clocks[engine], at, metrics, self.profiler)

    def mean(self, engine, launches, metrics):
        """Metric -> mean over launches, of those that all of them have."""
        all_of = [self.values(engine, launch, metrics) for launch in launches]
        return {metric: mean([values[metric] for values in all_of]) for metric in metrics
                if all(metric in values for values in all_of)}

    def launch(self, number):
        return self.clocks["fixed"]["launches"][self.place["fixed"][number]]


def _metrics(one):
    """Metric -> measured value, under the metrics' own names."""
    return {LABELS.get(name, name): value for name, value in one.values.items()}


def _rows(of, one, kernel, launches, capability):
    """Rows of one profiled launch, or of a kernel's launches together."""
    measured = _metrics(one)
    single = launches[0] if len(launches) == 1 else None
    clocks = {engine: of.mean(engine, launches, measured) for engine in ("fixed", "timed")}
    return [Row(kernel, single, metric, unit_of(metric, of.profiler, capability), value, clocks["fixed"].get(metric), clocks["timed"].get(metric))
            for metric, value in measured.items() if metric in clocks["fixed"] or metric in clocks["timed"]]


def _differs(of, one, kernel, number):
    """What is known to be another launch than the measured one, in a line."""
    launch = of.launch(number)
    block, groups = launch.get("local"), [a // b for a, b in zip(launch["global"], launch["local"])]
    for what, theirs, ours in (("blocks of", one.block, list(block)), ("a grid of", one.grid, groups)):
        if theirs and ours != theirs:
            return f"{kernel}, launch {number}: measured with {what} {theirs}, simulated with {ours}"
    return None


def compare(profiler, profiled, result):
    """(rows, notes, metrics that are measured and not simulated). The n-th launch of a kernel in the profiler's output is compared with
    the n-th in the result; nvprof's means of a kernel with the means of its launches."""
    of, rows, notes, taken, unknown = _Simulated(result, profiler), [], [], {}, {}
    capability = capability_of(result)
    for one in profiled:
        kernel = base_name(one.kernel)
        launches = of.by_kernel.get(kernel, [])
        if one.launches > 1 or one.lowest:
            chosen = launches if len(launches) == one.launches else []
        else:
            at = taken.get(kernel, 0)
            taken[kernel] = at + 1
            chosen = launches[at:at + 1]
        if not chosen:
            notes.append(f"{kernel}: {f'{one.launches} launches' if one.lowest else f'launch {taken[kernel] - 1}'} measured, "
                         f"{len(launches) or 'none'} in the result")
            continue
        if len(chosen) == 1 and (note := _differs(of, one, kernel, chosen[0])):
            notes.append(note)
        own = _rows(of, one, kernel, chosen, capability)
        rows += own
        found = {row.metric for row in own}
        unknown.update(dict.fromkeys(name for name in _metrics(one) if name not in found))
    measured_on = sorted({one.capability for one in profiled if one.capability})
    if capability and measured_on and measured_on != [capability]:
        notes.insert(0, f"measured on compute capability {', '.join(measured_on)}, simulated is {capability}")
    return rows, list(dict.fromkeys(notes)), list(unknown)
