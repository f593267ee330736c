"""Runs the whole path in one go: capture, warp order, cache simulation, report.

warpscope KERNEL.cl|KERNEL.cu [options of trace-kernel] [options below]
warpscope [options of trace-kernel] [options below] -- PROGRAM [ARGUMENT]...
warpscope CAPTURE [options below]
warpscope report RESULT.json [-o FOLDER] [--details] [--no-plots]
warpscope model --model MODEL ...            analytical models; warpscope model --help
warpscope what-if CAPTURE CHANGE ...         another layout or machine; warpscope what-if --help
warpscope diff BEFORE AFTER                  what changed between two results or captures; warpscope diff --help
warpscope compare-ncu RUN.csv RESULT         measured counters next to simulated ones; warpscope compare-ncu --help
warpscope tune KERNEL PARAMETER ...          the variant with the fewest cycles; warpscope tune --help
warpscope study STUDY.toml                  many simulations, on one machine or a cluster; warpscope study --help
warpscope export RESULT --format FORMAT      CSV, trace events, the profilers' CSV, charts; warpscope export --help
warpscope sass LISTING --banks ARCHITECTURE  register banks of machine instructions; warpscope sass --help
warpscope --list-presets
warpscope --show-preset GPU [--set KEY=VALUE]...
warpscope --version

  --gpu GPU[,GPU...]   cores, warp size, residency and L1 of this GPU: a name or a .json file; --preset is the same
                       (default: $WARPSCOPE_GPU, else gtx480). Several (at most 8) are compared in one table
  --set KEY=VALUE      another value for a key of the GPU; may be repeated; --show-preset lists the keys
  --carveout KIB       what local memory has of a memory that it shares with the L1 (default: as NVIDIA's driver would choose)
  --policy POLICY      order of the warps (default warp)
  --cache SIZE_KIB,LINE,WAYS,REPLACEMENT,WRITE
                       another L1 than the GPU's, for example 48,128,6,LRU,WTNA
  --set-index INDEX    another set index than the GPU's
  --launch LIST        only these launches of a program or a capture, counted from 0: 0,3-7 (default all)
  --kernel NAME[,NAME] only these kernels: whole names, or regular expressions found in a name (default all)
  --clock CLOCK        auto: the fixed order, and cycle by cycle (timed) if that ends within about 10 s (default); fixed: without
                       the second; timed, both: with it, however long it takes
  --budget TIME        such as 60s or 5m: how long both clocks may take together; where all would take longer, launches or cores are
                       drawn at random, and the rest is estimated
  --resume             again and again, until it is complete: an interrupted run of this command goes on with what it left in the
                       folder; the kernel is recorded anew once its capture was complete, so then give the capture
  --advice-seconds N   how long remedies of what costs most may be simulated (default:
                       $WARPSCOPE_ADVICE_SECONDS, else 20; 0: no advice)
  --repeat N           N simulations with other layouts and placements; the report shows the range of every rate
  -o, --output FOLDER  where the report goes (default warpscope-NAME)
  --details            also print the tables and the source lines that access memory; report.txt always has them
  --no-plots           no plots: only result.json, report.txt and report.html
  --fail-if 'PATH OP NUMBER[%]'
                       exit status 4 if that holds, for example 'total.load.miss_rate > 5%'; may be repeated
  --baseline RESULT.json, --tolerance PERCENT
                       exit status 4 if a measure is worse than in another result by more than that (default 1%)

Examples:
  warpscope mm.cl --gpu h100
  warpscope mm.cl --global 512,512 --gpu h100,a100,rtx4090
  warpscope --gpu h100 --kernel stencil -- ./app input.dat

Exit status: 0; 2 bad input; 3 a kernel does something that cannot be traced, faults, or does not fit the GPU (the report covers
the rest); 4 a condition of --fail-if or --baseline fails. With PROGRAM it is the program's own if that is not 0.
"""
import importlib
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from warpscope.base import children, programs, toolchain
from warpscope.base.errors import InputError, ToolFailed, printable, run_main
from warpscope.base.inputs import complete, is_capture
from warpscope.commands import several_gpus as gpus
from warpscope.explore.advice.seconds import default_seconds, seconds_of_option
from warpscope.result import results
from warpscope.run import budget, clocks, simulation

PATTERN_ACCESSES = 400_000  # lane accesses per policy in the access pattern; larger launches are sampled
DEFAULT_GPU = "gtx480"
WHAT_IFS = "what-if.json"  # in a report's folder: see show/page/comparisons.py
OPTIONS = {"--gpu": None, "--policy": "warp", "--cache": None, "--set-index": None, "--repeat": None, "--launch": None,
           "--kernel": None, "--output": None, "--carveout": None, "--clock": "auto", "--budget": None, "--advice-seconds": None,
           "--baseline": None, "--tolerance": None}


def parse(words):
    """(input: a path, or a program with its arguments as a list; our options; what is left for trace-kernel)."""
    if not words or words[0] in ("-h", "--help"):
        print(__doc__.strip())
        sys.exit(0 if words else 2)
    program = None
    if "--" in words:
        at = words.index("--")
        words, program = words[:at], words[at + 1:]
        if not program:
            raise InputError("--: expected a program and its arguments behind it")
    values, rest = {**OPTIONS, "no plots": False, "details": False, "resume": False}, []
    queue = list(words if program else words[1:])
    values["--set"], values["--fail-if"] = [], []
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        given, name = name, {"-o": "--output", "--preset": "--gpu"}.get(name, name)
        if word in ("--no-plots", "--details", "--resume"):
            values[word[2:].replace("-", " ")] = True
        elif name in ("-h", "--help"):
            return parse(["--help"])
        elif name in values:
            if not equals and not queue:
                raise InputError(f"{word}: has no value, expected one behind it")
            value = value if equals else queue.pop(0)
            if name == "--gpu" and values[name] is not None:
                raise InputError(f"{given} {value}: a GPU is given already ({values[name]}), expected --gpu or its alias "
                                 "--preset, once")
            values[name] = [*values[name], value] if name in ("--set", "--fail-if") else value
        else:
            rest.append(word)
    if program is None and words[0].startswith("-"):
        raise InputError(f"'{words[0]}': expected the kernel file or the capture first, then the options")
    return program or words[0], values, rest


class Steps:
    """Progress: one line per step, on a terminal only."""

    def __init__(self, total):
        self.number, self.total = 0, total

    def begin(self, text):
        self.number += 1
        if sys.stderr.isatty():
            print(f"[{self.number}/{self.total}] {printable(text)}", file=sys.stderr, flush=True)


def capture(kernel, options, path):
    """Runs trace-kernel; returns its exit status where there is a capture (0 or 3)."""
    done = children.run(toolchain.command("trace-kernel", kernel, *options, "-o", path), stdin=subprocess.DEVNULL,
                        stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(path.parent)})
    print(done.stderr.replace(f"{path.parent}{os.sep}", ""), end="", file=sys.stderr, flush=True)
    if done.returncode not in (0, simulation.EXIT_NOT_TRACEABLE) or not path.exists():
        raise ToolFailed(done.returncode if done.returncode > 0 else 1)
    return done.returncode


def capture_program(program, options, path):
    """Runs a program under trace-kernel, with this terminal as its own; returns its exit status."""
    done = children.run(toolchain.command("trace-kernel", *options, "-o", path, "--", *program))
    if not path.exists():
        raise ToolFailed(done.returncode if done.returncode > 0 else 2)  # trace-kernel has said why
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def settle_options(values):
    """Which GPU it is, and whether the simulation takes the options: better known before the capture than after."""
    if values["--gpu"] is None and toolchain.given_gpu():
        simulation.check_options([], env=os.environ)  # names the variable where there is no such GPU
    values["default GPU"] = values["--gpu"] is None and not toolchain.given_gpu()
    values["--gpu"] = values["--gpu"] or toolchain.given_gpu() or DEFAULT_GPU
    cache, index, gpu = simulation.cache_words(values)
    values["--advice-seconds"] = values["--advice-seconds"] or default_seconds()
    seconds_of_option(values["--advice-seconds"])
    repeat = ["--repeat", values["--repeat"]] if values["--repeat"] is not None else []
    simulation.check_options([*cache, *gpu, *index, *repeat, *budget.words(values), "--policy", values["--policy"], *values["chosen"]])
    clocks.settle(values)


def advise(capture_file, values, work):
    """Appends advice to the result in `work`; the whole result."""
    from warpscope.explore.advice import attach

    return attach.to_file(capture_file, values, work / "result.json", float(values["--advice-seconds"]))


def plot_pattern(capture_file, result, folder):
    """The four policies side by side; of large launches every n-th work-group."""
    from warpscope.show.plots import access_pattern, style

    launch = results.launch_groups(result)[0]
    lanes = sum(launch[kind]["lanes"] for kind in ("load", "store", "atomic")) // launch["count"]
    if lanes == 0:
        return []
    groups = math.prod(launch["global"]) // math.prod(launch["local"])
    options, note = results.one_sampled_core(result) or access_pattern.sample(lanes, groups, PATTERN_ACCESSES)
    panels = list(access_pattern.schedule(capture_file, access_pattern.POLICIES, PATTERN_ACCESSES,
                                               ["--launch", launch["first"], *options]))
    geometry = access_pattern.Geometry(launch["global"], launch["local"])
    buffers = [(buffer["name"], buffer["address"], buffer["size"]) for buffer in result["buffers"]
               if buffer["address"]]
    title = access_pattern.title(results.launch_text(launch), note)
    figure = access_pattern.draw(panels, geometry, title, buffers=buffers)
    return style.save(figure, folder / "access_pattern")


def write_report(result, folder, with_plots, steps, capture_file=None):
    """Writes the summary, the tables and the plots into `folder`; returns the names of the files."""
    from warpscope.explore.advice.text import lines as advice_lines
    from warpscope.show import listing, page, report
    from warpscope.show.summary import layout

    steps.begin("report")
    advice = advice_lines(result)
    text = [*layout.summary(result), "", *advice, *([""] if advice else []), *report.summary(result), "", *listing.whole(result)]
    (folder / "report.txt").write_text("".join(f"{printable(line)}\n" for line in text), encoding="utf-8")
    paths = [folder / "report.txt"]
    paths.append(page.make(result, folder, capture_file if with_plots else None))
    if with_plots:
        steps.begin("plots")
        paths += report.plots(result, folder)
        if capture_file is not None:
            paths += plot_pattern(capture_file, result, folder)
    return [path.name for path in paths]


def show(result, details, files, capture_file=""):
    """Prints the summary, and with `details` the tables and the listing."""
    from warpscope.explore.advice.text import lines as advice_lines
    from warpscope.show import listing, report
    from warpscope.show.summary import layout

    lines = layout.summary(result, files, str(capture_file))
    if details:
        lines += ["", *advice_lines(result), "", *report.summary(result), "", *listing.excerpts(result)]
    print("\n".join(printable(line) for line in lines))


def publish(work, folder, names):
    """Moves complete files to their place: nothing half-written is ever there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        os.replace(work / name, folder / name)


def move_parts(source, target):
    """Moves what an interrupted run has recorded."""
    for path in source.glob("*.wtrace.part"):
        target.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target / path.name)


def files_text(folder, names):
    """Where the rest is, in a phrase: the folder and what kinds of files it has."""
    plots = sum(name.endswith(".png") for name in names)
    plain = [name for name in names if not name.endswith((".png", ".svg"))]
    return f"{folder}/ ({', '.join(plain)}{f', {plots} plots' if plots else ''})"


def output_folder(path):
    """Where the report goes; what is wrong with it is better known before the work than after."""
    folder = pathlib.Path(path)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file, expected a folder for the report")
    if folder.exists() and not os.access(folder, os.W_OK):
        raise InputError(f"{folder}: cannot be written to, expected a folder for the report")
    return folder


def choice_of_launches(values, is_program, captured):
    """Says which tool --launch and --kernel go to: returns those of trace-kernel, leaves those of the schedule in `values`."""
    def given(*names):
        return [word for name in names if values[name] is not None for word in (name, values[name])]

    of_capture = ("--launch", "--kernel") if is_program else () if captured else ("--kernel",)
    values["chosen"] = given(*(name for name in ("--launch", "--kernel") if name not in of_capture))
    return given(*of_capture)


def gpu_of_work_groups(rest, gpu):
    """--gpu for trace-kernel, if --work-groups names cores or waves of a GPU (every-core:4, random-cores:10, waves:3)."""
    named = re.search(r"(^| )--work-groups[ =](every-core|random-cores|waves):[^/ ]*( |$)", " ".join(rest))
    return ["--gpu", gpu] if named else []


def checks_of(values):
    """What --fail-if and --baseline ask for; what is wrong with them is known before the work."""
    from warpscope.explore.compare import checks
    wanted = checks.of_options(values["--fail-if"], values["--baseline"], values["--tolerance"])
    if wanted and "," in (values["--gpu"] or ""):
        raise InputError(f"{'--fail-if' if values['--fail-if'] else '--baseline'}: --gpu {values['--gpu']} makes several results, "
                         "expected one GPU with it")
    return wanted


def failed(wanted, result):
    """4 if a check fails, each of which is named; else 0."""
    if not wanted:
        return 0
    from warpscope.commands import diff as command
    return command.say_failures(wanted.failures(result))


def run_path(source, values, rest, with_plots):
    is_program = isinstance(source, list)
    captured = not is_program and is_capture(source, "a kernel file (.cl, .cu) or a capture")
    if not is_program and not captured and pathlib.Path(source).suffix == ".json":
        raise InputError(f"{source}: expected a kernel file (.cl, .cu) or a capture; a result is shown by warpscope report {source}")
    if values["resume"] and not captured:
        rest = [*rest, "--resume"]
    if captured and rest:
        raise InputError(f"'{rest[0]}': not an option here; {source} is a capture, trace-kernel does not run")
    wanted = checks_of(values)
    rest = [*rest, *choice_of_launches(values, is_program, captured)]
    several = gpus.several(values, settle_options)
    rest += gpu_of_work_groups(rest, values["--gpu"])
    name = programs.name_of(source) if is_program else pathlib.Path(source).stem
    folder = output_folder(values["--output"] or f"warpscope-{name}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    steps = Steps(3 + (not captured) + with_plots)
    status, captures = 0, []
    work = pathlib.Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        if values["resume"]:
            values["resume"] = folder
            move_parts(folder, work)
        capture_file = pathlib.Path(source) if captured else work / f"{name}.wtrace"
        if not captured:
            steps.begin(f"capture {' '.join(source) if is_program else source}")
            status = (capture_program if is_program else capture)(source, rest, capture_file)
            # Whatever fails from here on, what was recorded stays. Processes that a program starts have captures of their own.
            captures = sorted(path.name for path in work.glob("*.wtrace"))
            publish(work, folder, captures)
            capture_file = folder / capture_file.name
        if several:
            left_out, names, lines = gpus.compare(capture_file, values, several, work, steps, with_plots)
            publish(work, folder, names)
            simulation.remove_kept(values, work)
            print("\n".join(lines(files_text(folder, [*captures, *names]))))
            return status or left_out  # what cannot be traced has been named
        steps.begin(f"warp order ({values['--policy']}) and cache simulation ({values['--gpu']})")
        left_out = clocks.run_both(capture_file, values, work / "result.json")
        steps.begin("advice")
        result = advise(capture_file, values, work)
        names = [*write_report(result, work, with_plots, steps, capture_file), "result.json"]
        publish(work, folder, names)
        (folder / WHAT_IFS).unlink(missing_ok=True)  # of an earlier run
        simulation.remove_kept(values, work)
        show(result, values["details"], files_text(folder, [*captures, *names]), capture_file)
        verdict = failed(wanted, result)
    finally:
        children.end_all()  # they write there
        if values["resume"]:
            move_parts(work, folder)
            simulation.say_what_is_kept(folder)
        shutil.rmtree(work, ignore_errors=True)
    if status == simulation.EXIT_NOT_TRACEABLE:
        print("a kernel does something that cannot be traced (named above); the report covers the rest", file=sys.stderr)
    return status or left_out or verdict


def run_report(values, rest, with_plots):
    if len(rest) != 1:
        raise InputError("report: expected one result.json")
    wanted = checks_of(values)
    result = results.load(rest[0])
    folder = output_folder(values["--output"] or pathlib.Path(rest[0]).parent)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".report.", dir=folder) as work, complete(rest[0], results.EXPECTED):
        names = write_report(result, pathlib.Path(work), with_plots, Steps(1 + with_plots))
        publish(pathlib.Path(work), folder, names)
        show(result, values["details"], files_text(folder, names))
    return failed(wanted, result)


# Loaded when they are asked for: most of them need what the others do not.
SUBCOMMANDS = {"model": "commands.model:main", "what-if": "explore.whatif:run", "diff": "commands.diff:run",
               "compare-ncu": "commands.compare_ncu:run", "tune": "commands.tune:main", "export": "commands.export:run",
               "sass": "commands.sass:main", "study": "commands.study:main"}


def main():
    children.catch_signals()
    if sys.argv[1:2] in (["--list-presets"], ["--show-preset"]):
        return subprocess.run(toolchain.command("warpsched", *sys.argv[1:])).returncode
    if sys.argv[1:2] and sys.argv[1] in SUBCOMMANDS:
        module, function = SUBCOMMANDS[sys.argv[1]].split(":")
        return getattr(importlib.import_module(f"warpscope.{module}"), function)(sys.argv[2:])
    source, values, rest = parse(sys.argv[1:])
    if not values["no plots"]:
        from warpscope.base import third_party  # noqa: F401  (says what is missing before the work begins)
    if source == "report":
        return run_report(values, rest, not values["no plots"])
    return run_path(source, values, rest, not values["no plots"])


def start():
    run_main("warpscope", main)
