"""Presets of GPUs: files of gpus/ as C++ reads them (gpus/preset_file.cpp), for what Python itself asks of a GPU."""
import pathlib
import re
import typing

from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.base.inputs import read_json
from warpscope.base.source import SOURCE

EXPECTED = "a preset of a GPU (gpus/README.md)"
LIKE, MOST_LIKES = "like", 4
MAKERS_WORDS = ("nvidia", "geforce", "tesla", "quadro", "jetson", "agx", "amd", "radeon", "instinct")


def folder() -> pathlib.Path:
    """Next to the tools, else in the source tree: a report is also made where there are no tools."""
    try:
        shared = toolchain.folder().resolve().parent / "share" / "warpscope" / "gpus"
    except InputError:
        return SOURCE / "gpus"
    return shared if shared.is_dir() else SOURCE / "gpus"


def read(path: str | pathlib.Path, depth: int = 0) -> dict:
    """A preset file's keys and their entries, and those of the preset that its key `like` names, which is next to it or installed.
    Raises InputError for a file that cannot be read."""
    path = pathlib.Path(path)
    preset = read_json(path, EXPECTED)
    name = preset.pop(LIKE, None) if isinstance(preset, dict) else None
    if name is None:
        return preset
    if depth == MOST_LIKES:
        raise InputError(f"{path}: key 'like': leads on and on, expected a preset that has all values in the end")
    own = path.parent / f"{name}.json"  # next to it, else an installed one
    return {**read(own if own.is_file() else folder() / f"{name}.json", depth + 1), **preset}


def canonical(name: str) -> str:
    """"NVIDIA GeForce RTX 3090" → "rtx3090": the rule of gpus/gpu_name.h."""
    words = re.split("[ \t_-]", name.lower())
    plain = "".join("s" if word == "super" else word for word in words if word not in MAKERS_WORDS)
    return plain[3:] if plain.startswith("rtxa") else plain


def value_of(gpu: str, key: str) -> typing.Any:
    """A preset's value, by its name or of a file; None if it is unknown."""
    path = pathlib.Path(gpu) if gpu.endswith(".json") else folder() / f"{canonical(gpu)}.json"
    entry = read(path).get(key) if path.is_file() else None
    return entry.get("value") if isinstance(entry, dict) else None


def is_amd(gpu: str) -> bool:
    """Whether a GPU is AMD's: no rates of these were measured, so their cycles are no estimate."""
    return value_of(gpu, "vendor") == "AMD"


def all_of(where: pathlib.Path) -> dict[str, dict]:
    """Name → preset of a folder."""
    return {path.stem: read(path) for path in sorted(where.glob("*.json"))}
