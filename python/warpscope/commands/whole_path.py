"""warpscope without the name of a command: capture, warp order, cache simulation, report."""
import dataclasses
import difflib
import os
import pathlib
import shlex
import shutil
import sys
import tempfile

from warpscope.base import children, cuda_tools, programs, third_party, toolchain
from warpscope.base.default_gpu import default_gpu
from warpscope.base.errors import InputError
from warpscope.base.inputs import is_capture
from warpscope.base.options import FLAG, LAST, MANY, Option, Options, shown_help
from warpscope.commands import other_inputs, report, several_gpus as gpus
from warpscope.explore.advice import attach
from warpscope.result import outside
from warpscope.run import budget, clocks, device_files, record, simulation
from warpscope.run.machine_code import EXPECTED
from warpscope.run.request import Fixed, Gpu, Request, Selection, given
from warpscope.show.page import machine_code
from warpscope.show.page.comparisons import WHAT_IFS

OPTIONS = Options(
    Option("--gpu", "GPU[,GPU...]", "cores, warp size, residency and L1 of this GPU: a name or a .json file; --preset is the same\n"
           "(default: $WARPSCOPE_GPU, else what a captured program saw, else h100). Several (at most 8) are compared in one table", hidden="--preset"),
    Option("--set", "KEY=VALUE", "another value for a key of the GPU; may be repeated; --show-preset lists the keys", kind=MANY),
    Option("--carveout", "KIB", "what local memory has of a memory that it shares with the L1 (default: as NVIDIA's driver would choose)",
           kind=LAST, rare=True),
    Option("--policy", "POLICY", "order of the warps (default warp)", kind=LAST, default="warp", rare=True),
    Option("--cache", "SIZE_KIB,LINE,WAYS,REPLACEMENT,WRITE", "\n"
           "another L1 than the GPU's, for example 48,128,6,LRU,WTNA", kind=LAST),
    Option("--set-index", "INDEX", "another set index than the GPU's", kind=LAST, rare=True),
    Option("--launch", "LIST", "only these launches of a program or a capture, counted from 0: 0,3-7 (default all)", kind=LAST),
    Option("--kernel", "NAME[,NAME]", "only these kernels: whole names, or regular expressions found in a name (default all)",
           kind=LAST),
    Option("--clock", "CLOCK", "auto: the fixed order, and cycle by cycle (timed) if that is little work (default); fixed: without\n"
           "the second; timed, both: with it, however long it takes", kind=LAST, default="auto"),
    Option("--budget", "WORK", "such as 50M or 2G: how many look-ups and memory instructions each clock may simulate; where all are more,\n"
           "launches are drawn at random and the rest is estimated, or, for few launches, only the first work-groups are simulated", kind=LAST),
    Option("--advice-budget", "WORK", "how many look-ups and warp instructions remedies of what costs most may simulate (default:\n"
           "$WARPSCOPE_ADVICE_BUDGET, else what the timed engine leaves of 600M; 0: no advice)", kind=LAST, rare=True),
    Option("--repeat", "N", "N simulations with other layouts and placements; the report shows the range of every rate", kind=LAST, rare=True),
    Option("--output", "FOLDER", "where the report goes (default warpscope-NAME)", kind=LAST, alias="-o"),
    Option("--machine-code", "FILE", "show the machine code of the kernels next to the source in report.html: a cubin, a program, a .cu or .ptx\n"
           "(--registers auto of a .cu does so)", kind=LAST, rare=True),
    Option("--details", meaning="also print the tables and the source lines that access memory; report.txt always has them", kind=FLAG),
    Option("--no-plots", meaning="no plots: only result.json, report.txt and report.html", kind=FLAG),
    Option("--fail-if", "'PATH OP NUMBER[%]'", "\n"
           "exit status 4 if that holds, for example 'total.load.miss_rate > 5%'; may be repeated", kind=MANY),
    (Option("--baseline", "RESULT.json", kind=LAST),
     Option("--tolerance", "PERCENT", "\n"
            "exit status 4 if a measure is worse than in another result by more than that (default 1%)", kind=LAST)))
HELP = f"""Runs the whole path in one go: capture, warp order, cache simulation, report.

warpscope KERNEL.cl|KERNEL.cu|KERNEL.ptx|KERNEL.cubin [options of trace-kernel] [options below]
warpscope [options of trace-kernel] [options below] -- PROGRAM [ARGUMENT]...
warpscope CAPTURE [options below]
warpscope report RESULT.json [-o FOLDER] [--details] [--no-plots]
warpscope model --model MODEL ...            analytical models; warpscope model --help
warpscope what-if CAPTURE CHANGE ...         another layout or machine; warpscope what-if --help
warpscope diff BEFORE AFTER                  what changed between two results or captures; warpscope diff --help
warpscope check FILE|-- PROGRAM              races, accesses out of bounds, divergent barriers; warpscope check --help
warpscope judge CANDIDATE --reference REF    whether a kernel is right, and what it costs; warpscope judge --help
warpscope compare-ncu RUN.csv RESULT         measured counters next to simulated ones; warpscope compare-ncu --help
warpscope tune KERNEL PARAMETER ...          the variant with the fewest cycles; warpscope tune --help
warpscope study STUDY.toml                   many simulations, on one machine or a cluster; warpscope study --help
warpscope export RESULT --format FORMAT      CSV, trace events, the profilers' CSV, charts; warpscope export --help
warpscope plot KIND FILE ...                 a picture of a result, a capture or a sweep; warpscope plot --help
warpscope disassemble FILE                   machine code of kernels; warpscope disassemble --help
warpscope kernels FILE                       kernels of a program or device code; warpscope kernels --help
warpscope serve                              the tools for programs, by the Model Context Protocol; warpscope serve --help
warpscope doctor                             which tools are found, and what to install; warpscope doctor --help
warpscope --list-presets
warpscope --show-preset GPU [--set KEY=VALUE]...
warpscope --version

What runs, for a kernel file (trace-kernel --help has all of it; a .launch or .sim file next to the kernel file says the same):
  --global X[,Y[,Z]] --local X[,Y[,Z]]   work-items, and those of a work-group
  --grid X[,Y[,Z]] --block X[,Y[,Z]]     the same as in CUDA's <<<grid, block>>>
  --arg NAME=VALUE                       an argument: NAME=1024, or NAME=count=65536,fill=random(1)

{OPTIONS.text()}

Examples:
  warpscope mm.cl --gpu h100
  warpscope mm.cl --global 512,512 --gpu h100,a100,rtx4090
  warpscope --gpu h100 --kernel stencil -- ./app input.dat

Exit status: 0; 2 bad input; 3 a kernel does something that cannot be traced, faults, accesses memory outside every buffer, or
does not fit the GPU (the report covers the rest); 4 a condition of --fail-if or --baseline fails. With PROGRAM it is the program's own if that is not 0."""


SOURCES = (".cl", ".cu", *device_files.SUFFIXES, ".wtrace")  # what a source that comes behind options is known by
LONGEST_PREFIX = 40  # characters of a folder's name in that of the work folder, which has to be a name, too
PROPOSE = "WARPSCOPE_PROPOSE"  # 0: what is installed is not mentioned
COMPILED = "compiled"  # folder of what --registers auto compiles


def parse(words):
    """(input: a path, or a program with its arguments as a list; our options; what is left for trace-kernel)."""
    words, program = programs.split(words)
    values, rest = OPTIONS.read(words if program or words[0].startswith("-") else words[1:])
    if old := next((word for word in rest if word.partition("=")[0] == "--advice-seconds"), None):
        raise InputError(f"{old}: no wall clock decides about advice any more, expected --advice-budget WORK, such as 600M")
    if "--resume" in rest:
        raise InputError("--resume: a report is made in one go, expected trace-kernel KERNEL --resume, and then warpscope CAPTURE")
    refuse_misspelt(rest)
    if program or not words[0].startswith("-"):
        return program or words[0], values, rest
    source = next((word for word in rest if word.endswith(SOURCES)), None)
    if source is None:
        raise InputError(f"'{words[0]}': expected a kernel file or a capture, too: warpscope KERNEL.cl {shlex.join(words)}")
    rest.remove(source)
    return source, values, rest


def refuse_misspelt(rest):
    """Raises InputError for what is nearly an option of ours and none of trace-kernel's, which would call it unknown."""
    for word in (word.partition("=")[0] for word in rest if word.startswith("--")):
        meant = difflib.get_close_matches(word, OPTIONS.by_name, n=1, cutoff=0.8)
        if meant and word not in record.option_names():
            raise InputError(f"{word}: unknown option, did you mean {meant[0]}?")


def request_of(values, chosen, default):
    """The simulation that is asked for, with what the tools say about it: better known before the capture than after. `default`: the GPU
    where nobody names one."""
    if values["--gpu"] is None and toolchain.given_gpu():
        simulation.check_options([], env=os.environ)  # names the variable where there is no such GPU
    gpu = Gpu(values["--gpu"] or toolchain.given_gpu() or default, tuple(values["--set"]), values["--carveout"],
              is_default=values["--gpu"] is None and not toolchain.given_gpu())
    fixed = Fixed(values["--policy"], values["--cache"], values["--set-index"], values["--repeat"])
    request = Request(gpu, fixed, values["--clock"], chosen, values["--budget"])
    words = request.machine_words()
    budget.of_advice(values["--advice-budget"], 0)
    simulation.check_options([*words, *given(repeat=fixed.repeat), *budget.words(request.budget), "--policy", fixed.policy, *chosen.words()])
    return clocks.settle(request)


def choice_of_launches(values, is_program, captured):
    """Which tool --launch and --kernel go to: (words of trace-kernel, Selection of the schedule)."""
    launch, kernel = values["--launch"], values["--kernel"]
    if is_program:
        return given(launch=launch, kernel=kernel), Selection()
    return ([], Selection(launch, kernel)) if captured else (given(kernel=kernel), Selection(launch))


def propose_machine(source, rest, gpus, typed):
    """That the toolkit which is there makes the GPU's own code of the source: the command, on standard error. No answer depends on it."""
    compiler = {".cu": "nvcc", ".cl": "ptxas"}.get(pathlib.Path(source).suffix)
    if os.environ.get(PROPOSE) == "0" or compiler is None or not cuda_tools.has(compiler) or not record.can_be_machine(rest, gpus):
        return
    print(f"{compiler} was found; for the GPU's own instructions: {typed} --machine", file=sys.stderr)


def check_code(values):
    """What is wrong with --machine-code, and better known before the work than after."""
    code = values["--machine-code"]
    if code and "," in (values["--gpu"] or ""):
        raise InputError(f"--machine-code: --gpu {values['--gpu']} makes several results, expected one GPU with it")
    if code and not pathlib.Path(code).is_file():
        raise InputError(f"--machine-code {code}: No such file, expected {EXPECTED}")


def run_path(source, values, rest, with_plots, typed):
    is_program = isinstance(source, list)
    if not is_program:
        other_inputs.refuse(source, rest)
    captured = not is_program and is_capture(source, other_inputs.EXPECTED)
    if captured and rest:
        raise InputError(f"'{rest[0]}': not an option here; {source} is a capture, trace-kernel does not run")
    wanted = report.checks_of(values)
    check_code(values)
    of_capture, chosen = choice_of_launches(values, is_program, captured)
    is_default = values["--gpu"] is None and not toolchain.given_gpu()
    is_code = not is_program and not captured and device_files.is_device_file(source)
    default = toolchain.DEFAULT_GPU
    if is_default and (captured or is_code):
        default = default_gpu(source) if captured else device_files.default_gpu(source)
    requests = [request_of({**values, "--gpu": gpu}, chosen, default) for gpu in gpus.named(values)]
    rest = [*rest, *of_capture]
    rest += record.gpu_of_work_groups(rest, ",".join(request.gpu.name for request in requests))
    if not is_program and not captured:
        if note := record.architecture_note(source, [request.gpu.name for request in requests]):
            print(note, file=sys.stderr)
        record.check_one_program(rest, is_code, [request.gpu.name for request in requests])
        rest = record.with_gpu_of_machine(record.with_gpu_of_registers(rest, requests[0].gpu.name), requests[0].gpu.name, is_code)
    name = programs.name_of(source) if is_program else pathlib.Path(source).stem
    folder = report.output_folder(values["--output"] or f"warpscope-{name}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix=f".{folder.name[:LONGEST_PREFIX]}.", dir=folder.parent))
    run = Run(source, folder, work, report.Steps(3 + (not captured) + with_plots), with_plots)
    try:
        status, captures = (0, []) if captured else run.record(name, rest, values["--gpu"] or toolchain.given_gpu(), typed)
        capture_file = pathlib.Path(source) if captured else folder / f"{name}.wtrace"
        if is_program and is_default and (seen := default_gpu(capture_file)) != default:  # --device-like
            requests = [request_of(values, chosen, seen)]
        if len(requests) > 1:
            return status or run.compare(capture_file, requests, captures, values["--advice-budget"])  # what cannot be traced has been named
        left_out, result = run.simulate(capture_file, requests[0], captures, values)
        if not is_program and not captured:
            propose_machine(source, rest, [request.gpu.name for request in requests], typed)
        verdict = report.failed(wanted, result)
    finally:
        children.end_all()  # they write there
        shutil.rmtree(work, ignore_errors=True)
    if outside.places(result):
        return status or simulation.EXIT_NOT_TRACEABLE
    if status == simulation.EXIT_NOT_TRACEABLE:
        print("a kernel does something that cannot be traced (named above); the report covers the rest", file=sys.stderr)
    return status or left_out or verdict


@dataclasses.dataclass
class Run:
    """The steps of one run. Files are made in `work` and moved to `folder` when they are complete."""

    source: object  # a path, or a program with its arguments
    folder: pathlib.Path
    work: pathlib.Path
    steps: report.Steps
    with_plots: bool

    def record(self, name, words, gpu, typed):
        """(exit status, names of the captures), which are in the folder whatever fails from here on. Processes that a program starts have
        captures of their own. A program sees `gpu`, as it was given. `typed`: the user's command."""
        is_program, path = isinstance(self.source, list), self.work / f"{name}.wtrace"
        self.steps.begin(f"capture {' '.join(self.source) if is_program else self.source}")
        if not is_program:
            words = record.with_compiled_code(self.source, words, self.work / COMPILED)
        if is_program:
            status = record.capture_program(self.source, words, path, gpu)
        else:
            status = record.capture(self.source, words, path, typed)
        captures = sorted(path.name for path in self.work.glob("*.wtrace"))
        report.publish(self.work, self.folder, captures)
        return status, captures

    def code(self, given, result):
        """Machine code for the page: of the file that was given, else of what --registers auto has compiled."""
        if given:
            return machine_code.of_file(given, result)
        compiled = self.work / COMPILED / record.CUBIN
        return machine_code.of_compiler(str(compiled), result) if compiled.exists() else ()

    def compare(self, capture_file, requests, captures, advice):
        """Several GPUs: prints their table, returns the exit status."""
        left_out, names, lines = gpus.compare(capture_file, requests, self.work, self.steps, self.with_plots, advice)
        report.publish(self.work, self.folder, names)
        print("\n".join(lines(report.files_text(self.folder, [*captures, *names]))))
        return left_out

    def simulate(self, capture_file, request, captures, values):
        """Writes and shows the report: (exit status, result)."""
        self.steps.begin(f"warp order ({request.fixed.policy}) and cache simulation ({request.gpu.name})")
        left_out = clocks.run_both(capture_file, request, self.work / "result.json")
        self.steps.begin("advice")
        result = attach.to_file(capture_file, request, self.work / "result.json", values["--advice-budget"])
        names = [*report.write_report(result, self.work, self.with_plots, self.steps, capture_file,
                                       self.code(values["--machine-code"], result)), "result.json"]
        report.publish(self.work, self.folder, names)
        (self.folder / WHAT_IFS).unlink(missing_ok=True)  # of an earlier run
        report.show(result, values["--details"], report.files_text(self.folder, [*captures, *names]), capture_file)
        return left_out, result


def main(words):
    """The whole path, or the report of a result; returns the exit status."""
    program = "--" in words
    if shown_help(words[:words.index("--")] if program else words, HELP, OPTIONS, needs_words=not program):
        return 0 if words else 2
    source, values, rest = parse(words)
    with_plots = not values["--no-plots"]
    if with_plots:
        third_party.check()
    return report.run(values, rest, with_plots) if source == "report" else \
        run_path(source, values, rest, with_plots, shlex.join(["warpscope", *words]))
