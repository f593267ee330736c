"""The fields of an unknown instruction encoding, found by asking an oracle about words of which one bit was flipped.

X. Zhang et al., PPoPP 2017, doi:10.1145/3018743.3018755, algorithms 2 and 3 (there the oracle is NVIDIA's disassembler). The oracle is any
function from a word to what it decodes to, so that a disassembler, or an encoding made up in a test, can be asked.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Iterable, NamedTuple, Optional


class Decoded(NamedTuple):
    """`name`: the mnemonic without modifiers; `modifiers`: its suffixes; `operands`: (kind, value), kind such as "R" or "imm"."""

    name: str
    modifiers: tuple[str, ...]
    operands: tuple[tuple[str, int], ...]

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """Instructions of one key have the same fields (the paper's name and string of operand types)."""
        return self.name, tuple(kind for kind, _ in self.operands)


Oracle = Callable[[int], Optional[Decoded]]  # None: no instruction


@dataclass
class Fields:
    """Bits of a key. `operands[n]`: {bit: weight}, the difference that it makes to the value; `unused`: bits that change nothing;
    `refused`: bits whose flip is no instruction, in every word asked."""

    opcode: set[int] = field(default_factory=set)
    modifiers: set[int] = field(default_factory=set)
    operands: dict[int, dict[int, int]] = field(default_factory=dict)
    unused: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)

    def value(self, number: int, word: int) -> int:
        """Operand `number` of a word, by the weights found. Raises KeyError for an operand without bits."""
        return sum(weight for bit, weight in self.operands[number].items() if word >> bit & 1)


def _note(fields: Fields, bit: int, word: int, before: Decoded, after: Decoded) -> None:
    """What one flipped bit tells."""
    if after.key != before.key:
        fields.opcode.add(bit)
        return
    if after.modifiers != before.modifiers:
        fields.modifiers.add(bit)
    for number, ((_, old), (_, new)) in enumerate(zip(before.operands, after.operands)):
        if old != new:
            fields.operands.setdefault(number, {})[bit] = new - old if not word >> bit & 1 else old - new


def solve(words: Iterable[int], bits: int, oracle: Oracle) -> dict[tuple[str, tuple[str, ...]], Fields]:
    """The fields of every key that occurs among `words`, of `bits` bits each; bits · words questions. More words of a key show more: a bit
    whose flip is refused in one may be allowed in another. Raises ValueError for a word that the oracle does not know."""
    found: dict[tuple[str, tuple[str, ...]], Fields] = {}
    allowed: dict[tuple[str, tuple[str, ...]], set[int]] = {}
    for word in words:
        before = oracle(word)
        if before is None:
            raise ValueError(f"word 0x{word:x} is no instruction, expected words that the oracle knows")
        fields = found.setdefault(before.key, Fields())
        for bit in range(bits):
            after = oracle(word ^ 1 << bit)
            if after is not None:
                allowed.setdefault(before.key, set()).add(bit)
                _note(fields, bit, word, before, after)
    for key, fields in found.items():
        known = fields.opcode | fields.modifiers | {bit for one in fields.operands.values() for bit in one}
        fields.unused = allowed.get(key, set()) - known
        fields.refused = set(range(bits)) - allowed.get(key, set())
    return found


def opcodes(word: int, opcode_bits: Iterable[int], oracle: Oracle) -> dict[int, str]:
    """{value of the opcode bits, the lowest first: name} of all that are instructions, by trying every value of these bits in `word`: 2 to
    the number of bits questions instead of 2 to the length of a word."""
    places = sorted(opcode_bits)
    bare = word & ~sum(1 << bit for bit in places)
    found = {}
    for value in range(1 << len(places)):
        decoded = oracle(bare | sum((value >> at & 1) << bit for at, bit in enumerate(places)))
        if decoded is not None:
            found[value] = decoded.name
    return found
