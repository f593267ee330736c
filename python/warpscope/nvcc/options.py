"""Takes nvcc's command line apart."""
import os
import pathlib
import re
import shlex
from dataclasses import dataclass, field

from warpscope.nvcc import architecture, layout
from warpscope.nvcc.errors import Fatal
from warpscope.nvcc.option_table import FLAG, IGNORED, LIST, ONE, REFUSED, TAKEN

NAMES = {spelling: row for rows in (TAKEN, IGNORED, REFUSED) for row in rows
         for spelling in (f"-{row.short}", f"--{row.short}", f"-{row.long}", f"--{row.long}")
         if len(spelling.lstrip("-")) > 1 or not spelling.startswith("--")}
PHASES = {"compile": "compile", "device-c": "compile", "device-w": "compile", "device-link": "dlink", "cuda": "intermediate", "lib": "lib", "link": "link",
          "run": "link", "preprocess": "preprocess", "generate-dependencies": "depend", "generate-nonsystem-dependencies": "depend"}
CHOICES = {"cudart": ("static", "shared", "none"), "cudadevrt": ("static", "none"),
           "default-stream": ("legacy", "null", "per-thread"), "x": ("c", "c++", "cu"), "machine": ("64",),
           "std": ("c++03", "c++11", "c++14", "c++17", "c++20", "gnu++11", "gnu++14", "gnu++17", "gnu++20")}
ATTACHED = re.compile(r"-(?:[IDULl].|[Ot]\d+$)")  # options whose value may follow at once
DEEPEST_FILES = 16  # options files that name options files
MOST_OPTION_BYTES = 1 << 20
ITEM = re.compile(r'((?:\\.|"(?:\\.|[^"\\])*"|[^,\\"]|"|\\$)+)')  # of a list with commas
JOINED = ("-Wl", "-Wa", "-Wp")  # -Xcompiler takes commas for its own


@dataclass
class Settings:
    """A command line. `preprocessor`: -D, -U, -I, -isystem and -include in their order, as clang takes them."""

    inputs: list = field(default_factory=list)
    phase: str = "link"
    said: dict = field(default_factory=dict)     # long name: the last value; True for a flag
    preprocessor: list = field(default_factory=list)
    architectures: list = field(default_factory=list)
    host: list = field(default_factory=list)     # -Xcompiler, and what is forwarded
    linker: list = field(default_factory=list)   # -Xlinker
    archive: list = field(default_factory=list)  # -Xarchive
    libraries: list = field(default_factory=list)
    library_paths: list = field(default_factory=list)
    run_arguments: list = field(default_factory=list)
    unknown: list = field(default_factory=list)
    architecture: int = architecture.DEFAULT
    warnings: list = field(default_factory=list)

    def has(self, name):
        return name in self.said

    @property
    def relocatable(self):
        return self.said.get("relocatable-device-code") == "true"


def split_list(text):
    """Values between commas; a comma behind a backslash or within double quotes is part of a value."""
    return [re.sub(r'\\([,"\\])|"', lambda match: match[1] or "", item) for item in ITEM.findall(text)]


def split_macros(text):
    """-D's and -U's value: macros between commas, as split_list() finds them; quotes are part of a value."""
    return [re.sub(r'\\([,"\\])', r"\1", item) for item in ITEM.findall(text)]


def words_of_list(text):
    """-Xcompiler's value: options between commas, or as a shell would take them apart."""
    words = [word for item in split_list(text) for word in (shlex.split(item) if " " in item else [item])]
    for at, word in enumerate(words):
        if word in JOINED and at + 1 < len(words):
            return [*words[:at], ",".join(words[at:])]
    return words


def from_environment(words):
    """The command line with what the environment puts in front and behind."""
    return [*shlex.split(os.environ.get("NVCC_PREPEND_FLAGS", "")), *words, *shlex.split(os.environ.get("NVCC_APPEND_FLAGS", ""))]


def with_files(words, depth=0):
    """Options files replaced by what is in them."""
    result, words = [], list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name not in NAMES or NAMES[name].long != "options-file":
            result.append(word)
            continue
        if not equals and not words:
            raise Fatal(f"argument expected after '{word}'")
        for path in split_list(value if equals else words.pop(0)):
            if depth == DEEPEST_FILES:
                raise Fatal(f"Options file '{path}': more than {DEEPEST_FILES} files that name each other")
            result += with_files(_words_of_file(path), depth + 1)
    return result


def _words_of_file(path):
    """What an options file has; it may be a pipe, but what never ends, such as /dev/zero, is no such file."""
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_OPTION_BYTES + 1)
    except OSError as error:
        raise Fatal(f"Could not open options file '{path}': {error.strerror}") from error
    if len(content) > MOST_OPTION_BYTES:
        raise Fatal(f"Options file '{path}': more than {MOST_OPTION_BYTES >> 20} MiB")
    try:
        return shlex.split(content.decode("utf-8", "surrogateescape"), comments=True)
    except ValueError as error:
        raise Fatal(f"Options file '{path}': {error}") from error


def find(word):
    """(row of the table, its value or None) of a word that begins with a hyphen; None if nvcc knows no such option."""
    if word in NAMES:
        return NAMES[word], None
    name, equals, value = word.partition("=")
    if equals and name in NAMES:
        if NAMES[name].kind == FLAG:
            raise Fatal(f"no argument expected after '{name}'")
        return NAMES[name], value
    return (NAMES[word[:2]], word[2:]) if ATTACHED.match(word) else None


def parse(words, presets=pathlib.Path("/nonexistent")):
    """Settings of a command line without the program's name. `presets`: folder of the GPUs' presets, for -arch=native."""
    settings, left = Settings(), with_files(words)
    while left:
        word = left.pop(0)
        if not word.startswith("-") or word == "-":
            settings.inputs.append(word)
            continue
        found = find(word)
        if not found:
            settings.unknown.append(word)
            continue
        row, value = found
        if row.kind == FLAG:
            _take_flag(settings, row)
            continue
        if value is None:
            if not left:
                raise Fatal(f"argument expected after '{word}'")
            value = left.pop(0)
        _take_value(settings, row, value)
    _settle(settings, presets)
    return settings


def _refuse(row):
    if row in REFUSED:
        raise Fatal(f"'-{row.short}': refused, because {row.text} and Warpscope generates no code for a GPU; expected -c, -dc, -dlink, -lib or a link "
                    "(docs/tools/nvcc.md)")


def _take_flag(settings, row):
    _refuse(row)
    settings.said[row.long] = True
    settings.phase = PHASES.get(row.long, settings.phase)
    if row.long in ("device-c", "device-w"):
        settings.said["relocatable-device-code"] = "true" if row.long == "device-c" else "false"


def _take_value(settings, row, value):
    _refuse(row)
    if row.long == "relocatable-device-code" and value not in ("true", "false"):
        raise Fatal(f"'{value}': expected true or false")
    if row.long == "optimize" and not value.isdigit():
        raise Fatal(f"'{value}': expected a number")
    if row.long in CHOICES and value not in CHOICES[row.long]:
        raise Fatal(f"Value '{value}' is not defined for option '{row.long}'")
    if row.kind == ONE and settings.said.get(row.long, value) != value:
        settings.warnings.append(f"incompatible redefinition for option '{row.long}', the last value of this option was used")
    settings.said[row.long] = value
    if row.long in ("define-macro", "undefine-macro"):
        settings.preprocessor += [f"-{row.short}{item}" for item in split_macros(value)]
    elif row.long in ("include-path", "system-include", "pre-include"):
        settings.preprocessor += [word for item in split_list(value) if not layout.is_anothers_include(item) for word in (f"-{row.short}", item)]
    elif row.long == "gpu-architecture":
        settings.architectures = [architecture.number_of(value)]  # in front of every -gencode
    elif row.long == "generate-code":
        number = architecture.of_gencode(value)
        settings.architectures += [] if settings.has("gpu-architecture") else [number]
    elif row.kind == LIST:
        _take_list(settings, row, value)


def _take_list(settings, row, value):
    homes = {"compiler-options": settings.host, "linker-options": settings.linker, "archive-options": settings.archive,
             "library": settings.libraries, "library-path": settings.library_paths, "run-args": settings.run_arguments}
    if row.long in homes:
        split = words_of_list if row.long in ("compiler-options", "archive-options") else split_list
        homes[row.long] += [item for item in split(value) if row.long != "library-path" or not layout.is_anothers_libraries(item)]


def _settle(settings, presets):
    """What depends on the whole command line."""
    to_compiler = settings.has("forward-unknown-to-host-compiler") or settings.has("forward-unknown-opts")
    to_linker = settings.has("forward-unknown-to-host-linker") or settings.has("forward-unknown-opts")
    if settings.unknown and not to_compiler and not to_linker:
        raise Fatal(f"Unknown option '{settings.unknown[0]}'")
    (settings.host if to_compiler else settings.linker).extend(settings.unknown)
    if settings.has("gpu-code") and not settings.has("gpu-architecture"):
        raise Fatal("-arch option not specified")
    settings.architecture, warning = architecture.settle(settings.architectures, presets)
    if warning:
        settings.warnings.append(warning)
    if settings.has("keep-dir") or settings.has("save-temps"):
        settings.said["keep"] = True
