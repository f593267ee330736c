"""Simulates what a real GPU measured, and compares counter by counter.

  compare-hw validation/hardware/GPU/DATE.csv... -o OUT     counters that hw-profile collected
  compare-hw --profile ncu.csv --capture app.wtrace -o OUT  your own program: what ncu --csv or nvprof --csv wrote, and a
                                                            capture of the same run (warpscope -- ./app, trace-kernel)
  ncu --csv --page raw $(compare-hw --ncu-options) ./app >ncu.csv        asks ncu for all that is compared

Prints the tables and writes OUT/comparison.md, comparison.csv and scatter.png, .svg. Exit status 2 on bad input.
"""
import csv
import pathlib
import re

from collect import comparison, measurements, suite_launches
from warpscope.base import presets, toolchain
from warpscope.base.command import ArgumentParser, OneGpu, run_main
from warpscope.base.errors import InputError
from warpscope.base.source import SOURCE
from warpscope.result import counter_names
from warpscope.run import harness
from warpscope.run.experiment import Experiment, Progress
from warpscope.show.plots import style

KERNELS = SOURCE / "benchmarks" / "kernels"
PRESETS = presets.all_of(SOURCE / "gpus")  # name -> preset


def preset_for(context, given=None):
    """The preset of a measured GPU: one whose name is in the GPU's name, of the same compute capability."""
    known = PRESETS
    if given:
        return given
    name = re.sub(r"[^a-z0-9]", "", context.get("gpu", "").lower())
    capability = context.get("compute_capability")
    fitting = [preset for preset in known if re.sub(r"[^a-z0-9]", "", preset) in name]
    if not fitting and capability:
        fitting = [preset for preset, content in known.items()
                   if content.get("compute_capability", {}).get("value") == capability]
    if not fitting:
        raise InputError(f"no preset for '{context.get('gpu', 'this GPU')}', expected --gpu with one of: {', '.join(known)}")
    return max(fitting, key=len)


def cores_of(preset):
    content = PRESETS.get(preset)
    return content["cores"]["value"] if content else None


def core_numbers(cores, available):
    """Recorded core numbers as the simulator's, 0 to available - 1; None when there are more of them."""
    numbers = {core: place for place, core in enumerate(sorted(set(cores)))}
    if available is not None and max(cores) < available:
        return list(cores)
    return [numbers[core] for core in cores] if available is None or len(numbers) <= available else None


class Simulator:
    """Captures and simulates launches of the benchmark kernels; captures are kept in `work`."""

    def __init__(self, preset, work, options, timed=False):
        self.preset = preset
        self.timed = timed
        self.captures = harness.Captures(work)
        self.options = options

    def capture(self, launch):
        return self.captures.of(launch.source, "--launch-file", launch.path, *launch.options)

    def simulate(self, capture, assignment=None, timed=False):
        """A result; without `timed` in fixed order, which also says what trivial predictors give."""
        assign = []
        if assignment is not None:
            path = capture.with_suffix(".assignment.txt")
            path.write_text("".join(f"{core}\n" for core in assignment), encoding="ascii")
            assign = ["--assign", path]
        return simulate(capture, self.preset, timed, [*assign, *self.options])


def simulate(capture, preset, timed, options):
    order = [] if timed else ["--policy", "warp"]
    return harness.simulate(capture, *order, "--preset", preset, *options, timed=timed)


def compare_suite(arguments):
    """(title, compared, notes) of CSV files of hw-profile."""
    compared, notes, preset = [], [], None
    for path in arguments.csv:
        context, measured = measurements.read(path)
        preset = preset_for(context, arguments.preset)
        placed_path = measurements.placement_of(path)
        placed = measurements.read_placement(placed_path) if placed_path.exists() and arguments.placement == "auto" else {}
        simulator = Simulator(preset, arguments.work, arguments.option, arguments.engine == "timed")
        tasks = tasks_of(measured, arguments.kernels)
        progress, done = Progress(), []
        experiment = Experiment(lambda task: compare_one(simulator, *task, placed.get(task[0].launch)), arguments.jobs, arguments.work)

        def on_answer(answer):
            done.append(answer)
            progress.say(len(done), len(tasks), "launches")

        for one, noted in experiment.each(tasks, on_answer):
            compared += [one] if one else []
            notes += noted
        progress.end()
        notes += [f"{path.name}: {context['gpu']}, {context.get('counters', '')}"]
    return f"simulated over measured, preset {preset}", compared, notes


def tasks_of(measured, kernels):
    """[(measured, its launch of the suite or None)] of what is to be compared."""
    return [(one, suite_launches.launch_named(one.launch, KERNELS)) for one in measured
            if (not kernels or one.launch.split("/")[0] in kernels) and any(name in one.counters for name in comparison.COMPARED)]


def compare_one(simulator, measured, launch, placed):
    """(Compared, notes) of a launch; without the first where it is left out."""
    if launch is None:
        return None, [f"{measured.launch}: no such launch in benchmarks/kernels any more: left out" if suite_launches.is_of_suite(measured.launch)
                      else f"{measured.launch}: not of benchmarks/kernels, left out; validation/accuracy --add takes it, from the .json file"]
    notes = [] if launch.input == measured.input else [f"{measured.launch}: kernel or launch file has changed since it was measured"]
    capture = simulator.capture(launch)
    cores = core_numbers(placed[0], cores_of(simulator.preset)) if placed else None
    if placed and cores is None:
        notes.append(f"{measured.launch}: recorded on more cores than preset {simulator.preset} has; placement not used")
    plain = simulator.simulate(capture)
    result = simulator.simulate(capture, cores) if cores else plain
    timed = simulator.simulate(capture, cores, timed=True) if simulator.timed else None
    medians = {name: values[0] for name, values in measured.counters.items()}
    return comparison.Compared(measured.launch, medians, result, without_placement=plain if cores and not timed else None, timed=timed), notes


def compare_program(arguments):
    """(title, compared, notes) of a user's own program: n-th launch of a kernel and its n-th launch in the capture."""
    try:
        text = counter_names.text_of(arguments.profile.read_bytes())
    except OSError as error:
        raise InputError(f"{arguments.profile}: {error.strerror}, expected what ncu --csv or nvprof --csv wrote") from error
    profiler, profiled = counter_names.parse(text, arguments.profile)
    if not arguments.preset:
        raise InputError(f"--gpu: expected the GPU that was measured, one of: {', '.join(PRESETS)}")
    result = simulate(arguments.capture, arguments.preset, False, arguments.option)
    timed = simulate(arguments.capture, arguments.preset, True, arguments.option) if arguments.engine == "timed" else None
    by_kernel = {}
    for number, launch in enumerate(result["launches"]):
        by_kernel.setdefault(counter_names.base_name(launch.get("kernel") or ""), []).append(number)
    notes = [f"{arguments.profile.name}: {profiler}, {len(profiled)} {'launches' if profiler == 'ncu' else 'kernels'}; capture: "
             f"{len(result['launches'])} launches"]
    devices = sorted({one.device for one in profiled if one.device})
    if len(devices) > 1:
        notes.append(f"launches on {len(devices)} devices ({', '.join(devices)}), all compared with preset {arguments.preset}, in the "
                     "order of the file")
    taken, compared = {}, []
    for one in profiled:
        name = counter_names.base_name(one.kernel)
        launches = by_kernel.get(name, [])
        at = taken.get(name, 0)
        taken[name] = at + 1
        if not one.lowest and at < len(launches):  # ncu, or nvprof with --print-gpu-trace
            compared.append(_one_launch(one, name, launches[at], (result, timed), notes, profiler))
        elif one.lowest and len(launches) == one.launches == 1:
            compared.append(_one_launch(one, name, launches[0], (result, timed), notes, profiler))
        elif one.lowest and len(launches) == one.launches:
            notes.append(f"{name}: {len(launches)} launches; nvprof gives their average only: profile one at a time to compare")
        else:
            notes.append(f"{name}: launch {at} is not in the capture, which has {len(launches)} of this kernel")
    if not compared:
        raise InputError(f"{arguments.profile}: no launch in common with {arguments.capture}; kernels there: "
                         f"{', '.join(sorted(by_kernel)) or 'none'}; here: {', '.join(sorted({counter_names.base_name(one.kernel) for one in profiled}))}")
    if not any(one.pairs() for one in compared):
        raise InputError(f"{arguments.profile}: holds no counter that is compared, expected metrics by name (validation/hw-profile.md), for ncu "
                         "--page raw and what compare-hw --ncu-options prints")
    return f"simulated over measured, preset {arguments.preset}", compared, notes


def ncu_options():
    """What makes ncu count all that is compared."""
    only = (*comparison.COMPARED, "reduction.requests", "registers", "shared.config_bytes", "duration_ns")
    return "--metrics " + ",".join(counter_names.wanted("ncu", only=only))


def _one_launch(profiled, name, number, simulated, notes, profiler):
    result, timed = simulated
    launch = result["launches"][number]
    block = launch.get("local")
    if profiled.block and block and profiled.block != list(block):
        notes.append(f"{name}, launch {number}: measured with blocks of {profiled.block}, captured with {list(block)}")
    return comparison.Compared(f"{name}:{number}", counter_names.by_our_names(profiled.values, profiler), result, number, timed=timed)


def write(arguments, title, compared, notes):
    arguments.output.mkdir(parents=True, exist_ok=True)
    with open(arguments.output / "comparison.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("launch", "counter", "simulated", "measured", "error", "unit", "near_cold"))
        for one in compared:
            for counter, simulated, measured in one.pairs():
                error = one.error(counter)
                writer.writerow((one.name, counter, counter_names.shortest(simulated), counter_names.shortest(measured),
                                 "" if error is None else f"{error:.4f}", "points" if counter in comparison.RATES else "percent",
                                 int(one.near_cold)))
    text = f"## {title[:1].upper() + title[1:]}\n\n" + "".join(f"- {note}\n" for note in notes) + "\n" + comparison.summary(compared)
    (arguments.output / "comparison.md").write_text(text, encoding="utf-8")
    plot = figure(compared, title)
    if plot:
        style.save(plot, arguments.output / "scatter")
    return text


def figure(compared, title):
    """The scatter plots of every counter that is not 0 throughout, the hit rate first; None where there is none."""
    plotted = [name for name in comparison.COMPARED
               if any(one.simulated.get(name) or one.measured.get(name) for one in compared
                      if name in one.simulated and name in one.measured)]
    plotted.sort(key=lambda name: name != "load.hit_rate_percent")
    return comparison.scatter(compared, plotted, title[:1].upper() + title[1:]) if plotted else None


def parse_arguments(words=None):
    parser = ArgumentParser(__doc__)
    parser.add_argument("csv", nargs="*", type=pathlib.Path, help="files of hw-profile")
    parser.add_argument("--profile", type=pathlib.Path, help="output of ncu --csv or nvprof --csv about your program")
    parser.add_argument("--capture", type=pathlib.Path, help="capture of the same run")
    parser.add_argument("--gpu", "--preset", dest="preset", action=OneGpu,
                        help="GPU to simulate (default: the one whose name the CSV gives; with --profile $WARPSCOPE_GPU)")
    parser.add_argument("--engine", choices=("fixed", "timed"), default="fixed", help="simulate in fixed order (default), or cycle by "
                        "cycle (cachesim timed)")
    parser.add_argument("--placement", choices=("auto", "none"), default="auto", help="use the recorded placement if there is one")
    parser.add_argument("--kernels", nargs="+", help="only these folders of benchmarks/kernels")
    parser.add_argument("--option", action="append", default=[], help="passed on to cachesim, for example --option=--runs=3")
    parser.add_argument("--jobs", type=int, default=1, help="launches at a time (default 1); does not change what is found")
    parser.add_argument("--work", type=pathlib.Path, default=SOURCE / "build" / "compare-hw", help="folder of captures")
    parser.add_argument("--ncu-options", action="store_true", help="print the options that make ncu count all that is compared, and end")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("out/compare-hw"))
    arguments = parser.parse_args(words)
    if arguments.jobs < 1:
        raise InputError(f"--jobs {arguments.jobs}: expected 1 or more")
    if arguments.ncu_options:
        return arguments
    if arguments.profile and not arguments.preset:
        arguments.preset = toolchain.given_gpu()
    if bool(arguments.profile) != bool(arguments.capture) or bool(arguments.profile) == bool(arguments.csv):
        raise InputError("expected CSV files of hw-profile, or --profile FILE with --capture FILE")
    if arguments.engine == "timed" and not toolchain.has_timed_engine():
        raise InputError("--engine timed: this cachesim has no timed simulation, expected one with 'cachesim timed'")
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.ncu_options:
        print(ncu_options())
        return
    title, compared, notes = compare_program(arguments) if arguments.profile else compare_suite(arguments)
    if not compared:
        raise InputError("no launch with counters to compare; " + "; ".join(notes[:3]))
    print(write(arguments, title, compared, notes))
    print(f"{arguments.output}/comparison.md, comparison.csv, scatter.png")


def start():
    run_main("compare-hw", main)
