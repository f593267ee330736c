"""Conflicts of register banks.

Kepler: X. Zhang et al., "Understanding the GPU Microarchitecture to Achieve Bare-Metal Performance Tuning", PPoPP 2017,
doi:10.1145/3018743.3018755, table 3 (which register is in which bank) and table 2 (what conflicts cost). Maxwell and Pascal: S. Gray,
maxas (recalled). Volta to Ampere: Z. Jia et al., arXiv 1804.06826 (recalled).
"""
import collections
import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Architecture:
    """`bank(register)`; `ports`: registers that a bank delivers at once; `reuse`: whether operands can be kept (.reuse);
    `rate`: throughput by degree of conflict, relative to none, where measured."""
    bank: typing.Callable
    ports: int
    reuse: bool
    rate: dict
    source: str


ARCHITECTURES = {
    "kepler": Architecture(lambda register: 2 * (register >> 2 & 1) + (register & 1), 1, False,
                           {1: 1.0, 2: 119.18 / 127.50, 3: 94.52 / 127.50}, "Zhang et al. 2017, tables 2 and 3"),
    "maxwell": Architecture(lambda register: register % 4, 1, True, {}, "Gray, maxas (recalled); Pascal is the same"),
    "volta": Architecture(lambda register: register % 2, 2, True, {}, "Jia et al. 2018 (recalled); Turing and Ampere are the same"),
}


def degree(architecture, registers):
    """Passes in which the banks deliver these source registers; the same register twice is delivered once. At least 1."""
    counts = collections.Counter(map(architecture.bank, set(registers)))
    return max([1, *(-(-count // architecture.ports) for count in counts.values())])


def degrees(architecture, instructions):
    """The degree of each instruction, in order. Operands of several registers are read one after the other: what is read at once are the
    first registers of all operands, then the second ones. An operand that the instruction before kept (.reuse) in the same place needs no
    bank."""
    found, kept = [], {}
    for instruction in instructions:
        widths = instruction.widths or (1,) * len(instruction.sources)
        read = [(register, count) for place, (register, count) in enumerate(zip(instruction.sources, widths))
                if not (architecture.reuse and kept.get(place) == (register, count))]
        found.append(max(degree(architecture, [register + at for register, count in read if at < count]) for at in range(max((1, *widths)))))
        kept = {place: (instruction.sources[place], widths[place]) for place in instruction.reused}
    return found


def relative_rate(architecture, found):
    """Throughput of instructions with these degrees, relative to none with conflicts; None where it was not measured."""
    if not found or any(each not in architecture.rate for each in found):
        return None
    return len(found) / sum(1 / architecture.rate[each] for each in found)
