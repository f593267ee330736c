"""warpscope check: what kernels do wrong, without a GPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from warpscope.base import children, files, programs, toolchain
from warpscope.base.command import version
from warpscope.base.errors import InputError, ToolFailed, printable
from warpscope.base.inputs import is_capture
from warpscope.base.options import LAST, Option, Options, shown_help
from warpscope.commands import other_inputs
from warpscope.explore.faults import find, text
from warpscope.result import kernels
from warpscope.run import device_files, fixed_target, record, simulation
from warpscope.run.request import given

EXIT_FOUND = 4
FAIL_ON = (*find.LEVELS, "never")
THREADS, UNWRITTEN = "--threads", "--unwritten"  # of trace-kernel
SAMPLED = ("--work-groups", "--skip-others", "--sample", "--addresses-only", "--count-only", "--address-space")  # then not all accesses are there
OPTIONS = Options(
    Option("--tools", "LIST", f"some of {', '.join(find.TOOLS)} (default: all)", kind=LAST),
    Option("--fail-on", "LEVEL", "exit status 4 from this level on: error (default), warning, information, or never", kind=LAST, default="error"),
    Option("--json", "FILE", "the faults as JSON (- = standard output)", kind=LAST),
    Option("--sarif", "FILE", "the same as SARIF 2.1.0, which code hosts and editors show next to the line", kind=LAST),
    Option("--gpu", "GPU", "that programs see, and that machine code is for (default: as warpscope)", kind=LAST),
    Option("--launch", "LIST", "only these launches, counted from 0: 0,3-7 (default all)", kind=LAST),
    Option("--kernel", "NAME[,NAME]", "only these kernels: whole names, or regular expressions found in a name (default all)", kind=LAST))
HELP = f"""Says what kernels do wrong: accesses out of bounds, races, memory that is read before it is written, divergent barriers.
All work-groups run, and all their accesses are looked at. No GPU is needed.

warpscope check KERNEL.cl|KERNEL.cu|KERNEL.ptx|KERNEL.cubin [options of trace-kernel] [options below]
warpscope check [options of trace-kernel] [options below] -- PROGRAM [ARGUMENT]...
warpscope check CAPTURE [options below]

{OPTIONS.text()}

Examples:
  warpscope check mm.cl --global 512,512 --arg a=count=262144
  warpscope check --fail-on warning --sarif faults.sarif -- ./app input.dat

Exit status: 0; 2 bad input; 3 a kernel does something that cannot be traced; 4 faults of the level of --fail-on or above.
With PROGRAM it is the program's own if that is not 0 and there are none."""


def parse(words):
    """(input: a path, or a program as a list; our options; what is left for trace-kernel)."""
    words, program = programs.split(words)
    values, rest = OPTIONS.read(words if program or words[0].startswith("-") else words[1:])
    if not program and words[0].startswith("-"):
        raise InputError(f"'{words[0]}': expected a kernel file or a capture first, or a program behind --")
    if values["--fail-on"] not in FAIL_ON:
        raise InputError(f"--fail-on {values['--fail-on']}: expected one of {', '.join(FAIL_ON)}")
    if sampled := next((word for word in rest if word.partition("=")[0] in SAMPLED), None):
        raise InputError(f"{sampled}: all work-groups and accesses are looked at, expected none that leaves out some")
    if program and any(word.partition("=")[0] == "--machine" for word in rest):
        raise InputError("--machine: executes the kernels of a file (.cu, .ptx, .cubin, .cl), expected no program behind --")
    return program or words[0], values, rest


def tools_of(values):
    wanted = (values["--tools"] or ",".join(find.TOOLS)).split(",")
    if unknown := next((tool for tool in wanted if tool not in find.TOOLS), None):
        raise InputError(f"--tools: '{unknown}', expected some of {', '.join(find.TOOLS)}")
    return wanted


def _recorded(source, values, rest, path):
    """(trace-kernel's exit status, what it says). What a program prints goes where it goes without us. Work-groups run one after the other, so
    that the same of them are named every time."""
    rest = rest if any(word.partition("=")[0] == THREADS for word in rest) else [*rest, f"{THREADS}=1"]
    gpu = values["--gpu"] or toolchain.given_gpu() or toolchain.DEFAULT_GPU
    environment = fixed_target.environment()
    if isinstance(source, list):
        with tempfile.TemporaryFile("w+", dir=path.parent) as kept:  # of the tool and of the program alike
            saved = os.dup(2)
            try:
                os.dup2(kept.fileno(), 2)
                status = record.capture_program(source, [*rest, UNWRITTEN, *given(launch=values["--launch"], kernel=values["--kernel"])], path, values["--gpu"], environment)
            except ToolFailed as failed:
                status = failed.status
            finally:
                os.dup2(saved, 2)
                os.close(saved)
                kept.seek(0)
                messages = kept.read()
        sys.stderr.write(messages)
        return status, messages
    other_inputs.refuse(source, rest)
    is_code = device_files.is_device_file(source)
    words = record.with_gpu_of_machine([*rest, *given(kernel=values["--kernel"])], gpu, is_code)
    done = children.run(toolchain.command("trace-kernel", source, *words, "-o", path), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                        env={**environment, "TMPDIR": str(path.parent)})
    return done.returncode, done.stderr.replace(f"{path.parent}{os.sep}", "")


def _checked(source, values, rest, folder):
    """(faults as find.of_capture has them, trace-kernel's exit status, notes)."""
    if not isinstance(source, list) and is_capture(source, other_inputs.EXPECTED):
        if rest:
            raise InputError(f"'{rest[0]}': not an option here; {source} is a capture, trace-kernel does not run")
        return find.of_capture(source, given(launch=values["--launch"], kernel=values["--kernel"])), 0, []
    path = pathlib.Path(folder) / "check.wtrace"
    status, messages = _recorded(source, values, rest, path)
    said, other = find.of_messages(messages)
    partial = not path.exists()
    left = path.with_name(path.name + ".part") if partial else path
    if status not in (0, simulation.EXIT_NOT_TRACEABLE) and partial or (not left.exists() and not said):
        print(messages, end="", file=sys.stderr)
        raise ToolFailed(status if status > 0 else 1)
    report = {"faults": [], "not_checked": [], "checked": {"launches": 0, "work_groups": 0, "accesses": 0}, "in_part": False}
    if left.exists():
        try:
            report = find.of_capture(left, given(launch=values["--launch"] if not isinstance(source, list) else None), partial)
        except ToolFailed:
            if not said:
                raise
    if status == simulation.EXIT_NOT_TRACEABLE and not said and not other and find.IN_CAPTURE in messages:
        status = 0  # trace-view decides about them
    notes = [f"bounds of {', '.join(names)} are not checked: their sizes were taken from their accesses (--arg NAME=count=N)"
             for names in [find.inferred(messages)] if names]
    return {**report, "faults": [*said, *report["faults"]]}, status, [*notes, *(other if status == simulation.EXIT_NOT_TRACEABLE and not said else [])]


def main(words):
    program = "--" in words
    if shown_help(words[:words.index("--")] if program else words, HELP, OPTIONS, needs_words=not program):
        return 0 if words else 2
    source, values, rest = parse(words)
    tools = tools_of(values)
    for option in ("--json", "--sarif"):
        files.check_output(option, values[option])
    with tempfile.TemporaryDirectory(prefix="warpscope-") as folder:
        report, status, notes = _checked(source, values, rest, folder)
    report = {"version": 1, "tools": tools, **report, "faults": find.chosen(report["faults"], tools)}
    report["counts"] = find.counts(report["faults"])
    for option, content in (("--json", report), ("--sarif", text.sarif(report, version()))):
        if values[option]:
            files.write_or_print(values[option], json.dumps(content, indent=2) + "\n")
    if "-" not in (values["--json"], values["--sarif"]):
        _show(report, notes)
    if find.fails(report["faults"], values["--fail-on"]):
        return EXIT_FOUND
    known = status == simulation.EXIT_NOT_TRACEABLE and bool(report["faults"]) and not notes
    return 0 if known else status


def _show(report, notes):
    for fault in report["faults"]:
        print("\n".join(text.lines(fault)))
    for one in report["not_checked"]:
        print(f"not checked: races within work-groups of kernel {kernels.short(printable(one['kernel']))}: {printable(one['why'])}")
    for note in notes:
        print(f"note: {printable(note)}")
    if report["in_part"]:
        print("note: checked in part: the places that several work-groups access, or those that nobody has written, did not all fit into memory")
    print(text.last_line(report))
