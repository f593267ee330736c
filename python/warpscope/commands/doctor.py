"""warpscope doctor: which tools this machine has, what works with them, and what to install for the rest."""
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from importlib import metadata

from warpscope.base import cuda_tools, files, toolchain
from warpscope.base.command import version
from warpscope.base.errors import InputError
from warpscope.base.options import Option, Options, not_an_option, shown_help
from warpscope.base.table import aligned

OPTIONS = Options(Option("--json", "FILE", "the same as JSON (- = standard output, instead of the table)"))
HELP = f"""Says which tools this machine has, what works with them, and what to install for the rest.

warpscope doctor [--json FILE]

{OPTIONS.text()}

Examples:
  warpscope doctor
  warpscope doctor --json -
  warpscope doctor --json doctor.json

Exit status: 0, whatever is missing; 2 bad input."""

LLVM, POCL, CUDA, PIP = ("apt-get install clang-15 llvm-15", "apt-get install pocl-opencl-icd ocl-icd-libopencl1",
                         "scripts/setup --with-cuda, or a toolkit from NVIDIA", "apt-get install python3-")
ICD_FOLDER = pathlib.Path("/etc/OpenCL/vendors")
SECONDS = 20  # for a tool to say its version
ASK_OPENCL = """
import ctypes
opencl, count, platforms, text = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_uint(), (ctypes.c_void_p * 16)(), ctypes.create_string_buffer(256)
opencl.clGetPlatformIDs(16, platforms, ctypes.byref(count))
for platform in platforms[:min(count.value, 16)]:
    opencl.clGetPlatformInfo(ctypes.c_void_p(platform), 0x0901, 256, text, None)  # CL_PLATFORM_VERSION
    print(text.value.decode(errors="replace"))
"""


@dataclasses.dataclass
class Tool:
    """`gives`: what works with it; `install`: how to get it. `path` and `version` are empty where it was not found."""

    name: str
    gives: str
    install: str
    path: str = ""
    version: str = ""

    def state(self):
        return f"{self.version or 'found'}" if self.path else "missing"


def _version_of(path):
    """What a program says of its version; "" where it says nothing that looks like one."""
    try:
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = done.stdout + done.stderr
    found = re.search(r"release (\d+(?:\.\d+)+)", text) or re.search(r"\b(\d+(?:\.\d+)+)", text)
    return found[1] if found else ""


def _program(name, gives, install, path=None):
    path = path or shutil.which(name)
    return Tool(name, gives, install, path or "", _version_of(path) if path else "")


def _ours():
    """Our own tools: those that record are not part of every build."""
    try:
        folder, own = toolchain.folder(), version()
    except InputError:
        folder, own = None, ""
    found = []
    for name, gives in (("cachesim", "simulation of captures"), ("trace-kernel", "capturing kernels and programs"),
                        ("machine-code", "machine code: disassemble, diff --machine")):
        path = str(folder / name) if folder and (folder / name).exists() else ""
        found.append(Tool(name, gives, "cmake --preset release && cmake --build --preset release", path, own.split()[0] if path and own else ""))
    return found


def _pocl():
    """PoCL's entry for OpenCL's loader, or the library that the loader was told of, and the version that PoCL says: that of its library is
    another number."""
    told = pathlib.Path(os.environ.get("OCL_ICD_VENDORS", ""))
    folder = told if told.is_dir() and told != pathlib.Path() else ICD_FOLDER
    entries = [told] if told.is_file() else sorted(folder.glob("*pocl*.icd")) if folder.is_dir() else []
    try:  # in a process of its own: a library of OpenCL that is broken may end it
        said = subprocess.run([sys.executable, "-c", ASK_OPENCL], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS).stdout if entries else ""
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    found = re.search(r"PoCL (\d+(?:\.\d+)+)", said)
    return Tool("PoCL", "kernels run on the CPU while they are captured", POCL, str(entries[0]) if entries else "", found[1] if found else "")


def _module(name, gives):
    spec = importlib.util.find_spec(name)
    try:
        known = metadata.version(name) if spec else ""
    except metadata.PackageNotFoundError:
        known = ""
    return Tool(f"Python: {name}", gives, f"{PIP}{name}", str(spec.origin) if spec else "", known)


def tools():
    """All of them, what is needed most first."""
    cuda = [_program(name, gives, CUDA, cuda_tools.look(name) or "") for name, gives in (
        ("nvcc", "machine code of .cu files; --registers for them"), ("ptxas", "machine code of .ptx files; --registers for .cl files"))]
    profilers = [_program("ncu", "not needed: counters of a GPU, for warpscope compare-ncu", "NVIDIA's Nsight Compute", cuda_tools.look("ncu") or ""),
                 _program("nvdisasm", "not needed: warpscope disassemble does the same", CUDA, cuda_tools.look("nvdisasm") or "")]
    return [*_ours(), _program("clang-15", "compiling .cl and .cu for a capture", LLVM), _program("opt-15", "the same", LLVM), _pocl(),
            _program("g++", "host code of CUDA programs (warpscope-nvcc)", "apt-get install g++"),
            *(_module(name, gives) for name, gives in (("numpy", "plots, pictures of access patterns"), ("matplotlib", "plots"),
                                                       ("pandas", "data frames of the Python package"))), *cuda, *profilers]


def lines(found):
    """The table, and what to install."""
    rows = [["tool", "version", "what works with it"], *([one.name, one.state(), one.gives] for one in found)]
    missing = dict.fromkeys(one.install for one in found if not one.path and not one.gives.startswith("not needed"))
    more = ["", "To get what is missing:", *(f"  {how}" for how in missing)] if missing else ["", "Nothing that Warpscope can use is missing."]
    return [*aligned(rows, left=(0, 1, 2)), *more]


def main(words):
    if shown_help(words, HELP, OPTIONS):
        return 0
    values, others = OPTIONS.read(words, not_an_option("warpscope doctor"))
    if others:
        raise InputError(f"{others[0]}: expected no input; warpscope doctor --help")
    found = tools()
    if values["--json"]:
        table = {"schema": 1, "tools": [{**dataclasses.asdict(one), "found": bool(one.path)} for one in found]}
        files.write_or_print(values["--json"], json.dumps(table, indent=1) + "\n")
    if values["--json"] != "-":
        print("\n".join(lines(found)))
    return 0
