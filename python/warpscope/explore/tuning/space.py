"""The variants of a kernel: parameters with their values, or a list of them, and what they must fulfil."""
from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Mapping, Optional

from warpscope.base.errors import InputError
from warpscope.explore.models.sweep import RANGE, values_of
from warpscope.explore.tuning import expressions

MOST = 1_000_000  # variants before restrictions
KINDS = ("define", "local", "carveout", "change")
SIZE_NAMES = ("gx", "gy", "gz", "lx", "ly", "lz")
Configuration = tuple[Any, ...]  # a value per parameter, in their order


@dataclass(frozen=True)
class Parameter:
    """`kind`: a macro (`define`), the work-group's size (`local`, values such as "16x8"), KiB of local memory (`carveout`), or a
    what-if (`change`, values such as "+1"; "none" changes nothing) of `option` (--pad) on `target` (an object)."""

    name: str
    values: tuple[Any, ...]
    kind: str = "define"
    option: str = ""
    target: str = ""

    def __post_init__(self) -> None:
        if not self.values or len(set(self.values)) != len(self.values):
            raise InputError(f"parameter {self.name}: expected different values, at least one")


def local_size(text: str) -> list[int]:
    """16x8 -> [16, 8, 1]. Raises InputError."""
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){0,2}", str(text)):
        raise InputError(f"--local: '{text}', expected a size such as 64 or 16x16, several with commas between")
    return [*(int(word) for word in str(text).split("x")), 1, 1][:3]


def number_or_text(text: str) -> Any:
    return int(text) if re.fullmatch(r"-?(0|[1-9]\d*)", text) else text


def values(text: str) -> list[Any]:
    """8,16,32 or 8-64:8 or 8-256*2. A single value with a comma inside is not for here."""
    found: list[Any] = []
    for word in text.split(","):
        found += values_of(word) if RANGE.fullmatch(word) else [number_or_text(word)]
    return found


@dataclass
class Space:
    """All variants: the product of the parameters' values, or the listed ones. `sizes`: (variant as a mapping) -> gx … lz, asked for
    only where a restriction names them; `constants`: macros that do not vary."""

    parameters: list[Parameter]
    restrictions: list[str] = field(default_factory=list)
    listed: Optional[list[Configuration]] = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    sizes: Optional[Callable[[dict[str, Any]], Mapping[str, int]]] = None

    def __post_init__(self) -> None:
        names = [parameter.name for parameter in self.parameters]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"parameter {twice}: is given twice, expected it once")
        if not names:
            raise InputError("no parameter given, expected one such as -D TILE=8,16,32; see --help")
        self._trees = [(expressions.parse(text, "--restrict"), text) for text in self.restrictions]
        known = {*names, *self.constants, *SIZE_NAMES}
        for tree, text in self._trees:
            if unknown := sorted(expressions.names_in(tree) - known):
                raise InputError(f"--restrict '{text}': no parameter '{unknown[0]}', expected one of {', '.join(sorted(known))}")

    @property
    def names(self) -> list[str]:
        return [parameter.name for parameter in self.parameters]

    def named(self, configuration: Configuration) -> dict[str, Any]:
        return dict(zip(self.names, configuration))

    def ties(self, first: str, second: str) -> bool:
        """Whether a restriction names both parameters."""
        return any({first, second} <= expressions.names_in(tree) for tree, _ in self._trees)

    def count(self) -> int:
        """Variants before restrictions."""
        if self.listed is not None:
            return len(self.listed)
        number = 1
        for parameter in self.parameters:
            number *= len(parameter.values)
        return number

    def is_allowed(self, configuration: Configuration) -> bool:
        named = self.named(configuration)
        known: dict[str, Any] = {**self.constants, **named}
        local = next((parameter.name for parameter in self.parameters if parameter.kind == "local"), None)
        for tree, _ in self._trees:
            needed = expressions.names_in(tree) & set(SIZE_NAMES) - set(known)
            if local and needed and needed <= {"lx", "ly", "lz"}:
                known.update(zip(("lx", "ly", "lz"), local_size(named[local])))
            elif needed and self.sizes:
                known.update(self.sizes(named))
            if not expressions.evaluate(tree, known, "--restrict"):
                return False
        return True

    def all(self) -> list[Configuration]:
        """The variants that fulfil the restrictions, in order of the values. Raises InputError for none or too many."""
        if self.count() > MOST:
            raise InputError(f"{self.count():,} variants, expected at most {MOST:,}; give fewer values")
        every: Iterable[Configuration] = (itertools.product(*(parameter.values for parameter in self.parameters))
                                          if self.listed is None else self.listed)
        allowed = [configuration for configuration in every if self.is_allowed(configuration)]
        if not allowed:
            raise InputError(f"no variant fulfils {' and '.join(self.restrictions) or 'the list'}, of {self.count():,}")
        return allowed
