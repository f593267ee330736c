"""warpscope judge: whether a candidate computes what a reference does, without faults, and at what cost."""
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import sys

from warpscope.base import files, programs, toolchain
from warpscope.base.command import version
from warpscope.base.errors import InputError
from warpscope.base.options import FLAG, LAST, Option, Options, shown_help
from warpscope.commands import other_inputs
from warpscope.run import confined, device_files, kept, simulation

EXIT_REFUSED = 4
CPU_SECONDS = 60
OUTPUT_TYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
PLAIN = re.compile(r"-[DU]\w[^\s]*|-cl-[\w=.-]+|-std=[\w+.]+|-O[0-3s]|-w|-W[\w=-]+|-ffast-math|-f(no-)?unroll-loops|-ffp-contract=\w+")
BUILD_OPTIONS = "--build-options"
OF_CANDIDATES = ("-D", "--define", "--local", "--global", "--grid", "--block", "--kernel", "--arg", "--dynamic-shared", "--cluster", "--launch-file", BUILD_OPTIONS)
KERNELS = (".cl", ".cu", *device_files.SUFFIXES)
OURS = ("--threads", "--dump-buffers", "--work-groups", "--skip-others", "--verify", "--resume", "--count-only", "--addresses-only", "-o", "--output", "--group-order",
        "--size", "--limit-size", "--run-only", "--keep-temporaries", "--preset")
OPTIONS = Options(
    Option("--reference", "FILE", "what is right: a kernel (.cl, .cu, .ptx, .cubin), or FILE.py:FUNCTION; of a program a command", kind=LAST),
    Option("--outputs", "NAME:TYPE,...", "of programs: the files that they leave in the folder {out}, and NumPy's types of their numbers", kind=LAST),
    Option("--gpu", "GPU", "whose costs are compared (default: as warpscope)", kind=LAST),
    Option("--json", "FILE", "the verdict as JSON (- = standard output)", kind=LAST),
    Option("--at-least", "FACTOR", "refuse what is not shown to be this much faster than the reference: 1.1x", kind=LAST),
    Option("--exact", meaning="numbers have to be equal bit by bit", kind=FLAG),
    Option("--tolerance", "T", "numbers may be off by T of the larger of each and the root mean square of its buffer (default: by type and terms)", kind=LAST),
    Option("--sizes", "LIST", "sizes: names of the launch file, odd (an odd number of work-groups), default (the file's own)\n(default: small,odd,default, small if the file has it)", kind=LAST),
    Option("--seed", "SEED", "draws the contents of buffers (default: the candidate's content)", kind=LAST),
    Option("--candidate-options", "TEXT", "options of trace-kernel for the candidate alone: '-D TILE=32 --local 32,8'", kind=LAST),
    Option("--no-cost", meaning="only whether it is right", kind=FLAG),
    Option("--cpu-seconds", "N", f"a run that takes more seconds of a processor has no end (default {CPU_SECONDS})", kind=LAST, rare=True),
    Option("--unconfined", meaning="without the limits on what a candidate may read, write and reach", kind=FLAG, rare=True))
HELP = f"""Judges a candidate by a reference: it gets contents that it cannot know, in several sizes; its results are compared, its faults are found,
and its costs on a GPU are simulated. No GPU is needed.

warpscope judge CANDIDATE --reference REFERENCE [options of trace-kernel for both] [options below]
warpscope judge --reference 'COMMAND' --outputs NAME:TYPE [options below] -- PROGRAM [ARGUMENT]...

The launch is that of the reference's launch file, or of the options. A launch file next to the candidate says how the candidate is launched.
In commands {{seed}} is a number that nobody can know, {{size}} one of --sizes, {{out}} the folder for the outputs.

{{OPTIONS.text()}}

Examples:
  warpscope judge mm_tiled.cl --reference mm.cl
  warpscope judge fast.cu --reference FILE.py:multiply --gpu a100 --json verdict.json
  warpscope judge mm.cl --reference mm.cl --candidate-options '-D TILE=32' --at-least 1.1x
  warpscope judge --reference './naive {{seed}} {{out}}' --outputs c.bin:f4 -- ./fast {{seed}} {{out}}

Exit status: 0 accepted; 2 bad input; 3 a kernel does something that cannot be traced; 4 refused."""
HELP = HELP.replace("{OPTIONS.text()}", OPTIONS.text())


def _factor(text):
    """The value of --at-least."""
    if text is None:
        return None
    try:
        value = float(text.removesuffix("x"))
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise InputError(f"--at-least {text}: expected a factor such as 1.1x")
    return value


def _tolerance(values):
    text = values["--tolerance"]
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        raise InputError(f"--tolerance {text}: expected a number between 0 and 1, such as 1e-5")
    if values["--exact"]:
        raise InputError("--tolerance: not together with --exact")
    return value


def parse(words):
    """(candidate's path, our options, what is left for trace-kernel)."""
    words, program = programs.split(words)
    if not program and words[0].startswith("-"):
        raise InputError(f"'{words[0]}': expected the candidate's file first, or a program behind --")
    values, rest = OPTIONS.read(words if program else words[1:])
    if not values["--reference"]:
        raise InputError(f"--reference is missing, expected what is right: warpscope judge {(program or words)[0]} --reference FILE")
    if bool(program) != bool(values["--outputs"]):
        raise InputError("--outputs: names the files of programs, expected both or neither: --outputs c.bin:f4 -- PROGRAM")
    if program and values["--candidate-options"]:
        raise InputError("--candidate-options: of kernels in files, expected none with a program")
    if other := next((word for word in rest if word.partition("=")[0] in OURS), None):
        raise InputError(f"{other}: not an option here; --sizes names sizes, all work-groups run")
    return program or words[0], values, rest


def _outputs(text):
    """The files of --outputs."""
    from warpscope.explore.judge.programs import Output
    found = []
    for word in text.split(","):
        name, _, kind = word.rpartition(":")
        if not name or kind not in OUTPUT_TYPES or "/" in name:
            raise InputError(f"--outputs {word}: expected NAME:TYPE, a file in {{out}} and one of {', '.join(OUTPUT_TYPES)}, such as c.bin:f4")
        found.append(Output(name, kind))
    return found


def _of_programs(words, values, rest, gpu, wishes):
    """(report of a program behind --, candidate's path, reference's path)."""
    from warpscope.explore.judge import programs as judged_programs
    reference = shlex.split(values["--reference"])
    if not reference:
        raise InputError("--reference: expected a command")
    both = [judged_programs.Program(role, command, rest, gpu, not values["--unconfined"], _seconds(values)) for role, command in
            (("candidate", words), ("reference", reference))]
    for one in both:
        if wishes.sizes and not one.uses(judged_programs.SIZE):
            raise InputError(f"--sizes: the {one.role}'s command has no {judged_programs.SIZE}, expected it where the size belongs")
        if not one.uses(judged_programs.OUT):
            raise InputError(f"the {one.role}'s command has no {judged_programs.OUT}, expected it where the folder of its outputs belongs")
    return judged_programs.judge(*both, _outputs(values["--outputs"]), wishes), *(pathlib.Path(shutil.which(one.words[0]) or one.words[0]) for one in both)


def _launch_file(rest, *paths):
    """The one that the options name, else the first that lies next to a kernel."""
    for word, after in zip(rest, [*rest[1:], ""]):
        if word == "--launch-file":
            return pathlib.Path(after)
        if word.startswith("--launch-file="):
            return pathlib.Path(word.partition("=")[2])
    return next((path.with_suffix(".launch") for path in paths if path.with_suffix(".launch").is_file()), None)


def _with_launch(path, rest, launch_file):
    """The words for a kernel without a launch file of its own."""
    named = any(word.partition("=")[0] == "--launch-file" for word in rest)
    return rest if named or launch_file is None or path.with_suffix(".launch").is_file() else [*rest, "--launch-file", str(launch_file)]


def _kernel(role, path, words, gpu, values):
    from warpscope.explore.judge.runs import Kernel
    path = pathlib.Path(path)
    if not str(path).endswith(KERNELS) and not device_files.is_device_file(path):
        raise InputError(f"{path}: expected a kernel ({', '.join(KERNELS)}) as {role}")
    other_inputs.refuse(str(path), words)
    if not path.is_file():
        raise InputError(f"{path}: no such file, expected a kernel")
    return Kernel(role, path.absolute(), words, gpu, not values["--unconfined"], _seconds(values))


def _seconds(values):
    """Of --cpu-seconds."""
    text = values["--cpu-seconds"] or str(CPU_SECONDS)
    if not text.isdigit() or not 0 < int(text) < 1_000_000:
        raise InputError(f"--cpu-seconds {text}: expected a number of seconds from 1 on")
    return int(text)


def _options_of_candidate(text):
    """The words of --candidate-options: how it is launched, and plain options of its compiler."""
    words = shlex.split(text or "")
    is_value = False
    for before, word in zip(["", *words], words):
        name, _, value = word.partition("=")
        if not is_value and not (name in OF_CANDIDATES or re.fullmatch(r"-D\w.*", word)):
            raise InputError(f"--candidate-options: '{word}', expected some of {', '.join(OF_CANDIDATES)}")
        build = word if is_value and before == BUILD_OPTIONS else value if not is_value and name == BUILD_OPTIONS else ""
        if other := next((one for one in shlex.split(build) if not PLAIN.fullmatch(one)), None):
            raise InputError(f"--candidate-options: build option {other}: not of a candidate, expected macros, -cl-..., -std=..., -O..., -W..., -ffp-contract=...")
        is_value = not is_value and word in OF_CANDIDATES
    return words


def _plain_options(path):
    """Refuses a candidate's launch file whose build options may load code into the compiler or take files into the kernel."""
    status, text, _ = toolchain.attempt("launch-file", path)
    words = shlex.split(json.loads(text)["build_options"]) if status == 0 else []  # else trace-kernel says why
    if other := next((word for word in words if not PLAIN.fullmatch(word)), None):
        raise InputError(f"{path}: build option {other}: not in a candidate's launch file, expected macros, -cl-..., -std=..., -O..., -W..., -ffp-contract=...")


def _sides(candidate, values, rest, gpu):
    """(candidate, reference, names of the launch file's sizes)."""
    from warpscope.explore.judge import problem, reference
    text = values["--reference"]
    is_function = reference.is_function(text)
    paths = [pathlib.Path(candidate), *([] if is_function else [pathlib.Path(text)])]
    launch_file = _launch_file(rest, *reversed(paths))
    own = [*rest, *_options_of_candidate(values["--candidate-options"])]
    own_file = paths[0].with_suffix(".launch")
    if own_file.is_file() and own_file.absolute() not in [path.with_suffix(".launch").absolute() for path in paths[1:]]:
        _plain_options(own_file)
    judged = _kernel("candidate", candidate, _with_launch(paths[0], own, launch_file), gpu, values)
    right = reference.Function(text) if is_function else _kernel("reference", text, _with_launch(paths[1], rest, launch_file), gpu, values)
    return judged, right, problem.launch_sizes(launch_file)


def _named(path, content=True):
    return {"file": path.name, "content": kept.of_file(path) if content else None}


def _progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[Kwarpscope: {text}", end="" if text else "\r", file=sys.stderr, flush=True)


def judged(words, progress=_progress):
    """(the report, the options) for the words of the command line."""
    if importlib.util.find_spec("numpy") is None:
        raise InputError("the Python module numpy is missing, expected the Debian package python3-numpy; scripts/setup installs it")
    from warpscope.explore.judge import judgement, setting
    from warpscope.explore.judge.compare import Rule
    candidate, values, rest = parse(words)
    files.check_output("--json", values["--json"])
    rule = Rule(exact=values["--exact"], relative=_tolerance(values))
    at_least, gpu = _factor(values["--at-least"]), values["--gpu"] or toolchain.given_gpu() or toolchain.DEFAULT_GPU
    simulation.check_options(["--gpu", gpu])
    if values["--no-cost"] and at_least is not None:
        raise InputError("--at-least: needs costs, expected no --no-cost")
    sizes = values["--sizes"].split(",") if values["--sizes"] else None
    seed = values["--seed"] or setting.seed_of(_content(candidate), values["--candidate-options"] or "")
    wishes = setting.Wishes(gpu, seed, rule, sizes, at_least, not values["--no-cost"], progress=progress)
    if isinstance(candidate, list):
        report, *paths = _of_programs(candidate, values, rest, gpu, wishes)
    else:
        one, right, names = _sides(candidate, values, rest, gpu)
        if sizes and (unknown := next((name for name in sizes if name not in (*names, "odd", "default")), None)):
            raise InputError(f"--sizes: '{unknown}', expected some of {', '.join(dict.fromkeys([*names, 'odd', 'default']))}")
        report, paths = judgement.judge(one, right, wishes, names), [one.path, right.path]
    report |= {"candidate": _named(paths[0]), "reference": _named(paths[1]), "tool": {"name": "warpscope", "version": version()},
               "confined": None if values["--unconfined"] else confined.enforced()}
    return report, values


def _content(candidate):
    """The file whose content decides what a candidate gets: the kernel's, the program's or, of an interpreter, its script's."""
    if not isinstance(candidate, list):
        return pathlib.Path(candidate)
    files = [pathlib.Path(word) for word in candidate if os.path.isfile(word)]
    return files[0] if files else pathlib.Path(shutil.which(candidate[0]) or candidate[0])


def main(words):
    if shown_help(words[:words.index("--")] if "--" in words else words, HELP, OPTIONS, needs_words="--" not in words):
        return 0 if words else 2
    from warpscope.explore.judge import text
    try:
        report, values = judged(words)
    finally:
        _progress("")
    if values["--json"]:
        files.write_or_print(values["--json"], json.dumps(report, indent=2, sort_keys=True) + "\n")
    if values["--json"] != "-":
        print("\n".join(text.lines(report)))
    return EXIT_REFUSED if report["verdict"] == "refused" else 0
