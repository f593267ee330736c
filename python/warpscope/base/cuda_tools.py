"""NVIDIA's compilers, where the user has them."""
import os
import pathlib

from warpscope.base.errors import InputError


def places():
    """Where they are looked for, in this order; then PATH."""
    given = [pathlib.Path(os.environ["CUDA_HOME"]) / "bin"] if os.environ.get("CUDA_HOME") else []
    return [*given, pathlib.Path("/usr/local/cuda/bin")]


def look(name):
    """The path of a tool; None without it. Our own nvcc, next to which is no ptxas, is none."""
    folders = [*places(), *(pathlib.Path(folder) for folder in os.get_exec_path())]
    for folder in folders:
        path = folder / name
        if path.is_file() and os.access(path, os.X_OK) and (name != "nvcc" or (folder / "ptxas").exists()):
            return str(path)
    return None


def has(name):
    return look(name) is not None


def find(name):
    """The path of nvcc or ptxas. Raises InputError that says where it was looked for and what has it."""
    if found := look(name):
        return found
    raise InputError(f"{name}: not in {', '.join(map(str, places()))} or on PATH, expected NVIDIA's toolkit: its compilers need no GPU "
                     "(Debian: nvidia-cuda-toolkit of the component non-free)")
