"""Writes and shows the report of a result: `warpscope report`, and the last step of `warpscope`."""
import os
import pathlib
import sys
import tempfile

from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import complete
from warpscope.explore.advice.text import lines as advice_lines
from warpscope.explore.compare import checks
from warpscope.result import code_facts, results
from warpscope.show import listing, page, report
from warpscope.show.page import machine_code
from warpscope.show.summary import exact, layout, words


class Steps:
    """Progress: one line per step, on a terminal only."""

    def __init__(self, total):
        self.number, self.total = 0, total

    def begin(self, text):
        self.number += 1
        if sys.stderr.isatty():
            print(f"[{self.number}/{self.total}] {printable(text)}", file=sys.stderr, flush=True)


def write_report(result, folder, with_plots, steps, capture_file=None, code=()):
    """Writes the summary, the tables and the plots into `folder`; returns the names of the files. `code`: machine code of
    the kernels, as the page has it; without, that which the launches executed."""

    steps.begin("report")
    advice = advice_lines(result)
    text = [*layout.summary(result), "", *advice, *([""] if advice else []), *_exact(result), *_of_code(result), *report.summary(result), "", *listing.whole(result)]
    (folder / "report.txt").write_text("".join(f"{printable(line)}\n" for line in text), encoding="utf-8")
    paths = [folder / "report.txt"]
    paths.append(page.make(result, folder, capture_file if with_plots else None, machine_code=list(code) or machine_code.of_result(result)))
    if with_plots:
        from warpscope.show.plots import access_pattern
        steps.begin("plots")
        paths += report.plots(result, folder)
        if capture_file is not None:
            paths += access_pattern.of_capture(capture_file, result, folder)
    return [path.name for path in paths]


def _exact(result):
    """The section with what addresses alone say of every access; nothing where all is ideal."""
    facts = exact.lines(result, [], words.has_several_kernels(result), None)
    return ["Exact, whatever it costs", *facts, ""] if facts else []


def _of_code(result):
    """The section with what only machine code shows."""
    facts = code_facts.lines(result, words.has_several_kernels(result))
    return [*facts, ""] if facts else []


def show(result, details, files, capture_file=""):
    """Prints the summary, and with `details` the tables and the listing."""

    lines = layout.summary(result, files, str(capture_file))
    if details:
        lines += ["", *advice_lines(result), "", *_exact(result), *_of_code(result), *report.summary(result), "", *listing.excerpts(result)]
    print("\n".join(printable(line) for line in lines))


def publish(work, folder, names):
    """Moves complete files to their place: nothing half-written is ever there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        os.replace(work / name, folder / name)


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


def checks_of(values):
    """What --fail-if and --baseline ask for; what is wrong with them is known before the work."""
    wanted = checks.of_options(values["--fail-if"], values["--baseline"], values["--tolerance"])
    if wanted and "," in (values["--gpu"] or ""):
        raise InputError(f"{'--fail-if' if values['--fail-if'] else '--baseline'}: --gpu {values['--gpu']} makes several results, "
                         "expected one GPU with it")
    return wanted


def failed(wanted, result):
    """4 if a check fails, each of which is named; else 0."""
    return checks.say(wanted.failures(result)) if wanted else 0


def run(values, rest, with_plots):
    if len(rest) != 1:
        raise InputError("report: expected one result.json")
    wanted = checks_of(values)
    result = results.load(rest[0])
    folder = output_folder(values["--output"] or pathlib.Path(rest[0]).parent)
    folder.mkdir(parents=True, exist_ok=True)
    code = machine_code.of_file(values["--machine-code"], result) if values["--machine-code"] else ()
    with tempfile.TemporaryDirectory(prefix=".report.", dir=folder) as work, complete(rest[0], results.EXPECTED):
        names = write_report(result, pathlib.Path(work), with_plots, Steps(1 + with_plots), code=code)
        publish(pathlib.Path(work), folder, names)
        show(result, values["--details"], files_text(folder, names))
    return failed(wanted, result)
