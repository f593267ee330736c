"""warpscope diff --machine: what changed between the machine code of two builds."""
import json
import pathlib
import sys

from warpscope.base import files
from warpscope.base.errors import InputError, printable
from warpscope.explore.compare import checks, machine, machine_text
from warpscope.run.machine_code import COMPILED, EXPECTED, Compilation, Launch, functions

SIDES = 2
OF_LAUNCHES = ("--local", "--dynamic-shared")
OF_RESULTS = ("--html", "--tolerance", "--clock", "--set", "--carveout", "--launch")  # what says nothing about machine code


def _of_each_side(values, name):
    """The value of an option that is given once for both sides, or once for each."""
    given = values[name]
    if len(given) > SIDES:
        raise InputError(f"{name} {given[SIDES]}: is given {len(given)} times, expected it once for both, or twice: of BEFORE, of AFTER")
    return tuple((given * SIDES)[:SIDES]) if given else (None, None)


def _compilations(values):
    return [Compilation(architecture, options or "", compiler) for architecture, options, compiler in
            zip(*(_of_each_side(values, name) for name in ("--arch", "--nvcc-options", "--nvcc")))]


def _check(values, options, inputs):
    given = [name for name in OF_RESULTS if values[name] != options.by_name[name].start()]
    if given:
        raise InputError(f"{given[0]}: says nothing about machine code, expected it without --machine")
    if values["--gpu"] is None:
        for name in OF_LAUNCHES:
            if values[name] is not None:
                raise InputError(f"{name} {values[name]}: expected --gpu GPU with it, whose work-groups are counted")
    for path in inputs:
        if not pathlib.Path(path).exists():
            raise InputError(f"{path}: No such file or directory, expected {EXPECTED}")


def _texts(inputs, values):
    """The sources before and after, where both are known."""
    given = [pathlib.Path(path) for path in values["--source"]]
    if len(given) not in (0, SIDES):
        raise InputError(f"--source: is given {len(given)} times, expected it twice: of BEFORE, of AFTER")
    for path in given:
        if not path.is_file():
            raise InputError(f"--source {path}: No such file, expected the text that was compiled")
    found = given or [path for path in map(pathlib.Path, inputs) if path.suffix in COMPILED]
    return found if len(found) == SIDES else ()


def _selected(found, values, path):
    names = values["--kernel"].split(",") if values["--kernel"] else None
    kernels = [one for one in found if one["kernel"] and (names is None or one["name"] in names)]
    if not kernels:
        known = ", ".join(dict.fromkeys(one["name"] for one in found))
        raise InputError(f"{path}: no kernel {values['--kernel']}, expected one of {known}" if names else f"{path}: has no kernels, expected {EXPECTED}")
    return kernels


def run(inputs, values, options):
    """Prints and writes the comparison; returns the exit status. `options`: the table of warpscope diff."""
    _check(values, options, inputs)
    wanted = machine_text.conditions(values["--fail-if"])
    launch = Launch(values["--gpu"], values["--local"], values["--dynamic-shared"])
    found = [_selected(functions(path, how, launch), values, path) for path, how in zip(inputs, _compilations(values))]
    comparison = machine.between(*found, inputs, _texts(inputs, values))
    machine_text.check_names(wanted, comparison)
    failed = machine_text.failures(wanted, comparison)
    print("\n".join(printable(line) for line in machine_text.lines(comparison)), file=sys.stderr if values["--json"] == "-" else sys.stdout,
          flush=True)
    if values["--json"]:
        files.write_or_print(values["--json"], json.dumps(comparison, indent=1) + "\n")
    return checks.say(failed)
