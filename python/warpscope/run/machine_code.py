"""Machine code of kernels: files that are compiled already, and sources that the user's nvcc or ptxas compiles."""
from __future__ import annotations

import dataclasses
import pathlib
import subprocess
import tempfile
from typing import Any, Optional

from warpscope.base import children, cuda_tools, toolchain
from warpscope.base.errors import InputError
from warpscope.base.inputs import parse_json

DEFAULT_ARCHITECTURE = "sm_90"
COMPILED = (".cu", ".ptx")  # suffixes of what is compiled first
CODE = (".cubin", ".fatbin", ".o", ".a", ".so", *COMPILED)  # of what a folder is searched for
EXPECTED = "a file with kernels: .cubin, .cu, .ptx, an object, an archive or a program"


@dataclasses.dataclass(frozen=True)
class Compilation:
    """How a .cu or .ptx is compiled. `architecture` selects in other files, too; `compiler`: a path, else what is found."""

    architecture: Optional[str] = None
    options: str = ""
    compiler: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Launch:
    """For how many work-groups a core holds: of `gpu`."""

    gpu: Optional[str] = None
    work_items: Optional[str] = None
    dynamic_shared: Optional[str] = None

    def words(self) -> list[str]:
        given = (("--gpu", self.gpu), ("--local", self.work_items), ("--dynamic-shared", self.dynamic_shared))
        return [word for name, value in given if value is not None for word in (name, value)]


def compile_source(source: pathlib.Path, how: Compilation, folder: str) -> pathlib.Path:
    """The cubin of a .cu or .ptx, in `folder`. Raises InputError with the compiler's first line where it fails."""
    if not source.exists():
        raise InputError(f"{source}: cannot read: No such file or directory")
    is_ptx = source.suffix == ".ptx"
    tool = how.compiler or cuda_tools.find("ptxas" if is_ptx else "nvcc")
    output = pathlib.Path(folder) / (source.stem + ".cubin")
    words = [tool, "-arch=" + (how.architecture or DEFAULT_ARCHITECTURE), "-lineinfo", *how.options.split(), *([] if is_ptx else ["-cubin"]),
             "-o", output, source]
    try:
        done = children.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise InputError(f"{tool}: {error.strerror}, expected the path of an nvcc or ptxas") from error
    if done.returncode != 0:
        said = done.stdout.decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"{source}: {pathlib.Path(tool).name} does not compile it: {said[0] if said else 'no message'}")
    return output


def _functions_of_file(source: pathlib.Path, how: Compilation, launch: Launch, kernel: Optional[str]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="warpscope-") as folder:
        file = compile_source(source, how, folder) if source.suffix in COMPILED else source
        words = [*(("--arch", how.architecture) if how.architecture else ()), *(("--kernel", kernel) if kernel else ()), *launch.words()]
        text = toolchain.output("machine-code", file, "--json", *words)
    return parse_json(source, text, EXPECTED)["functions"]


def functions(path: str, how: Compilation, launch: Launch = Launch(), kernel: Optional[str] = None) -> list[dict[str, Any]]:
    """Functions of a file, or of the files in a folder, as machine-code gives them, with "file". Without `kernel` they have counts, with it
    instructions."""
    place = pathlib.Path(path)
    files = [place]
    if place.is_dir():
        files = sorted(one for one in place.iterdir() if one.suffix in CODE)
        if not files:
            raise InputError(f"{path}: no {', '.join(CODE)} in this folder, expected {EXPECTED}")
    return [{**one, "file": file.name} for file in files for one in _functions_of_file(file, how, launch, kernel)]
