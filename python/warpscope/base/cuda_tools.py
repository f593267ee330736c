"""NVIDIA's compilers, where the user has them."""
import os
import pathlib
import shutil

from warpscope.base.errors import InputError


def places():
    """Where they are looked for, in this order; then PATH."""
    given = [pathlib.Path(os.environ["CUDA_HOME"]) / "bin"] if os.environ.get("CUDA_HOME") else []
    return [*given, pathlib.Path("/usr/local/cuda/bin")]


def find(name):
    """The path of nvcc or ptxas. Raises InputError that says where it was looked for and what has it."""
    for folder in places():
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found:
        return found
    raise InputError(f"{name}: not in {', '.join(map(str, places()))} or on PATH, expected NVIDIA's toolkit: its compilers need no GPU "
                     "(Debian: nvidia-cuda-toolkit of the component non-free)")
