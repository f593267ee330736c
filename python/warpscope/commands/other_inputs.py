"""Inputs of warpscope that are neither a kernel file nor a capture: each is refused with the command that works."""
import os
import pathlib
import re
import shlex
import shutil
import stat

from warpscope.base.errors import InputError
from warpscope.base.inputs import is_capture
from warpscope.run.device_files import is_device_file

EXPECTED = "a kernel file (.cl, .cu, .ptx, .cubin) or a capture"
MOST_NAMES = 3          # kernel files of a folder that are named
MOST_BYTES = 1 << 20    # of a source that is looked through for main()
INTERPRETERS = {".py": "python3", ".sh": "bash", ".jl": "julia", ".R": "Rscript"}
HOST_SOURCES = (".c", ".cc", ".cpp", ".cxx")
LAUNCH_OPTIONS, LAUNCH_FILES = ("--global", "--grid", "--launch-file"), (".launch", ".sim")
NO_CODE = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\\\.|[^\"\\\\\n])*\"", re.DOTALL)  # comments, and text that may look like one
MAIN = re.compile(rb"\b(?:int|auto|void)\s+main\s*\(")
ELF_OBJECT = 1  # e_type


def refuse(path, rest):
    """Raises InputError for what warpscope cannot begin with; returns for kernel files, and for captures. `rest`: options of trace-kernel."""
    name, arguments = shlex.quote(str(path)), "".join(f" {shlex.quote(word)}" for word in rest)
    if os.path.isdir(path):
        raise InputError(f"{path}: a folder, expected {EXPECTED}{_in_folder(pathlib.Path(path))}")
    if os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode):
        raise InputError(f"{path}: is a pipe, expected {EXPECTED} that can be read more than once")
    if not os.path.exists(path) and shutil.which(str(path)):
        raise InputError(f"{path}: a program, expected it behind --: warpscope -- {name}{arguments}")
    if is_capture(path, EXPECTED) or not os.path.isfile(path) or is_device_file(path) or _asks_for_machine_code(rest):
        return
    suffix, begin = pathlib.Path(path).suffix, _beginning(path)
    if begin.startswith(b"\x7fELF"):
        raise InputError(f"{path}: {_elf(begin, path, name, arguments)}")
    if suffix in INTERPRETERS:
        raise InputError(f"{path}: a program, expected it behind --: warpscope -- {INTERPRETERS[suffix]} {name}{arguments}")
    if begin.startswith(b"#!"):
        raise InputError(f"{path}: a program, expected it behind --: warpscope -- {_called(path)}{arguments}")
    if suffix == ".json":
        raise InputError(f"{path}: expected {EXPECTED}; a result is shown by warpscope report {name}")
    program = shlex.quote(pathlib.Path(path).stem)
    if suffix in HOST_SOURCES:
        raise InputError(f"{path}: the source of a program, expected the program behind --: build it (g++ {name} -o {program} -lOpenCL), "
                         f"then warpscope -- ./{program}{arguments}")
    if suffix == ".cu" and MAIN.search(NO_CODE.sub(b" ", begin)) and not _is_launch_known(pathlib.Path(path), rest):
        raise InputError(f"{path}: has a main(), so its launches are known when it runs: warpscope-nvcc {name} -o {program} && "
                         f"warpscope -- ./{program}{arguments} (or --global and --local for one of its kernels alone)")


def _asks_for_machine_code(rest):
    """Then a program or an object is read for the kernels in it."""
    return any(word.partition("=")[0] == "--machine" for word in rest)


def _is_launch_known(path, rest):
    """From an option, or from a file next to the kernel file, which trace-kernel reads."""
    given = any(word.split("=")[0] in LAUNCH_OPTIONS for word in rest)
    return given or any(path.with_suffix(suffix).is_file() for suffix in LAUNCH_FILES)


def _beginning(path):
    with open(path, "rb") as file:
        return file.read(MOST_BYTES)


def _called(path):
    """A program as a shell finds it."""
    return shlex.quote(str(path) if "/" in str(path) else f"./{path}")


def _elf(begin, path, name, arguments):
    """What an ELF file of the host is, and what works with it. Offsets: the ELF specification's header, little-endian and 64-bit."""
    kind = int.from_bytes(begin[16:18], "little")
    if kind == ELF_OBJECT or pathlib.Path(path).suffix in (".so", ".o"):
        return "not a program yet, expected a program behind --: link it, then warpscope -- ./PROGRAM"
    return f"a program, expected it behind --: warpscope -- {_called(path)}{arguments}"


def _in_folder(folder):
    """Which files of a folder work."""
    if (folder / "result.json").is_file():
        return f"; its result is shown by warpscope report {shlex.quote(str(folder / 'result.json'))}"
    kernels = sorted(path.name for path in folder.iterdir() if path.suffix in (".cl", ".cu", ".wtrace"))
    if not kernels:
        return ""
    more = f" and {len(kernels) - MOST_NAMES} more" if len(kernels) > MOST_NAMES else ""
    return f": it has {', '.join(kernels[:MOST_NAMES])}{more}: warpscope {shlex.quote(str(folder / kernels[0]))}"
