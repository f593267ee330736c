"""The programs that hw-profile builds and runs: launches of one kernel with one set of defines each."""
import hashlib
import json
import pathlib
import re
import tempfile

from collect import cuda_tools, host_program
from warpscope.base.errors import InputError
from warpscope.base.source import SOURCE

HARDWARE = SOURCE / "validation" / "hardware"
STATE_FORMAT = 1
MOST_LAUNCHES = 48


class Program:
    """The launches of one kernel with one set of defines: built, run and stored together."""

    def __init__(self, launches, work, part=0):
        self.launches = launches
        first = launches[0]
        self.text = None
        digest = hashlib.sha256(repr(first.program_key[1:]).encode()).hexdigest()[:6]
        self.name = re.sub(r"[^A-Za-z0-9_]", "_", f"{first.folder}_{first.source.stem}") + f"_{digest}" + \
            (f"_{part}" if part else "")
        self.title = first.folder
        self.defines = [f"-D{name}={value}" for name, value in sorted(first.defines.items())] + first.build_options
        self.host = work / "build" / f"{self.name}.cu"
        self.plain = work / "build" / self.name
        self.placement = work / "build" / f"{self.name}-placement"
        self.state = work / "state" / f"{self.name}.json"

    def generate(self):
        """Writes the host program's text; raises InputError when the kernel does not fit its launch file."""
        first = self.launches[0]
        kernels = host_program.kernels_in(preprocessed(first.source, self.defines))
        kernel = host_program.choose(kernels, first.kernel, first.source)
        self.text = host_program.generate(self.launches, kernel, first.source.resolve(), HARDWARE)
        self.host.parent.mkdir(parents=True, exist_ok=True)
        if not self.host.exists() or self.host.read_text(encoding="utf-8") != self.text:
            self.host.write_text(self.text, encoding="utf-8")

    def key(self, *settings):
        """Changes with everything that a stored result depends on."""
        harness = [(HARDWARE / name).read_bytes() for name in ("harness.cuh", "launcher.cuh")]
        parts = [STATE_FORMAT, self.text, [launch.input for launch in self.launches], *settings]
        return hashlib.sha256(json.dumps(parts).encode() + b"".join(harness)).hexdigest()


def preprocessed(source, defines):
    """The kernel's file with its own macros and conditions resolved; CUDA's headers are left out."""
    text = re.sub(r"(?m)^\s*#\s*include\s*<.*$", "", source.read_text(encoding="utf-8"))
    compiler = next((path for path in map(cuda_tools.shutil.which, ("g++", "c++", "clang++")) if path), None)
    if compiler is None:
        return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "kernel.cpp"
        copy.write_text(text, encoding="utf-8")
        words = [compiler, "-E", "-P", "-x", "c++", "-D__CUDACC__", *defines, "-I", source.parent, copy]
        done = cuda_tools.run(words, 60)
    if done.returncode != 0:
        raise InputError(f"{source}: {cuda_tools.last_words(done)}")
    return done.stdout


def programs_of(launches, work):
    grouped = {}
    for launch in launches:
        grouped.setdefault(launch.program_key, []).append(launch)
    # Hundreds of launches in one program take the compiler minutes.
    return [Program(together[at:at + MOST_LAUNCHES], work, at // MOST_LAUNCHES)
            for together in grouped.values() for at in range(0, len(together), MOST_LAUNCHES)]


def slice_of(programs, text):
    """The programs of slice "i/n": every n-th, so that slices take about equally long."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise InputError(f"--slice {text}: expected i/n such as 1/3")
    return programs[int(match[1]) - 1::int(match[2])]


def compiler_options(arch, extra):
    return ["-O3", "-std=c++17", f"-arch={arch}", "-lineinfo", *extra]


def build(nvcc, program, options, with_placement):
    """Compiles what is not there from an earlier call. Raises RunFailed."""
    done = program.plain.with_suffix(".built")
    key = program.key(options, with_placement)
    if done.exists() and done.read_text(encoding="utf-8") == key:
        return
    for target, more in ((program.plain, []), (program.placement, ["-DWARPSCOPE_PLACEMENT"]))[:2 if with_placement else 1]:
        cuda_tools.compile_program(nvcc, program.host, target, [*options, *program.defines, *more])
    done.write_text(key, encoding="utf-8")


def nvcc_version(nvcc):
    found = re.search(r"V([\d.]+)", cuda_tools.run([nvcc, "--version"], 60).stdout)
    return found[1] if found else "unknown"
