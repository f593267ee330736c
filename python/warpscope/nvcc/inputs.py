"""Which input is what, and how its object is called."""
import pathlib
import re

from warpscope.nvcc.errors import Fatal

SUFFIXES = {".cu": "cu", ".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".C": "c++", ".c++": "c++",
            ".o": "object", ".obj": "object", ".a": "library", ".lib": "library", ".so": "shared"}
REFUSED = {".ptx", ".cubin", ".fatbin", ".gpu", ".ltoir"}


def kind_of(name, language=None):
    """cu, c, c++, object, library, shared. `language`: of -x, for sources."""
    path = pathlib.PurePath(name)
    suffix = ".so" if re.search(r"\.so(?:\.\d+)+$", path.name) else path.suffix
    kind = SUFFIXES.get(suffix)
    if kind in ("object", "library", "shared"):
        return kind
    if language:
        return language
    if suffix in REFUSED:
        raise Fatal(f"'{name}': Warpscope runs no {suffix[1:]} files, expected CUDA source (.cu), C, C++, objects or libraries")
    if not kind:
        raise Fatal(f"Don't know what to do with '{name}'")
    return kind


def is_source(kind):
    return kind in ("cu", "c", "c++")


def intermediate_name(name, folder=None):
    """sub/a.cu → a.cu.cpp.ii, in the folder of -odir."""
    return str(pathlib.PurePath(folder or "", pathlib.PurePath(name).name + ".cpp.ii"))


def object_name(name, folder=None):
    """sub/a.cu → a.o, in the folder of -odir."""
    return str(pathlib.PurePath(folder or "", pathlib.PurePath(name).stem + ".o"))
