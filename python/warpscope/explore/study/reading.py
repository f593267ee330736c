"""Study files (docs/tools/study.md): TOML in, programs with their variants, GPUs and configurations out. Every key is checked."""
from __future__ import annotations

import math
import pathlib
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from warpscope.base import programs
from warpscope.base.errors import InputError, reason
from warpscope.explore.tuning import tuner
from warpscope.explore.tuning.launch import Launch
from warpscope.explore.tuning.request import Request
from warpscope.explore.tuning.space import Parameter, Space, local_size, values as values_in
from warpscope.explore.tuning.variants import NO_GPU, Kernel

ENGINES = ("fixed", "timed")
RESERVED = ("program", "gpu", "configuration", "status", "reason", "local")  # other columns of results.csv
NAME = re.compile(r"[A-Za-z_]\w*")
PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")  # of a parameter, in the words of a command
Text = Union[str, int, float]


@dataclass(frozen=True)
class Program:
    """A kernel file with its options of trace-kernel, or a whole program. `variants`: its parameters, a mapping each; `inputs`: files
    that a capture depends on besides those that are found."""

    name: str
    kernel: Optional[pathlib.Path]
    command: tuple[str, ...]
    options: tuple[str, ...]
    inputs: tuple[pathlib.Path, ...]
    parameters: tuple[Parameter, ...]
    variants: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Gpu:
    """`word`: what --gpu takes; `name`: as the study calls it."""

    name: str
    word: str


@dataclass(frozen=True)
class Configuration:
    """How a capture is simulated. `words`: options of cachesim."""

    name: str
    engine: str
    words: tuple[str, ...]

    def tool_words(self) -> list[str]:
        """The beginning of the command line: what is between cachesim and the capture."""
        return ["timed"] if self.engine == "timed" else []


@dataclass(frozen=True)
class Study:
    """A study file. `limit_seconds`: how long a tool may run, None: as long as it takes."""

    path: pathlib.Path
    programs: tuple[Program, ...]
    gpus: tuple[Gpu, ...]
    configurations: tuple[Configuration, ...]
    limit_seconds: Optional[float]

    @property
    def folder(self) -> pathlib.Path:
        """The one that the file is in, from which its paths begin."""
        return self.path.resolve().parent


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_list(value: Any, check: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and bool(value) and all(map(check, value))


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "text": (is_text, "a text"),
    "texts": (lambda value: _is_list(value, is_text), "a list of texts"),
    "engine": (lambda value: value in ENGINES, "fixed or timed"),
    "table": (lambda value: isinstance(value, dict), "a table"),
    "tables": (lambda value: _is_list(value, lambda one: isinstance(one, dict)), "tables, such as [[{name}]]"),
    "sizes": (lambda value: is_text(value) or _is_list(value, lambda one: is_text(one) or isinstance(one, int)),
              'sizes of a work-group, such as ["8x8", "16x16"]'),
    "values": (lambda value: is_text(value) or is_number(value) or _is_list(value, lambda one: is_text(one) or is_number(one)),
               'a value, a list of values or a range such as "8-64:8"'),
    "value": (lambda value: is_text(value) or isinstance(value, bool) or is_number(value), "a number, a text or true or false"),
    "seconds": (lambda value: is_number(value) and value > 0, "seconds, a number above 0"),
    "carveout": (lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0, "KiB, a whole number"),
}


@dataclass
class Table:
    """A table of the file; `where`: how messages call its keys, "program 2: "."""

    path: pathlib.Path
    where: str
    said: dict[str, Any]
    known: list[str] = field(default_factory=list)

    def wrong(self, key: str, message: str) -> InputError:
        return InputError(f"{self.path}: {self.where}{key}: {message}")

    def take(self, key: str, kind: str, needed: bool = False) -> Any:
        """The value of a key, None without it. Raises InputError for another type."""
        check, expected = KINDS[kind]
        self.known.append(key)
        if key not in self.said:
            if needed:
                raise InputError(f"{self.path}: {self.where}no '{key}', expected {expected.format(name=key)}")
            return None
        if not check(self.said[key]):
            raise self.wrong(key, f"is {self.said[key]!r}, expected {expected.format(name=key)}")
        return self.said[key]

    def end(self) -> None:
        """Raises InputError for a key that nobody asked for."""
        for key in self.said:
            if key not in self.known:
                raise self.wrong(key, f"unknown key, expected one of {', '.join(self.known)}")


def _parameter(table: Table, name: str, value: Any) -> Parameter:
    if not NAME.fullmatch(name):
        raise table.wrong(f"parameters.{name}", "is no name, expected a letter, then letters, digits and _")
    if name in RESERVED:
        raise table.wrong(f"parameters.{name}", f"this name is taken, expected another than {', '.join(RESERVED)}")
    check, expected = KINDS["values"]
    if not check(value):
        raise table.wrong(f"parameters.{name}", f"is {value!r}, expected {expected}")
    try:
        values = tuple(values_in(value)) if isinstance(value, str) else tuple(value) if isinstance(value, list) else (value,)
        return Parameter(name, values)
    except InputError as error:
        raise table.wrong(f"parameters.{name}", str(error)) from error


def _local(table: Table, program_is_kernel: bool) -> list[Parameter]:
    said = table.take("local", "sizes")
    if said is None:
        return []
    if not program_is_kernel:
        raise table.wrong("local", "a command chooses its work-groups itself, expected it with kernel")
    sizes = tuple(map(str, said if isinstance(said, list) else said.split(",")))
    try:
        for size in sizes:
            local_size(size)
        return [Parameter("local", sizes, "local")]
    except InputError as error:
        raise table.wrong("local", f"{error}") from error


def _inputs(table: Table, folder: pathlib.Path) -> tuple[pathlib.Path, ...]:
    found: set[pathlib.Path] = set()
    for pattern in table.take("inputs", "texts") or []:
        matching = [path for path in (folder.glob(pattern) if not pathlib.Path(pattern).is_absolute() else [pathlib.Path(pattern)])
                    if path.is_file()]
        if not matching:
            raise table.wrong("inputs", f"'{pattern}': no such file, expected files that the program reads")
        found.update(matching)
    return tuple(sorted(found))


def _variants(table: Table, kernel: Optional[pathlib.Path], options: tuple[str, ...], parameters: list[Parameter],
              restrictions: list[str]) -> tuple[dict[str, Any], ...]:
    """The variants that the restrictions allow."""
    if not parameters:
        if restrictions:
            raise table.wrong("restrict", "there are no parameters, expected them in parameters or local")
        return ({},)
    try:
        if kernel is None:
            space = Space(parameters, restrictions)
        else:
            launch = Launch.of_words(options, table.path.parent)
            request = Request(parameters=parameters, restrictions=restrictions, constants=launch.constants())
            space = tuner.space_of(Kernel(kernel, NO_GPU, launch), request)
        return tuple(space.named(one) for one in space.all())
    except InputError as error:
        raise table.wrong("restrict" if restrictions else "parameters", str(error).removeprefix("--restrict: ").removeprefix("--restrict ")) from error


def _command(table: Table, words: list[str], names: list[str]) -> tuple[str, ...]:
    used = {name for word in words for name in PLACE.findall(word)}
    for name in sorted(set(names) - used):
        raise table.wrong(f"parameters.{name}", f"the command has no {{{name}}}, expected it in one of its words")
    for name in sorted(used - set(names)):
        raise table.wrong("command", f"{{{name}}}: no such parameter, expected one of {', '.join(names) or '(none)'}")
    return tuple(words)


def _kernel(table: Table, said: str) -> pathlib.Path:
    path = table.path.parent / said
    if not path.is_file():
        raise table.wrong("kernel", f"{said}: no such file, expected a kernel (.cl, .cu)")
    return path.resolve()


def _program(table: Table, number: int) -> Program:
    kernel, command = table.take("kernel", "text"), table.take("command", "texts")
    if (kernel is None) == (command is None):
        raise InputError(f"{table.path}: program {number}: found {', '.join(table.said) or 'nothing'}, expected either kernel or command")
    name = table.take("name", "text") or (pathlib.Path(kernel).stem if kernel else programs.name_of(command))
    table.where = f"program {name}: "
    path = _kernel(table, kernel) if kernel else None
    options = tuple(table.take("options", "texts") or [])
    if banned := {"-o", "--output", "--"} & set(options):
        raise table.wrong("options", f"{sorted(banned)[0]}: the study says where captures go, expected other options of trace-kernel")
    said = table.take("parameters", "table") or {}
    parameters = [_parameter(table, one, value) for one, value in said.items()] + _local(table, kernel is not None)
    restrictions = table.take("restrict", "texts") or []
    inputs = _inputs(table, table.path.parent)
    table.end()
    words = _command(table, command, [one.name for one in parameters]) if command else ()
    return Program(name, path, words, options, inputs, tuple(parameters), _variants(table, path, options, parameters, restrictions))


def _setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _configuration(table: Table, number: int) -> Configuration:
    engine = table.take("engine", "engine") or "fixed"
    name = table.take("name", "text") or (engine if number == 1 else f"{engine}{number}")
    table.where = f"configuration {name}: "
    words: list[str] = []
    for key, value in (table.take("set", "table") or {}).items():
        if not KINDS["value"][0](value):
            raise table.wrong(f"set.{key}", f"is {value!r}, expected {KINDS['value'][1]}")
        words += ["--set", f"{key}={_setting(value)}"]
    for key, option, kind in (("policy", "--policy", "text"), ("scheduler", "--warp-scheduler", "text"), ("carveout", "--carveout", "carveout")):
        if (value := table.take(key, kind)) is not None:
            if (key == "policy") != (engine == "fixed") and key != "carveout":
                raise table.wrong(key, f"engine = {engine!r} has none, expected {'policy' if engine == 'fixed' else 'scheduler'}")
            words += [option, str(value)]
    options = table.take("options", "texts") or []
    if banned := {"--json", "-o", "--output", "--gpu", "--preset", "--threads"} & set(options):
        raise table.wrong("options", f"{sorted(banned)[0]}: the study gives it itself, expected other options of cachesim")
    table.end()
    return Configuration(name, engine, (*words, *options))


def _gpus(table: Table) -> tuple[Gpu, ...]:
    found = []
    for name in table.take("gpus", "texts", needed=True):
        path = table.path.parent / name
        if name.endswith(".json") and not path.is_file():
            raise table.wrong("gpus", f"{name}: no such file, expected a GPU")
        found.append(Gpu(name, str(path.resolve()) if name.endswith(".json") else name))
    return tuple(found)


def _different(path: pathlib.Path, what: str, names: list[str]) -> None:
    if twice := [name for number, name in enumerate(names) if name in names[:number]]:
        raise InputError(f"{path}: {what} {twice[0]}: is there twice, expected different names")


def _toml(path: pathlib.Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {reason(error)}, expected a study (TOML)") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: {reason(error)}, expected a study (TOML)") from error


def read(path: Union[str, pathlib.Path]) -> Study:
    """Raises InputError that names the file and the key."""
    path = pathlib.Path(path)
    table = Table(path, "", _toml(path))
    gpus = _gpus(table)
    programs = [_program(Table(path, f"program {number}: ", said), number)
                for number, said in enumerate(table.take("program", "tables", needed=True), 1)]
    configurations = [_configuration(Table(path, f"configuration {number}: ", said), number)
                      for number, said in enumerate(table.take("configuration", "tables") or [{}], 1)]
    limit = table.take("limit_seconds", "seconds")
    table.end()
    for what, names in (("gpu", [one.name for one in gpus]), ("program", [one.name for one in programs]),
                        ("configuration", [one.name for one in configurations])):
        _different(path, what, names)
    return Study(path, tuple(programs), gpus, tuple(configurations), limit)
