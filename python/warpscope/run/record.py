"""Records kernels and programs with trace-kernel."""
import json
import os
import pathlib
import re
import subprocess
import sys

from warpscope.base import children, presets, toolchain
from warpscope.base.default_gpu import NO_GPU
from warpscope.base.errors import InputError, ToolFailed
from warpscope.run import device_files, simulation

DEVICE_LIKE = "--device-like"  # of trace-kernel
COMMAND = "WARPSCOPE_COMMAND"  # trace-kernel's kCommandVariable
CUDA, MACRO = (".cu", ".cuh"), "__CUDA_ARCH__"
LEAST_VERSION, MOST_VERSION = 7.0, 9.0  # compute capabilities whose machine code is executed
OF_CLANG = ("--verify", "--resume", "--skip-others", "--addresses-only", "--run-only", "--registers", "--record-order", "--address-space", "--count-only", "--offset")  # what trace-kernel refuses with --machine
CUBIN = "nvcc.cubin"  # of --registers for a .cu, among its temporary files


def option_names():
    """Of trace-kernel."""
    _, text, _ = toolchain.attempt("trace-kernel", "--options-json")
    return {name for one in json.loads(text or "{}").get("options", ()) for name in (one["name"], one["alias"])}


def capture(kernel, options, path, typed=""):
    """Runs trace-kernel; returns its exit status where there is a capture (0 or 3). `typed`: the user's command, for an example where
    arguments are missing."""
    done = children.run(toolchain.command("trace-kernel", kernel, *options, "-o", path), stdin=subprocess.DEVNULL,
                        stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(path.parent), COMMAND: typed})
    print(done.stderr.replace(f"{path.parent}{os.sep}", ""), end="", file=sys.stderr, flush=True)
    if done.returncode not in (0, simulation.EXIT_NOT_TRACEABLE) or not path.exists():
        raise ToolFailed(done.returncode if done.returncode > 0 else 1)
    return done.returncode


def capture_program(program, options, path, gpu=None, environment=None):
    """Runs a program under trace-kernel, with this terminal as its own and in `environment` (default: ours); returns its exit status. The
    program sees `gpu`, the first of several, or the default."""
    like = _device_like(options)
    named = gpu or (like if like not in NO_GPU else None)
    first = _absolute((named or toolchain.DEFAULT_GPU).split(",")[0])
    seen = {toolchain.GPU_VARIABLE: first} if named else {}  # the default is the same
    options = options if like else [*options, DEVICE_LIKE, first]
    done = children.run(toolchain.command("trace-kernel", *options, "-o", path, "--", *program), env={**(environment or os.environ), **seen})
    if not path.exists():
        raise ToolFailed(done.returncode if done.returncode > 0 else 2)  # trace-kernel has said why
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _device_like(words):
    """What the option says; None without it."""
    for word, after in zip(words, [*words[1:], ""]):
        option, has_value, value = word.partition("=")
        if option == DEVICE_LIKE:
            return value if has_value else after
    return None


def _absolute(gpu):
    return os.path.abspath(gpu) if gpu.endswith(".json") else gpu


def architecture_note(source, gpus):
    """That a kernel file which asks for the architecture was compiled for another one than that of the GPUs (names); "" otherwise."""
    if not str(source).endswith(CUDA) or MACRO not in pathlib.Path(source).read_text(encoding="utf-8", errors="replace"):
        return ""
    versions = {gpu: presets.value_of(gpu, "compute_capability") for gpu in gpus}
    others = [f"{gpu} has {version}" for gpu, version in versions.items() if version and version.replace(".", "") != str(toolchain.ARCHITECTURE)]
    return f"{source}: {MACRO} is {toolchain.ARCHITECTURE}0; compute capability: {', '.join(others)}" if others else ""


def with_gpu_of_registers(rest, gpu):
    """The words for trace-kernel; --registers auto is of the GPU that is simulated."""
    return [word.replace("auto", f"auto:{gpu}") if word == "--registers=auto" or word == "auto" and before == "--registers" else word
            for before, word in zip(["", *rest], rest)]


def check_one_program(rest, is_code, gpus):
    """Raises InputError for GPUs that do not all run the machine code of the first one."""
    if not is_code and not any(word.partition("=")[0] == "--machine" for word in rest):
        return
    versions = {gpu: presets.value_of(gpu, "compute_capability") for gpu in gpus}
    major, _, minor = (versions[gpus[0]] or "").partition(".")
    for gpu, version in versions.items():
        if not version or version.split(".")[0] != major or int(version.split(".")[1]) < int(minor):
            raise InputError(f"--gpu {','.join(gpus)}: machine code for {gpus[0]} ({versions[gpus[0]]}) does not run on {gpu} ({version or 'not known'}), "
                             "expected GPUs of one compute capability, or one at a time")


def can_be_machine(rest, gpus):
    """Whether trace-kernel could execute machine code instead, with these words: for GPUs whose code is known, and without what is of clang's code."""
    given = {word.partition("=")[0] for word in rest if word.startswith("-")}
    versions = {presets.value_of(gpu, "compute_capability") for gpu in gpus}
    known = len(versions) == 1 and all(version and LEAST_VERSION <= float(version) <= MOST_VERSION for version in versions)
    return known and not given & {"--machine", *OF_CLANG}


def with_gpu_of_machine(rest, gpu, is_code=False):
    """The words for trace-kernel; --machine without an architecture is of the GPU that is simulated. `is_code`: machine code needs no such word."""
    if is_code and not any(word.partition("=")[0] == "--machine" for word in rest):
        return [*rest, f"--machine={gpu}"]
    return [f"{word}={gpu}" if word == "--machine" and not after.startswith("sm_") else word for word, after in zip(rest, [*rest[1:], ""])]


def machine_words(kernel, words, gpu):
    """The words for trace-kernel where a GPU is simulated: machine code is then for that one, unless they say for which."""
    return with_gpu_of_machine(list(words), gpu, device_files.is_device_file(kernel))


def with_compiled_code(source, rest, folder):
    """The words for trace-kernel, so that it leaves the cubin of --registers auto in `folder` (CUBIN)."""
    if not str(source).endswith(".cu") or not any(word.startswith(("auto:", "--registers=auto:")) for word in rest) or \
            any(word.partition("=")[0] == "--keep-temporaries" for word in rest):
        return rest
    folder.mkdir()
    return [*rest, "--keep-temporaries", str(folder)]


def gpu_of_work_groups(rest, gpu):
    """--gpu for trace-kernel, if --work-groups names cores or waves of a GPU (every-core:4, random-cores:10, waves:3)."""
    named = re.search(r"(^| )--work-groups[ =](every-core|random-cores|waves):[^/ ]*( |$)", " ".join(rest))
    return ["--gpu", gpu] if named else []
