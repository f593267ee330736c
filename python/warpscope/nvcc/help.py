"""What -h, --version and --options-json print."""
import json

from warpscope.nvcc import architecture, layout
from warpscope.nvcc.option_table import FLAG, IGNORED, LIST, ONE, REFUSED, TAKEN

HEAD = """Usage: warpscope-nvcc [options] FILE...
Compiles CUDA programs so that they run on the CPU and can be traced. The command line is nvcc's.

FILE: CUDA (.cu), C, C++, objects and libraries. -D, -I, -L, -U and -l take their value at once or as the next word.
"""
EXAMPLES = """
Examples:
  warpscope-nvcc -O2 app.cu -o app              # then ./app, or: warpscope -- ./app
  warpscope-nvcc -dc a.cu b.cu && warpscope-nvcc a.o b.o -o app
  make NVCC=warpscope-nvcc
  make NVCC="warpscope-nvcc --with-nvcc"        # NVIDIA's compiler, our runtime
  cmake -B build -DCMAKE_CUDA_COMPILER=PREFIX/cuda/bin/nvcc
"""
COLUMN = 50
GROUPS = (("Options", TAKEN), ("Taken and without effect", IGNORED), ("Refused", REFUSED))
KINDS = {FLAG: "switch", ONE: "value", LIST: "list"}


def _line(row):
    value = f" {row.value}" if row.value else ""
    spellings = f"-{row.short}{value}" if row.short == row.long and len(row.long) == 1 else f"--{row.long}{value}"
    if row.short != row.long:
        spellings += f", -{row.short}{value}"
    text = f"  {spellings}"
    return f"{text:<{COLUMN}}{row.text}" if len(text) < COLUMN - 1 else f"{text}\n{'':<{COLUMN}}{row.text}"


def text():
    parts = [HEAD]
    for title, rows in GROUPS:
        parts += [f"{title}:", *map(_line, rows), ""]
    return "\n".join(parts[:-1]) + "\n" + EXAMPLES


def _listed(row, group):
    long = f"-{row.long}" if row.long == row.short else f"--{row.long}"
    return {"name": long, "alias": None if row.long == row.short else f"-{row.short}", "kind": KINDS[row.kind], "value": row.value or None,
            "default": None, "meaning": row.text, "group": group, "shown": "help"}


def as_json():
    """The options in the form that all tools give with --options-json."""
    return json.dumps({"options": [_listed(row, group) for group, rows in GROUPS for row in rows]}, indent=1, ensure_ascii=False) + "\n"


def version():
    """As nvcc's, which CMake reads."""
    major_minor, full = layout.release(2), layout.release()
    return (f"nvcc: NVIDIA (R) Cuda compiler driver\nwarpscope-nvcc in its place: programs run on the CPU\n"
            f"Cuda compilation tools, release {major_minor}, V{full}\n")


def architectures(prefix):
    return "".join(f"{prefix}_{number}\n" for number in architecture.KNOWN)
