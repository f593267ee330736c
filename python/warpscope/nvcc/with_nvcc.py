"""--with-nvcc: NVIDIA's own nvcc compiles and links, all its options and language, and the program gets our runtime."""
import os
import pathlib
import re
import subprocess

from warpscope.base import cuda_tools, presets
from warpscope.nvcc import architecture, layout, options, toolkit_view
from warpscope.nvcc.errors import Fatal
from warpscope.nvcc.option_table import FLAG
from warpscope.nvcc.runner import warn

SPELLINGS, VARIABLE = {"--with-nvcc", "-with-nvcc"}, "WARPSCOPE_WITH_NVCC"
RELEASES = (11, 12, 13)  # whose runtime there is: cuda/lib64-11, …
# Phases that make no program; PHASES of options.py has those that warpscope-nvcc alone knows, too.
NO_PROGRAM = {name for name, phase in options.PHASES.items() if phase != "link"} | {
    "ptx", "cubin", "fatbin", "optix-ir", "ltoir", "relocatable-link", "reloc-ptx", "clean-targets", "fdevice-syntax-only", "help", "version",
    "list-gpu-arch", "list-gpu-code"}
WITHOUT_LINES = {"preprocess", "generate-dependencies", "generate-nonsystem-dependencies", "device-link", "lib", "help", "version", "list-gpu-arch",
                 "list-gpu-code"}
RELOCATABLE = {"device-c", "relocatable-device-code", "device-link"}
LINES = {"generate-line-info", "device-debug"}  # either makes lines known
OURS = {"cudart", "cudart_static", "cuda", "culibos"}  # what cuda/lib64-NN has without being asked
# NVIDIA's own, which bring a static runtime: a program that links them gets errors from them. By the beginnings of their names.
NEEDS_A_GPU = {"cusolver": "cuSOLVER", "cusparse": "cuSPARSE", "cudnn": "cuDNN", "cutensor": "cuTENSOR", "npp": "NPP", "nvjpeg": "nvJPEG", "nccl": "NCCL",
               "cufile": "cuFile", "nvgraph": "nvGRAPH"}
ANY_LIBRARY_FILE = re.compile(r"lib(\w+)\.(?:so(?:\.\d+)*|a)")
HOST_LIBRARY = re.compile(r"(cublas|cublasLt|cufft|curand)_static")
LIBRARY_FILE = re.compile(r"lib(cudart|cudart_static|cuda|culibos|cublas|cublasLt|cufft|curand|cublas_static|cublasLt_static|cufft_static|curand_static)"
                          r"\.(?:so(?:\.\d+)*|a)")


def is_asked(words):
    """Whether this command line, or the environment, wants NVIDIA's nvcc."""
    return not SPELLINGS.isdisjoint(words) or os.environ.get(VARIABLE, "") not in ("", "0")


def _warn_of(name):
    """A line about a library that -l or a path names, if it needs NVIDIA's driver."""
    for beginning, title in NEEDS_A_GPU.items():
        if name.startswith(beginning):
            warn(f"{title} (-l{name}) is linked as it is, and needs NVIDIA's driver: its functions will return errors, and compute nothing")


def _libraries(value):
    """-l's value, without what our runtime is and with our own host libraries for static ones."""
    for name in options.split_list(value):
        _warn_of(name)
    names = [HOST_LIBRARY.sub(r"\1", name) for name in options.split_list(value) if name not in OURS]
    return [f"-l{name}" for name in names]


def _native(value, presets_folder):
    """-arch=native is the GPU that the program will see: there is none to ask."""
    return f"sm_{architecture.native(presets_folder, architecture.SIMULATED)}" if value == "native" else value


def _without_our_folder(row, value):
    """-I's or -L's value without what programs of warpscope-nvcc alone see as a toolkit."""
    ours = {layout.include().resolve(), layout.libraries().resolve()}
    return [word for folder in options.split_list(value) if pathlib.Path(folder).resolve() not in ours for word in (f"-{row.short}", folder)]


def _option(row, words, value, presets_folder):
    """The `words` of one option as nvcc gets them: the option with its `value`, in one word or two."""
    if row.long == "cudart":
        return []
    if row.long == "library":
        return _libraries(value)
    if row.long in ("include-path", "system-include", "library-path"):
        return _without_our_folder(row, value)
    if row.long == "gpu-architecture":
        return [f"-arch={_native(value, presets_folder)}"]
    return words


def _input(word):
    """A file; a library of the toolkit's that is given by its path is what -l names."""
    file = pathlib.PurePath(word).name
    found = LIBRARY_FILE.fullmatch(file)
    if not found and (other := ANY_LIBRARY_FILE.fullmatch(file)):
        _warn_of(other[1])
    return _libraries(found[1]) if found else [word]


def translated(words, presets_folder):
    """(nvcc's words, long names of the options among them)."""
    result, names, left = [], set(), [word for word in options.with_files(words) if word not in SPELLINGS]
    while left:
        word = left.pop(0)
        row, value = (options.find(word) or (None, None)) if word.startswith("-") else (None, None)
        if row is None:
            result += _input(word) if not word.startswith("-") else [word]
            continue
        names.add(row.long)
        given = [word]
        if row.kind != FLAG and value is None and left:
            value = left.pop(0)
            given.append(value)
        result += given if value is None else _option(row, given, value, presets_folder)
    return result, names


def release_of(nvcc):
    """The major release of an nvcc, 13. Raises Fatal if it does not say."""
    try:
        said = subprocess.run([nvcc, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise Fatal(f"'{nvcc}' could not be started: {error.strerror}") from error
    found = re.search(r"release (\d+)\.", said)
    if not found:
        raise Fatal(f"'{nvcc} --version' names no release, expected NVIDIA's nvcc")
    return int(found[1])


def libraries_for(nvcc):
    """The folder of our runtime of nvcc's release."""
    release = release_of(nvcc)
    taken = max((known for known in RELEASES if known <= release), default=RELEASES[0])
    if taken != release:
        warn(f"this nvcc is of release {release}, which Warpscope does not know: the program gets the runtime of release {taken}")
    return pathlib.Path(f"{layout.libraries()}-{taken}")


def link_words(nvcc):
    """What makes nvcc link our runtime. Not `-cudart none`, with which nvcc links no device code."""
    return ["-cudart", "shared", f"-L{libraries_for(nvcc)}"]


def _architecture_words(nvcc, names, given, presets_folder):
    """Without -arch: the GPU of $WARPSCOPE_GPU if this nvcc knows it, else nvcc's own default. Of relocatable code that is machine code without PTX,
    so there the GPU that the program will see counts; a link of objects may be of such code."""
    is_relocatable = names & RELOCATABLE or any(pathlib.PurePath(word).suffix in (".o", ".a", ".obj") for word in given)
    number = architecture.native(presets_folder, architecture.SIMULATED if is_relocatable else None)
    if number is None or names & {"gpu-architecture", "generate-code"}:
        return []
    said = subprocess.run([nvcc, "--list-gpu-code"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    return [f"-arch=sm_{number}"] if f"sm_{number}" in said.split() else []


def _header_words(nvcc):
    """NVML's header, made of functions of the runtime, where the toolkit has none."""
    toolkit = pathlib.Path(nvcc).resolve().parents[1] / "include"
    return [] if (toolkit / "nvml.h").exists() else ["-isystem", str(layout.include() / "nvml")]


def command_line(words, presets_folder=None):
    """The command line of NVIDIA's nvcc for ours. Raises Fatal, InputError without one."""
    nvcc = cuda_tools.find("nvcc")
    folder = presets_folder or presets.folder()
    given, names = translated(options.from_environment(words), folder)
    extra = [] if names & (WITHOUT_LINES - RELOCATABLE) else _architecture_words(nvcc, names, given, folder)
    if not names & (WITHOUT_LINES | LINES):
        extra.append("-lineinfo")
    if not names & NO_PROGRAM:
        extra += link_words(nvcc)
    return [nvcc, *extra, *given, *_header_words(nvcc)]


def main(words):
    """Becomes nvcc: messages and exit status are its own."""
    command = command_line(words)
    if toolkit_view.QUESTION in words:
        toolkit_view.answer(command, command[0], libraries_for(command[0]))
    left_out = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")  # which are part of the command line now
    os.execve(command[0], command, {name: value for name, value in os.environ.items() if name not in left_out})
