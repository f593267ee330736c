"""A reference that is a function in Python, FILE.py:NAME: it takes arguments of the kernel by name, and returns or changes outputs."""
from __future__ import annotations

import importlib.util
import inspect
import pathlib
from typing import Any, Mapping

import numpy

from warpscope.base.errors import InputError
from warpscope.explore.judge import contents


def is_function(text: str) -> bool:
    """Whether a reference is FILE.py:NAME."""
    path, colon, name = text.rpartition(":")
    return bool(colon) and path.endswith(".py") and name.isidentifier()


class Function:
    """The function of FILE.py:NAME. Raises InputError where there is none."""

    def __init__(self, text: str) -> None:
        path, _, self.name = text.rpartition(":")
        self.path = pathlib.Path(path)
        if not self.path.is_file():
            raise InputError(f"{path}: no such file, expected the reference as FILE.py:FUNCTION")
        spec = importlib.util.spec_from_file_location("warpscope_reference", self.path)
        if spec is None or spec.loader is None:
            raise InputError(f"{path}: cannot be read as Python")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # whatever a user's module raises
            raise InputError(f"{path}: {type(error).__name__}: {error}") from error
        found = getattr(module, self.name, None)
        if not callable(found):
            raise InputError(f"{path}: no function {self.name}, expected one that takes arguments of the kernel by name")
        self._call = found
        self._takes = list(inspect.signature(found).parameters)

    def outputs(self, launch: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
        """{name: array} of what the function returns under names, or has changed in its arguments. `inputs`: the buffers, flat arrays by name."""
        known: dict[str, Any] = {name: array.copy() for name, array in inputs.items()}
        for one in launch["arguments"]:
            if one["kind"] == "value" and "value" in one:
                known[one["name"]] = _number(one["value"])
        missing = [name for name in self._takes if name not in known]
        if missing:
            raise InputError(f"{self.path}:{self.name}: takes '{missing[0]}', expected arguments of the kernel: {', '.join(known)}")
        given = {name: known[name] for name in self._takes}
        try:
            with numpy.errstate(all="ignore"):
                returned = self._call(**given)
        except Exception as error:  # whatever a user's function raises
            raise InputError(f"{self.path}:{self.name}: {type(error).__name__}: {error}") from error
        changed = {name: given[name] for name in self._takes if name in inputs and not _same(given[name], inputs[name])}
        return {name: self._as(launch, name, array) for name, array in {**changed, **self._named(returned)}.items()}

    def _named(self, returned: Any) -> dict[str, Any]:
        if returned is None:
            return {}
        if not isinstance(returned, Mapping):
            raise InputError(f"{self.path}:{self.name}: returns {type(returned).__name__}, expected a dictionary {{buffer: array}}, or None where it changes its arguments")
        return dict(returned)

    def _as(self, launch: Mapping[str, Any], name: str, array: Any) -> Any:
        """In the type of the kernel's buffer."""
        argument = next((one for one in launch["arguments"] if one["name"] == name and one["kind"] == "buffer"), None)
        if argument is None:
            raise InputError(f"{self.path}:{self.name}: '{name}' is no buffer of the kernel")
        kind = contents.number_type(argument["element"]) or "u1"
        with numpy.errstate(all="ignore"):
            found = numpy.ascontiguousarray(array).reshape(-1).astype(kind)
        if found.nbytes != argument["bytes"]:
            raise InputError(f"{self.path}:{self.name}: '{name}' has {found.size} numbers, expected {argument['bytes'] // found.itemsize}")
        return found


def _number(text: str) -> Any:
    """The value of a scalar, or of a vector's components."""
    parts = [float(part) if any(letter in part for letter in ".eEn") else int(part) for part in text.split(",")]
    return parts[0] if len(parts) == 1 else numpy.array(parts)


def _same(one: Any, other: Any) -> bool:
    return one.shape == other.shape and bool((one.view("u1") == other.view("u1")).all())
