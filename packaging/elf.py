"""Programs and libraries of an archive: which libraries they need, and where they find them from wherever the archive lies."""
import os
import pathlib
import re
import shutil
import subprocess

from contents import CXX, LINKED_ONLY, SYSTEM
from warpscope.base.errors import InputError

BUNDLED, LOADER = "lib/bundled", "lib/opencl"


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def of(folder):
    """The programs and libraries below a folder that are loaded when something runs."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
                  and not str(path.relative_to(folder)).startswith(LINKED_ONLY + "/lib") and is_elf(path))


def needed(path):
    """{name: where this system has it} of all libraries that a file is linked with, directly or not."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "LD_LIBRARY_PATH": str(path.parent)}
    said = subprocess.run(["ldd", path], capture_output=True, text=True, env=environment).stdout
    if missing := re.search(r"(\S+) => not found", said):
        raise InputError(f"{path}: needs {missing[1]}, which this system does not have, expected the packages of scripts/setup")
    return dict(re.findall(r"(\S+) => (\S+) \(", said))


def copy_libraries(folder):
    """Copies what the files below a folder are linked with to lib/bundled; the files of the system that were copied."""
    copied = []
    for path in of(folder):
        for name, place in needed(path).items():
            target = folder / BUNDLED / name
            if name in SYSTEM or name in CXX or target.exists() or pathlib.Path(place).is_relative_to(folder) or (folder / LOADER / name).exists():
                continue
            shutil.copyfile(os.path.realpath(place), target)
            copied.append(place)
    return copied


def set_paths(folder):
    """Where each file below a folder looks for libraries, relative to itself."""
    for path in of(folder):
        places = [os.path.relpath(place, path.parent) for place in (path.parent, folder / BUNDLED, folder / LOADER)]
        origin = ":".join("$ORIGIN" if place == "." else f"$ORIGIN/{place}" for place in dict.fromkeys(places))
        path.chmod(0o755)
        done = subprocess.run(["patchelf", "--set-rpath", origin, path], capture_output=True, text=True)
        if done.returncode:
            raise InputError(f"patchelf: {path}: {done.stderr.strip()}")


def newest_glibc(folder):
    """The newest version of glibc that any file asks for, as (2, minor)."""
    newest = (0, 0)
    for path in of(folder):
        said = subprocess.run(["objdump", "-p", path], capture_output=True, text=True).stdout
        newest = max([newest, *((int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", said))])
    return newest
