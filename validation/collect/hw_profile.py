"""Collects counters of the benchmark kernels (benchmarks/kernels/*/*.cu) on an NVIDIA GPU.

  hw-profile                        everything on this machine -> validation/hardware/GPU/DATE.csv
  hw-profile --dry-run              no GPU needed: compiles everything, prints the plan
  hw-profile --out DIR --slice 1/3  the first third; run again, it goes on where it was stopped
  hw-profile --bundle FILE.tar.gz   what a machine with CUDA and Python needs, to be copied there

Needs nvcc, Python 3 and, for counters, ncu (compute capability 7.0 and later) or nvprof; no network, no build of this
project. Changes no setting of the card. Exit status: 0 done; 1 a kernel failed or its output is wrong; 2 bad input, no
nvcc, no GPU; 3 done without counters, which the driver does not permit or the profiler could not read; 75 time limit
reached, run again to go on; 143 stopped, likewise.
"""
import concurrent.futures
import datetime
import importlib.util
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

from collect import bundle, cuda_tools, family_launches, measurements, one_file, suite_launches
from collect.programs import HARDWARE, build, compiler_options, nvcc_version, programs_of, slice_of
from warpscope.base.command import ArgumentParser, run_main
from warpscope.base.errors import InputError
from warpscope.base.source import SOURCE
from warpscope.result import counter_names

KERNELS = SOURCE / "benchmarks" / "kernels"
NOT_PERMITTED, MORE_TO_DO, STOPPED = 3, 75, 143
STEPS = ("timed", "placement", "counted")  # what is done with a program, in this order
# What cachesim infer reads; there are hundreds of launches, and every metric more costs all of them time.
FOR_INFER = ("load.requests", "load.sectors", "load.hits", "load.misses", "store.requests", "store.sectors", "store.hits",
             "store.misses", "load.line_hits_of_one_core", "load.line_misses_of_one_core", "load.hit_rate_percent", "duration_ns")


class Session:
    """One call of hw-profile on a machine with a GPU."""

    def __init__(self, arguments, nvcc):
        self.arguments = arguments
        self.nvcc = nvcc
        self.work = arguments.work
        self.began = time.monotonic()
        self.results = {}
        for folder in ("build", "state", "logs"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
        self.facts = cuda_tools.device(nvcc, HARDWARE, self.work)
        arch = arguments.arch or "sm_" + self.facts["compute_capability"].replace(".", "")
        self.options = compiler_options(arch, arguments.nvcc_option)
        self.profiler, self.reason = cuda_tools.profiler_for(self.facts, arguments.profiler, arguments.cache_control,
                                                           only=FOR_INFER if arguments.probe else None)
        self.permitted = True
        self.here = cuda_tools.compile_for(nvcc, HARDWARE, self.work, self.options)
        # Asked once: the context is written after every program.
        self.versions = (nvcc_version(nvcc), f"{self.profiler.name} {self.profiler.version()}" if self.profiler else "")
        if self.profiler:
            self._probe()

    def _probe(self):
        try:
            self.profiler.probe(self.here)
            if self.profiler.left_out:
                print(f"hw-profile: {self.profiler.name} cannot count here: {', '.join(self.profiler.left_out)}")
            return
        except cuda_tools.NotPermitted:
            self.permitted = False
            self.reason = "not permitted by the driver"
            print(f"hw-profile: counters are not permitted: {counter_names.HOW_TO_PERMIT}", file=sys.stderr)
        except cuda_tools.RunFailed as error:
            self.permitted = False
            self.reason = f"the profiler does not work here ({error})"
            print(f"hw-profile: no counters: {error}", file=sys.stderr)
        print("hw-profile: going on with timings and placement only", file=sys.stderr)

    def settings(self):
        profiler = self.profiler
        return (self.facts["name"], self.options, self.arguments.repeats, profiler.conditions if profiler else "none",
                self.permitted, self.arguments.steps)

    def stored(self, program):
        """What is measured of a program already, or None; read once, as the CSV is written after every program."""
        if program.name not in self.results:
            try:
                result = json.loads(program.state.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                result = {}
            self.results[program.name] = result if result.get("key") == program.key(*self.settings()) else None
        return self.results[program.name]

    def measure(self, program, checkers):
        """Everything about one program; what fails is named in "failures". Outputs are checked on the CPU meanwhile."""
        began = time.monotonic()
        result = {"key": program.key(*self.settings()), "launches": {}, "failures": []}
        for launch in program.launches:
            result["launches"][launch.name] = {"launch": launch.name, "input": launch.input, "global": launch.global_size,
                                               "local": launch.local_size, "check": "not run"}
        with tempfile.TemporaryDirectory() as folder:
            checked = self._to_check(program, result["launches"], pathlib.Path(folder))
            checks = {}
            for name in (name for name in STEPS if name in self.arguments.steps):
                try:
                    getattr(self, f"_{name}")(program, result["launches"], folder, checked)
                except (cuda_tools.RunFailed, InputError) as error:
                    result["failures"].append(f"{name}: {error}")
                except cuda_tools.NotPermitted:
                    result["failures"].append(f"{name}: counters are not permitted any more")
                if name == "timed" and not result["failures"]:
                    checks = {launch.name: checkers.submit(check_output, launch, pathlib.Path(folder, str(number)))
                              for number, launch in checked.items()}
            for name, future in checks.items():
                result["launches"][name]["check"] = future.result()
        result["failures"] += [f"{name}: output: {one['check']}" for name, one in result["launches"].items()
                               if one["check"] not in ("right", "not run", "no numpy")]
        temporary = program.state.with_suffix(".new")
        try:
            temporary.write_text(json.dumps(result), encoding="utf-8")
            temporary.replace(program.state)
        except OSError as error:
            raise InputError(f"{program.state}: {error.strerror}, expected room for what is measured (--work)") from error
        self.results[program.name] = result
        result["seconds"] = time.monotonic() - began
        return result

    def _to_check(self, program, launches, folder):
        """Number -> launch of those whose output the kernel's own check.py looks at; it needs numpy."""
        chosen = {number: launch for number, launch in enumerate(program.launches)
                  if (launch.path.parent / "check.py").exists()
                  and (self.arguments.check == "all" or (self.arguments.check == "small" and launch.size == "small"))}
        if importlib.util.find_spec("numpy") is None:
            for launch in chosen.values():
                launches[launch.name]["check"] = "no numpy"
            return {}
        for number in chosen:
            (folder / str(number)).mkdir()
        return chosen

    def _timed(self, program, launches, folder, checked):
        dump = ["--dump", folder, "--dumped", ",".join(map(str, checked))] if checked else []
        for line in cuda_tools.lines_of(program.plain, "timed", "--repeats", self.arguments.repeats, *dump):
            launches[line["launch"]]["timed"] = line

    def _placement(self, program, launches, _folder, _checked):
        for line in cuda_tools.lines_of(program.placement, "placement"):
            launches[line["launch"]]["placement"] = line

    def _counted(self, program, launches, _folder, _checked):
        if not self.profiler or not self.permitted:
            return
        log = self.work / "logs" / f"{program.name}.csv"
        values = self.profiler.profile(program.plain, program.launches, self.arguments.repeats, log)
        for launch, repeats in zip(program.launches, values):
            named = [counter_names.by_our_names(one, self.profiler.name) for one in repeats]
            launches[launch.name]["counters"] = {name: [one[name] for one in named] for name in named[0]
                                                 if all(name in one for one in named)}

    def run(self, programs):
        """Measures what is not stored yet; True when the time limit left something."""
        todo = [program for program in programs if (self.stored(program) or {"failures": True})["failures"]]
        if len(todo) < len(programs):
            print(f"{len(programs) - len(todo)} of {len(programs)} programs are there from an earlier call")
        failures = []
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool, \
                concurrent.futures.ThreadPoolExecutor(2) as checkers:
            built = [pool.submit(build, self.nvcc, program, self.options, "placement" in self.arguments.steps) for program in todo]
            try:
                for number, (program, future) in enumerate(zip(todo, built), 1):
                    if self.arguments.time_limit and time.monotonic() - self.began > self.arguments.time_limit:
                        print(f"time limit reached: {len(todo) - number + 1} programs are left, run the same command again")
                        return failures, True
                    try:
                        future.result()
                        result = self.measure(program, checkers)
                    except cuda_tools.RunFailed as error:
                        result = {"failures": [str(error)], "launches": {}, "seconds": 0}
                    failures += [f"{program.title}: {text}" for text in result["failures"]]
                    print(f"[{number}/{len(todo)}] {describe(program, result)}", flush=True)
                    self.write(programs)  # a call that is killed leaves its results, too
            finally:
                for other in built:  # those that have not begun
                    other.cancel()
        return failures, False

    def write(self, programs):
        """The CSV, the placement and the JSON file of all that is stored."""
        rows, placed = [], {}
        for program in programs:
            for launch in (self.stored(program) or {"launches": {}})["launches"].values():
                rows += rows_of(launch)
                if "placement" in launch:
                    placed[launch["launch"]] = (launch["placement"]["core"], launch["placement"]["start_ns"])
        name = self.arguments.date + ("-probe" if self.arguments.probe else "-families" if self.arguments.families else "") + \
            ("-" + self.arguments.slice.replace("/", "of") if self.arguments.slice else "")
        path = self.arguments.out / cuda_tools.slug(self.facts["name"]) / f"{name}.csv"
        try:
            measurements.write(path, self.context(), sorted(rows, key=lambda row: (row[0], row[4])))
            one_file.write(path.with_suffix(".json"), self.context(), rows, [one for program in programs for one in program.launches])
            measurements.write_placement(measurements.placement_of(path), placed)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; what is measured stays in {self.work}: the same command with another --out "
                             "writes it") from error
        return path

    def context(self):
        profiler = self.profiler
        counters = "not collected: " + self.reason if profiler is None else profiler.conditions
        if not self.permitted:
            counters = f"{self.reason}: timings and placement only"
        context = {"gpu": self.facts["name"], "date": self.arguments.date, "counters": counters}
        if profiler and self.permitted:
            context["profiler"] = self.versions[1]
            if profiler.left_out:
                context["counters that it does not have"] = " ".join(profiler.left_out)
        context.update({key: value for key, value in self.facts.items() if key != "name"})
        context["nvcc"] = self.versions[0]
        context["flags"] = " ".join(self.options)
        context["repeats"] = self.arguments.repeats
        context["slice"] = self.arguments.slice or "all"
        context["conditions"] = ("clocks and settings of the card as found; buffers uploaded before every run; time.* without "
                                 "the profiler, second-level cache as the upload left it; placement in a separate run")
        return context


def check_output(launch, folder):
    """What the kernel's check.py says about the buffers in `folder`: "right", or what is wrong."""
    try:
        done = cuda_tools.run([sys.executable, "-B", launch.path.parent / "check.py", folder, *launch.options], 120)
    except cuda_tools.RunFailed as error:
        return str(error)
    return "right" if done.returncode == 0 else cuda_tools.last_words(done)


def rows_of(launch):
    rows = [measurements.row(launch, name, values) for name, values in launch.get("counters", {}).items()]
    timed = launch.get("timed")
    if timed:
        rows.append(measurements.row(launch, "time.milliseconds", timed["milliseconds"]))
        for name in ("registers", "static_shared_bytes", "dynamic_shared_bytes", "private_bytes", "resident_groups"):
            if name != "registers" or "registers" not in launch.get("counters", {}):
                rows.append(measurements.row(launch, name, [timed[name]]))
    if "placement" in launch:
        rows.append(measurements.row(launch, "placement.registers", [launch["placement"]["registers"]]))
    rows.append(measurements.row(launch, "output_checked", [1 if launch["check"] == "right" else 0]))
    return rows


def describe(program, result):
    launches = result["launches"].values()
    words = [f"{len(program.launches)} launches"]
    counted = [len(one["counters"]) for one in launches if "counters" in one]
    words += [f"{min(counted)} counters"] if counted else []
    for word, key in (("timed", "timed"), ("placed", "placement")):
        words += [word] if launches and all(key in one for one in launches) else []
    words += ["output right"] if any(one["check"] == "right" for one in launches) else []
    text = f"{program.title}: {', '.join(words)}; {result['seconds']:.1f} s"
    return text + "".join(f"\n    FAILED {failure}" for failure in result["failures"])


def dry_run(arguments, nvcc, programs):
    """Compiles, prints what would be done; the fills of every launch are made once, on the CPU."""
    options = compiler_options(arguments.arch or "sm_90", arguments.nvcc_option)
    (arguments.work / "build").mkdir(parents=True, exist_ok=True)
    chosen = programs[:arguments.compile] if arguments.compile is not None else programs
    print(f"nvcc {nvcc_version(nvcc)}, {' '.join(options)}")
    if arguments.compile != 0:
        cuda_tools.compile_for(nvcc, HARDWARE, arguments.work, options)
    failures = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        built = {program.name: pool.submit(build, nvcc, program, options, "placement" in arguments.steps) for program in chosen}
        for number, program in enumerate(programs, 1):
            state = "not compiled (--compile)"
            if program.name in built:
                try:
                    built[program.name].result()
                    state = "compiles"
                except cuda_tools.RunFailed as error:
                    state = f"FAILED {error}"
                    failures.append(f"{program.title}: {error}")
            print(f"[{number}/{len(programs)}] {program.title} {' '.join(program.defines)}: {state}", flush=True)
            for launch in program.launches:
                print(f"    {launch.name}: {launch.size}, {launch.groups} work-groups of "
                      f"{measurements.sizes_text(launch.local_size)}")
    metrics = counter_names.wanted("ncu")
    print(f"per launch: {arguments.repeats} runs with CUDA events, one that records cores and start times, "
          f"{arguments.repeats} under the profiler with up to {len(metrics)} metrics (ncu --cache-control "
          f"{arguments.cache_control} --clock-control none)")
    return failures


def parse_arguments():
    parser = ArgumentParser(__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=HARDWARE, help="folder of the results (default validation/hardware)")
    parser.add_argument("--work", type=pathlib.Path, default=SOURCE / "build" / "hw-profile",
                        help="folder of programs and of measurements so far (default build/hw-profile)")
    parser.add_argument("--kernels", nargs="+", default=[], help="only these folders of benchmarks/kernels")
    parser.add_argument("--sizes", nargs="+", choices=suite_launches.SIZES, default=["small", "medium"],
                        help="sizes of the launch files; medium is what a file says outside of its sizes (default small, medium)")
    parser.add_argument("--probe", type=pathlib.Path, metavar="PLAN",
                        help="only the kernels for cachesim infer, with the rows of this plan (validation/hardware/probe_plan.csv)")
    parser.add_argument("--families", type=pathlib.Path, metavar="LIST",
                        help="only the kernels whose counters others published, with the launches of this list "
                        "(validation/hardware/families/launches.csv); --kernels then names families")
    parser.add_argument("--repeats", type=int, default=3, help="repetitions of every measurement (default 3)")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS),
                        help="what is measured of a launch: time and resources, cores of the work-groups, counters (default all)")
    parser.add_argument("--slice", help="i/n: only this part of the programs")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="begin no program after that; exit status 75, run again")
    parser.add_argument("--dry-run", action="store_true", help="compile and print the plan; needs no GPU")
    parser.add_argument("--compile", type=int, metavar="N", help="with --dry-run: only the first N programs")
    parser.add_argument("--arch", help="sm_90 and so on (default: the GPU's; with --dry-run sm_90)")
    parser.add_argument("--nvcc", help="path (default: PATH, /usr/local/cuda)")
    parser.add_argument("--nvcc-option", action="append", default=[], metavar="OPTION",
                        help="for example -Xptxas=-dlcm=ca if the L1 is off by default")
    parser.add_argument("--profiler", choices=("auto", "ncu", "nvprof", "none"), default="auto")
    parser.add_argument("--cache-control", choices=("all", "none"), default="all",
                        help="whether ncu empties the caches before every run (default all)")
    parser.add_argument("--check", choices=("small", "all", "none"), default="small",
                        help="which sizes' outputs are checked on the host with numpy (default small)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time (default: all CPUs)")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="date in the file's name (default today)")
    parser.add_argument("--write-launches", action="store_true",
                        help="write validation/hardware/launches.json again, after a change to a launch file, and end; "
                        "with --families LIST those of the list, too, for a machine without a build")
    parser.add_argument("--bundle", type=pathlib.Path, metavar="FILE", help="write the archive for another machine and end")
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.jobs < 1:
        raise InputError("--repeats, --jobs: expected 1 or more")
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", arguments.date):
        raise InputError(f"--date {arguments.date}: expected letters, digits, '.', '_' and '-'")
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.bundle:
        return bundle.write(arguments.bundle)
    if arguments.write_launches:
        print(suite_launches.write_stored(KERNELS, [arguments.families] if arguments.families else []))
        return 0
    arguments.out, arguments.work = arguments.out.resolve(), arguments.work.resolve()
    launches = launches_of(arguments)
    programs = programs_of(launches, arguments.work)
    if arguments.slice:
        programs = slice_of(programs, arguments.slice)
    nvcc = cuda_tools.need_nvcc(arguments.nvcc)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))  # as an interruption: programs that run are ended
    need_folder("--work", arguments.work)
    if not arguments.dry_run:
        need_folder("--out", arguments.out)  # said now, not after minutes of measuring
    for program in programs:
        program.generate()
    if arguments.dry_run:
        return report(dry_run(arguments, nvcc, programs))
    session = Session(arguments, nvcc)
    print(f"{session.facts['name']}, compute capability {session.facts['compute_capability']}; "
          f"{sum(len(program.launches) for program in programs)} launches in {len(programs)} programs; counters: "
          f"{session.profiler.conditions if session.profiler else 'none, ' + session.reason}")
    failures, more = session.run(programs)
    path = session.write(programs)
    print(f"{path} in {time.monotonic() - session.began:.0f} s")
    status = report(failures)
    return status or (MORE_TO_DO if more else 0 if session.permitted else NOT_PERMITTED)


def launches_of(arguments):
    if arguments.probe:
        return suite_launches.probe_launches(arguments.probe, KERNELS)
    if arguments.families:
        return family_launches.find(arguments.families, arguments.work, arguments.kernels)
    return suite_launches.find(KERNELS, arguments.sizes, arguments.kernels)


def need_folder(option, folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        raise InputError(f"{option} {folder}: {error.strerror}, expected a folder that can be written") from error


def report(failures):
    for failure in failures:
        print(f"hw-profile: {failure}", file=sys.stderr)
    return 1 if failures else 0


def start():
    run_main("hw-profile", main)
