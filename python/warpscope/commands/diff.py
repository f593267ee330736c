"""warpscope diff: what changed between two results or captures, or between the machine code of two builds."""
import json
import pathlib
import sys
import tempfile

from warpscope.base import children, files, toolchain
from warpscope.base.default_gpu import default_gpu
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import complete, is_capture
from warpscope.base.options import FLAG, MANY, Option, Options, shown_help, unknown_option
from warpscope.commands import diff_machine
from warpscope.explore.compare import checks, difference, page, text
from warpscope.result import results
from warpscope.run import clocks, simulation
from warpscope.run.request import Gpu, Request, Selection

OPTIONS = Options(
    Option("--json", "FILE", "the comparison as JSON (- = standard output; the text then goes to standard error)"),
    Option("--html", "FILE", "the comparison as one page"),
    Option("--fail-if", "'PATH OP NUMBER[%]'", "\n"
           "exit status 4 if that holds for AFTER; may be repeated. A number with a sign is the change from BEFORE", kind=MANY),
    Option("--tolerance", "PERCENT", "exit status 4 if a measure is worse than BEFORE by more than that"),
    "Of captures:",
    Option("--gpu", "GPU", "a name or a .json file (default: that of the other result, else $WARPSCOPE_GPU, else as warpscope)",
           hidden="--preset"),
    Option("--clock", "CLOCK", "auto (default), fixed, timed, both: as warpscope", default="auto"),
    (Option("--set", "KEY=VALUE", kind=MANY, rare=True),
     Option("--carveout", "KIB", rare=True),
     Option("--launch", "LIST", rare=True),
     Option("--kernel", "NAME[,NAME]", " as warpscope", rare=True)),
    "Of machine code:",
    Option("--machine", meaning="BEFORE and AFTER are cubins, programs, objects, archives, or .cu and .ptx, which nvcc or ptxas compiles;\n"
           "or two folders of them. --gpu adds the work-groups that a core holds, --kernel selects by name", kind=FLAG),
    Option("--arch", "sm_NN", "only code for this architecture; a .cu or .ptx is compiled for it (default sm_90)", kind=MANY),
    Option("--nvcc-options", "OPTIONS", "for a .cu or .ptx, such as '-O1 -maxrregcount=32'", kind=MANY),
    Option("--nvcc", "PATH", "the compiler (default: as warpscope disassemble). These three: once for both, or twice, for BEFORE and AFTER",
           kind=MANY),
    Option("--source", "FILE", "given twice: the sources of cubins, to match lines through their difference, not by number", kind=MANY),
    Option("--local", "N", "with --gpu: work-items of a work-group (default 256)"),
    Option("--dynamic-shared", "BYTES", "with --gpu: shared memory that the launch adds", rare=True))
HELP = f"""Compares two results or captures: what changed, where in the source, and by how much.

warpscope diff BEFORE AFTER [options]
warpscope diff --machine BEFORE AFTER [options]

BEFORE and AFTER are results (result.json) or captures, which are simulated. Source lines are matched through the difference of the
source texts, kernels by name, launches in order.

{OPTIONS.text()}

Examples:
  warpscope diff old/result.json new/result.json
  warpscope diff mt.wtrace mt_padded.wtrace --gpu h100 --html mt.html
  warpscope diff main.json branch.json --fail-if 'timed.total.timing.cycles > +2%' --json -
  warpscope diff --machine old.cubin new.cubin --gpu h100 --local 256 --fail-if 'registers > 10%'
  warpscope diff --machine k.cu k.cu --nvcc-options -O3 --nvcc-options -O1

Exit status: 0; 2 bad input; 3 a launch does not fit the GPU; 4 a condition of --fail-if or --tolerance fails."""

RESULT = "result.json"  # of warpscope -o FOLDER
OF_MACHINE_CODE = ("--arch", "--nvcc-options", "--nvcc", "--source", "--local", "--dynamic-shared")
OF_CAPTURES = ("--gpu", "--clock", "--launch", "--kernel", "--carveout", "--set")


def parse(words):
    """(BEFORE, AFTER, options)."""
    values, inputs = OPTIONS.read(words, unknown_option(OPTIONS, "--help explains them"))
    if len(inputs) != 2:
        raise InputError(f"{len(inputs)} inputs given, expected two, warpscope diff BEFORE AFTER; --help has examples")
    for name in ("--json", "--html"):
        files.check_output(name, values[name])
    return *(inputs if values["--machine"] else map(of_folder, inputs)), values


def of_folder(path):
    """The result in a folder that warpscope made; other inputs as they are."""
    folder = pathlib.Path(path)
    if not folder.is_dir():
        return path
    if (folder / RESULT).is_file():
        return str(folder / RESULT)
    captures = sorted(folder.glob("*.wtrace"))
    if len(captures) == 1:
        return str(captures[0])
    raise InputError(f"{path}: is a folder without {RESULT}, expected a folder of warpscope -o, a result or a capture")


def simulated(capture, values, gpu, folder, name):
    """Simulates a capture with both clocks, as warpscope does: (path of the result in `folder`, exit status)."""
    request = clocks.settle(Request(Gpu(gpu, tuple(values["--set"]), values["--carveout"]), clock=values["--clock"],
                                    chosen=Selection(values["--launch"], values["--kernel"])))
    path = pathlib.Path(folder) / f"{name}.json"
    status = simulation.simulate(capture, request, path)
    return path, max(status, clocks.run(capture, request, path))


def load(inputs, values):
    """(results of the inputs, exit status)."""
    captured = [is_capture(path, "a result or a capture") for path in inputs]
    if not any(captured):
        given = [name for name in OF_CAPTURES if values[name] != OPTIONS.by_name[name].start()]
        if given:
            raise InputError(f"{given[0]}: both inputs are results, which are not simulated again, expected it with a capture")
    known = {at: results.load(path) for at, path in enumerate(inputs) if not captured[at]}
    presets = [result["context"]["preset"]["name"] for result in known.values() if result["context"].get("preset")]
    gpu = values["--gpu"] or next(iter(presets), None) or toolchain.given_gpu()
    if not gpu and any(captured):
        gpu = default_gpu(inputs[captured.index(True)])
    status = 0
    with tempfile.TemporaryDirectory(prefix="warpscope-diff.") as work:
        try:
            for at, path in enumerate(inputs):
                if captured[at]:
                    file, own = simulated(path, values, gpu, work, f"result{at}")
                    known[at], status = results.load(file), max(status, own)
        finally:
            children.end_all()
    return [known[at] for at in range(len(inputs))], status


def run(words):
    """warpscope diff: prints and writes the comparison, returns the exit status."""
    if shown_help(words, HELP, OPTIONS):
        return 0
    before, after, values = parse(words)
    if values["--machine"]:
        return diff_machine.run((before, after), values, OPTIONS)
    for name in OF_MACHINE_CODE:
        if values[name]:
            raise InputError(f"{name}: of machine code, expected --machine with it")
    conditions = [checks.parse(given, True) for given in values["--fail-if"]]
    percent = None if values["--tolerance"] is None else checks.tolerance(values["--tolerance"])
    (old, new), status = load((before, after), values)
    with complete(f"{before}, {after}", results.EXPECTED):
        comparison = difference.between(old, new, (before, after))
        shown = "\n".join(printable(line) for line in text.lines(comparison))
        if values["--html"]:
            files.write_or_print(values["--html"], page.document(comparison, old, new))
    print(shown, file=sys.stderr if "-" in (values["--json"], values["--html"]) else sys.stdout)
    if values["--json"]:
        files.write_or_print(values["--json"], json.dumps(comparison, indent=1) + "\n")
    wanted = checks.Checks(conditions, old, before, percent)
    return checks.say(wanted.failures(new, comparison)) or status
