"""A toolkit's folder for CMake: the user's own, with our runtime and libraries in place of NVIDIA's.

CMake links by the host's compiler, with libraries by their paths: it has to find ours. It asks nvcc where its toolkit is."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from warpscope.nvcc import layout
from warpscope.run import kept

QUESTION = "__cmake_determine_cuda"  # what CMake gives nvcc -v as an input; no such file exists
LIBRARY = re.compile(r"lib(cudart|cuda|culibos|cublas|cublasLt|cufft|curand|nvidia-ml)(?:_static)?\.(?:so|a)")
VERSION = re.compile(r"lib(cudart|cuda|cublas|cublasLt|cufft|curand)\.so\.\d.*")


def _libraries(view, real, ours):
    """`view`: the folder of libraries, with the toolkit's ones that we do not have. Scripts of the linker name ours by their full paths."""
    view.mkdir()
    replaced = layout.top().parent / "lib" / "warpscope"
    for entry in sorted(real.iterdir()):
        name = entry.name
        if entry.is_dir() and name == "stubs":
            _libraries(view / name, entry, ours)
        elif VERSION.fullmatch(name) and (replaced / "replaced" / name).exists():
            (view / name).symlink_to(replaced / "replaced" / name)
        elif not LIBRARY.fullmatch(name) and not VERSION.fullmatch(name):
            (view / name).symlink_to(entry)
    for script in sorted(ours.iterdir()):
        text = script.read_text(encoding="utf-8").replace("../../lib/warpscope", str(replaced))
        for name in {script.name, script.name.replace(".so", "_static.a")}:
            (view / name).unlink(missing_ok=True)
            (view / name).write_text(text, encoding="utf-8")


def _make(view, toolkit, ours):
    for entry in sorted(toolkit.iterdir()):
        if entry.name not in ("lib", "lib64", "targets", "bin"):
            (view / entry.name).symlink_to(entry)
    _libraries(view / "lib64", (toolkit / "lib64").resolve(), ours)
    (view / "lib").symlink_to("lib64")
    (view / "bin").mkdir()
    for entry in sorted((toolkit / "bin").iterdir()):
        (view / "bin" / entry.name).symlink_to(layout.top() / "bin" / "nvcc" if entry.name == "nvcc" else entry)


def folder_for(nvcc, ours):
    """The folder, made where it is not there yet; None: nothing may be kept for the user, or the toolkit has no lib64."""
    toolkit, caches = pathlib.Path(nvcc).resolve().parents[1], kept.folder()
    if caches is None or not (toolkit / "lib64").is_dir():
        return None
    state = [(str(path), path.stat().st_mtime_ns) for path in (toolkit / "lib64", toolkit / "bin", ours)]
    view = caches / f"toolkit-{kept.digest(state)}"
    if not view.exists():
        caches.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = pathlib.Path(tempfile.mkdtemp(prefix=kept.PART, dir=caches))
        _make(part, toolkit, ours)
        try:
            part.rename(view)
        except OSError:  # another process was first
            shutil.rmtree(part)
    return view


def answer(command, nvcc, ours):
    """What nvcc says to CMake's question, with this folder as the toolkit's. Ends the process with nvcc's status."""
    view = folder_for(nvcc, ours)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    said = done.stderr if view is None else re.sub(r"(?m)^#\$ TOP=.*$", lambda _: f"#$ TOP={view}", done.stderr)
    sys.stdout.write(done.stdout)
    sys.stderr.write(said)
    sys.exit(done.returncode)
