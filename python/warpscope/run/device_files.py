"""Files that NVIDIA's compilers made, which trace-kernel executes: machine code and PTX."""
import json
import pathlib
import re

from warpscope.base import toolchain

SUFFIXES = (".ptx", ".cubin", ".fatbin")
ELF, FAT_BINARY = b"\x7fELF", b"\x50\xed\x55\xba"
ELF_OF_CUDA = 190  # e_machine
NEWEST = 90  # that trace-kernel executes
# Of each architecture the GPU that is best known.
GPUS = {70: "v100", 75: "t4", 80: "a100", 86: "a10", 89: "l4", 90: "h100"}
TARGET = re.compile(r"^\s*\.target\s+sm_(\d+)", re.MULTILINE)


def is_device_file(path):
    """By its suffix or content; an object or a program of the host is none, though it may have such files inside."""
    if str(path).endswith(SUFFIXES):
        return True
    try:
        with open(path, "rb") as file:
            begin = file.read(20)
    except OSError:
        return False
    return begin.startswith(FAT_BINARY) or begin.startswith(ELF) and int.from_bytes(begin[18:20], "little") == ELF_OF_CUDA


def default_gpu(path):
    """Where nobody names a GPU: the usual one if it runs the code, else one that does."""
    if str(path).endswith(".ptx"):
        found = TARGET.search(pathlib.Path(path).read_text(encoding="utf-8", errors="replace"))
        codes = {NEWEST} if found and int(found[1]) <= NEWEST else set()
    else:
        status, text, _ = toolchain.attempt("machine-code", str(path), "--json")
        codes = {one["architecture"] for one in json.loads(text)["functions"]} if status == 0 else set()
    codes &= set(GPUS)
    return GPUS[max(codes)] if codes else toolchain.DEFAULT_GPU
