"""Compares two results or captures: what changed, where in the source, and by how much.

warpscope diff BEFORE AFTER [options]

BEFORE and AFTER are results (result.json) or captures, which are simulated. Source lines are matched through the difference of the
source texts, kernels by name, launches in order.

  --json FILE          the comparison as JSON (- = standard output; the text then goes to standard error)
  --html FILE          the comparison as one page
  --fail-if 'PATH OP NUMBER[%]'
                       exit status 4 if that holds for AFTER; may be repeated. A number with a sign is the change from BEFORE
  --tolerance PERCENT  exit status 4 if a measure is worse than BEFORE by more than that
Of captures:
  --gpu GPU            a name or a .json file (default: that of the other result, else $WARPSCOPE_GPU, else as warpscope)
  --clock CLOCK        auto (default), fixed, timed, both: as warpscope
  --set KEY=VALUE, --carveout KIB, --launch LIST, --kernel NAME[,NAME]   as warpscope

Examples:
  warpscope diff old/result.json new/result.json
  warpscope diff mt.wtrace mt_padded.wtrace --gpu h100 --html mt.html
  warpscope diff main.json branch.json --fail-if 'timed.total.timing.cycles > +2%' --json -

Exit status: 0; 2 bad input; 3 a launch does not fit the GPU; 4 a condition of --fail-if or --tolerance fails.
"""
import json
import pathlib
import sys
import tempfile

from warpscope.base import children, files, toolchain
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import complete, is_capture
from warpscope.explore.compare import checks, difference, page, text
from warpscope.result import results
from warpscope.run import clocks, simulation
from warpscope.run.request import Gpu, Request, Selection

OPTIONS = {"--gpu": None, "--clock": "auto", "--launch": None, "--kernel": None, "--carveout": None, "--json": None, "--html": None,
           "--tolerance": None, "--set": [], "--fail-if": []}
OF_CAPTURES = ("--gpu", "--clock", "--launch", "--kernel", "--carveout", "--set")
LISTS = ("--set", "--fail-if")


def options_of(words, known, help_text, aliases=()):
    """(inputs, options) of a command line; `known`: option -> default, a list where it may be repeated. An option is NAME VALUE or
    NAME=VALUE. Prints the help, and ends, where it is asked for."""
    inputs, values, given, queue = [], {name: list(value) if isinstance(value, list) else value for name, value in known.items()}, set(), \
        list(words)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        name = dict(aliases).get(name, name)
        if name in ("-h", "--help"):
            print(help_text.strip())
            sys.exit(0)
        if not word.startswith("-") or word == "-":
            inputs.append(word)
            continue
        if name not in values:
            raise InputError(f"'{word}': unknown option, expected one of {', '.join(known)}; --help explains them")
        if not equals and not queue:
            raise InputError(f"{word}: has no value, expected one behind it")
        value = value if equals else queue.pop(0)
        if isinstance(values[name], list):
            values[name].append(value)
            continue
        if name in given:
            raise InputError(f"{name} {value}: was given already ({values[name]}), expected it once")
        given.add(name)
        values[name] = value
    return inputs, values


def parse(words):
    """(BEFORE, AFTER, options)."""
    inputs, values = options_of(words, OPTIONS, __doc__, {"--preset": "--gpu"}.items())
    if len(inputs) != 2:
        raise InputError(f"{len(inputs)} inputs given, expected two, warpscope diff BEFORE AFTER; --help has examples")
    for name in ("--json", "--html"):
        check_output(name, values[name])
    return *inputs, values


def check_output(option, path):
    """Whether a file can be written where an option says; better known before the work than after."""
    if path not in (None, "-") and not pathlib.Path(path).absolute().parent.is_dir():
        raise InputError(f"{option} {path}: no folder {pathlib.Path(path).parent}, expected a file in a folder that is there")
    if path not in (None, "-") and pathlib.Path(path).is_dir():
        raise InputError(f"{option} {path}: is a folder, expected a file")


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
        given = [name for name in OF_CAPTURES if values[name] != OPTIONS[name]]
        if given:
            raise InputError(f"{given[0]}: both inputs are results, which are not simulated again, expected it with a capture")
    known = {at: results.load(path) for at, path in enumerate(inputs) if not captured[at]}
    presets = [result["context"]["preset"]["name"] for result in known.values() if result["context"].get("preset")]
    gpu = values["--gpu"] or next(iter(presets), None) or toolchain.given_gpu() or toolchain.DEFAULT_GPU
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
    before, after, values = parse(words)
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
