"""Where things are: the tools, and what programs see as NVIDIA's toolkit (cuda/bin, cuda/include, cuda/lib64)."""
import pathlib

from warpscope import toolchain

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


def presets():
    return pathlib.Path(toolchain.folder()).resolve().parent / "share" / "warpscope" / "gpus"


def compile_kernel():
    """compile-kernel as the first word of a command line."""
    return toolchain.command("compile-kernel")[0]
