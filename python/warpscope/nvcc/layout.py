"""Where things are: the tools, and what programs see as NVIDIA's toolkit (cuda/bin, cuda/include, cuda/lib64)."""
import pathlib

from warpscope.base import toolchain

RELEASE = (11, 5, 119)  # what CUDA programs see; clang 15 knows no later one


def release(parts=3):
    return ".".join(map(str, RELEASE[:parts]))


def top():
    """The folder that stands for NVIDIA's toolkit: next to bin/."""
    return pathlib.Path(toolchain.folder()).resolve().parent / "cuda"


def include():
    return top() / "include"


def libraries():
    return top() / "lib64"


def _is_anothers(folder, file, own):
    """Whether `folder` has a `file` that only a toolkit has, and is not ours."""
    path = pathlib.Path(folder)
    return path.joinpath(file).exists() and path.resolve() != own.resolve()


def is_anothers_include(folder):
    """Headers of an installed toolkit do not go with ours: suites' makefiles name them all the same."""
    return _is_anothers(folder, "cuda_runtime_api.h", include())


def is_anothers_libraries(folder):
    return _is_anothers(folder, "libcudart.so", libraries()) or _is_anothers(folder, "libcudart_static.a", libraries())


def compile_kernel():
    """compile-kernel as the first word of a command line."""
    return toolchain.command("compile-kernel")[0]
