"""The launch that options of trace-kernel describe. Tune and study hand the options on, and read from them what variants depend on."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any, Optional, Sequence

from warpscope.base.options import LAST, MANY, Option, Options
from warpscope.explore.tuning.space import number_or_text

_READ = Options(Option("-D", kind=MANY), Option("--size", kind=LAST, default=""), Option("--launch-file", kind=LAST), Option("--global", kind=LAST),
                Option("--local", kind=LAST))


@dataclass(frozen=True)
class Launch:
    """`words`: all options, as trace-kernel takes them; `others`: those that are none of the fields here. `file`: the launch file that they
    name, `size`: one of its sizes; `macros`: NAME=VALUE."""

    words: tuple[str, ...] = ()
    size: str = ""
    file: Optional[pathlib.Path] = None
    global_size: Optional[list[str]] = None
    local_size: Optional[list[str]] = None
    macros: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @classmethod
    def of_words(cls, words: Sequence[str], folder: pathlib.Path = pathlib.Path()) -> Launch:
        """`folder`: that a launch file is relative to. Raises InputError for an option without a value."""
        said, others = _READ.read(words)

        def listed(name: str) -> Optional[list[str]]:
            return said[name].split(",") if said[name] else None

        file = folder / said["--launch-file"] if said["--launch-file"] else None
        return cls(tuple(words), said["--size"], file, listed("--global"), listed("--local"), tuple(said["-D"]), tuple(others))

    def constants(self) -> dict[str, Any]:
        """The macros' values; 1 without one, as a compiler has it."""
        split = (macro.partition("=") for macro in self.macros)
        return {name: number_or_text(value) if equals else 1 for name, equals, value in split}
