"""Runs the programs that the driver consists of; with -v and --dryrun prints them as nvcc does."""
import os
import re
import subprocess
import sys

from warpscope.base import children
from warpscope.nvcc import layout
from warpscope.nvcc.errors import Failed, Fatal

PLAIN = re.compile(r"[\w@%+=:,./-]+")
HEAD = re.compile(r"\S+?:\d+(?::\d+)?: (?:fatal error|error|warning|remark): ")
INCLUDED = "In file included from "
MISSING = re.compile(r"fatal error: '?([\w./+-]+)'?(?: file not found|: No such file or directory)")
# Whose headers these are, by the beginning of their names: packages of Debian, and libraries of NVIDIA's that there are not.
PACKAGES = (("thrust/", "libthrust-dev"), ("cub/", "libcub-dev"), ("cuda/", "libcu++-dev"), ("nv/", "libcu++-dev"), ("GL/glut", "freeglut3-dev"),
            ("GL/freeglut", "freeglut3-dev"), ("GL/glew", "libglew-dev"), ("GLFW/", "libglfw3-dev"), ("opencv2/", "libopencv-dev"),
            ("FreeImage.h", "libfreeimage-dev"), ("mpi.h", "libopenmpi-dev"))
ABSENT = (("cudnn", "cuDNN"), ("cusparse", "cuSPARSE"), ("cusolver", "cuSOLVER"), ("cutensor", "cuTENSOR"), ("nvrtc.h", "NVRTC"), ("cupti", "CUPTI"),
          ("nccl", "NCCL"), ("npp", "NPP"), ("nvjpeg", "nvJPEG"), ("nvgraph", "nvGRAPH"), ("nvshmem", "NVSHMEM"), ("cufile", "cuFile"),
          ("cublasXt", "cuBLASXt"), ("cufftXt", "cuFFT's Xt interface"), ("nvvm.h", "libNVVM"), ("nvJitLink", "nvJitLink"), ("optix", "OptiX"),
          ("cuda_gl_interop.h", "interoperation with OpenGL"), ("cudaGL.h", "interoperation with OpenGL"),
          ("cuda_egl_interop.h", "interoperation with EGL"), ("cudaEGL.h", "interoperation with EGL"))
NOISE = re.compile(r"\d+ (?:warning|error)s?\b.* generated|compile-kernel: .*: does not compile$")

def quoted(word):
    """A word of a command line as nvcc prints it."""
    if PLAIN.fullmatch(word):
        return word
    return '"' + re.sub(r'(["\\$`])', r"\\\1", word) + '"'


def blocks(messages):
    """A compiler's messages, one per element: how the place is included, the message, its source lines, its notes."""
    found, complete = [], True
    for line in messages.splitlines():
        if NOISE.match(line):
            continue
        if complete and (line.startswith(INCLUDED) or HEAD.match(line)) or not found:
            found.append(line)
        else:
            found[-1] += "\n" + line
        complete = complete and not line.startswith(INCLUDED) or bool(HEAD.match(line))
    return found


def with_owner(block):
    """A message about a missing header says which package has it, or that Warpscope has no such library."""
    found = MISSING.search(block)
    if not found:
        return block
    notes = [f"is in Debian's package {package}: apt-get install {package}" for begin, package in PACKAGES if found[1].startswith(begin)]
    notes += [f"belongs to {library}, which Warpscope does not support" for begin, library in ABSENT if found[1].startswith(begin)]
    return f"{block}\nnote: '{found[1]}' {notes[0]}" if notes else block


class Runner:
    """`verbose`: print the commands; `dry`: run none. What has been printed once is not printed again (`say`)."""

    def __init__(self, verbose=False, dry=False):
        self.verbose, self.dry, self.said = verbose or dry, dry, set()

    def note(self, text):
        """A line of -v and --dryrun."""
        if self.verbose:
            print(f"#$ {text}", file=sys.stderr, flush=True)

    def environment(self):
        """The variables that nvcc prints; CMake finds toolkit, headers and libraries by them."""
        top, here = layout.top(), layout.top() / "bin"
        lines = ["_SPACE_= ", "_CUDART_=cudart", f"_HERE_={here}", f"_THERE_={here}", "_TARGET_DIR_=", "_TARGET_SIZE_=64", f"TOP={top}",
                 f"NVVMIR_LIBRARY_DIR={top}/nvvm/libdevice", f"LD_LIBRARY_PATH={os.environ.get('LD_LIBRARY_PATH', '')}",
                 f"PATH={os.environ.get('PATH', '')}", f"INCLUDES={quoted(f'-I{layout.include()}')}", f"LIBRARIES={quoted(f'-L{layout.libraries()}')}",
                 "CUDAFE_FLAGS=", "PTXAS_FLAGS="]
        for line in lines:
            self.note(line)

    def run(self, words):
        """Runs a program whose messages go where ours go. Raises Failed with its status, Fatal if it cannot be started."""
        self._start(words, (0,))

    def messages(self, words, good=(0,), failed=None):
        """Runs a program and gives its messages. Raises Failed if its status is not in `good`; `failed`: with that status instead."""
        return self._start(words, good, failed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def _start(self, words, good, failed=None, **options):
        self.note(" ".join(map(quoted, words)))
        if self.dry:
            return ""
        try:
            done = children.run(words, stdin=subprocess.DEVNULL, **options)
        except OSError as error:
            raise Fatal(f"'{words[0]}' could not be started: {error.strerror}") from error
        text = (done.stdout or b"").decode("utf-8", "replace")
        if done.returncode not in good:
            raise Failed(failed or (done.returncode if done.returncode > 0 else 1), text)
        return text

    def say(self, messages):
        """Prints a compiler's messages, each once: the host part and the device part have the same."""
        for block in blocks(messages):
            if block not in self.said:
                self.said.add(block)
                print(with_owner(block), file=sys.stderr)
        sys.stderr.flush()


def warn(text):
    print(f"nvcc warning : {text}", file=sys.stderr, flush=True)
