"""Tables of the C++ code that Python needs, too: read from the same .def files, which an installation has next to this package."""
import csv
import functools
import pathlib
import re
from typing import NamedTuple

from warpscope.base.source import SOURCE

FILES = {"instruction_class.def": "timed/config", "write_policy.def": "cachesim/l1"}  # where the source tree has them


def _rows(name, macro):
    """The arguments of every line MACRO(…) of a table, as texts."""
    installed = pathlib.Path(__file__).parents[1] / name
    text = (installed if installed.exists() else SOURCE / FILES[name] / name).read_text(encoding="utf-8")
    return list(csv.reader(re.findall(rf"^{macro}\((.*)\)$", text, re.MULTILINE), skipinitialspace=True))


class InstructionClass(NamedTuple):
    """`unit`: the execution unit that takes it; `machine`: how many machine instructions a GPU executes for one of the capture's."""

    unit: str
    machine: int


@functools.cache
def instruction_classes():
    """{class of traces/FORMAT.md: InstructionClass}, in the order of the table."""
    return {name: InstructionClass(unit, int(machine)) for name, unit, machine, *_ in _rows("instruction_class.def", "INSTRUCTION_CLASS")}


@functools.cache
def allocating_policies():
    """The write policies with which store misses bring lines in."""
    return frozenset(name for name, allocates, *_ in _rows("write_policy.def", "WRITE_POLICY") if allocates == "true")
