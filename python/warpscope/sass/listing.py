"""Reads listings of machine instructions: as nvdisasm and cuobjdump print them, or written by hand, one instruction a line."""
import dataclasses
import re

from warpscope.base.errors import InputError
from warpscope.sass.operands import width

COMMENT = re.compile(r"/\*.*?\*/|//.*|#.*")
# What is between the instructions: directives, data and labels of nvdisasm, headers of cuobjdump.
OTHER = re.compile(r"\..*|[.$\w@]+:|code for sm_\d+\w*|Function : .*|Fatbin (elf|ptx) code:|=+"
                   r"|(arch|code version|host|compile_size|producer|identifier|ptxasOptions|cubin options)\s*[=:].*|compressed|has debug info")
INSTRUCTION = re.compile(r"(?:@!?U?P[0-9T]\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)(?:\s+(.*))?")
REGISTER = re.compile(r"(?<![A-Z])R(\d+|Z)\b((?:\.[A-Za-z0-9]+)*)")
NO_DESTINATION = ("ST", "RED.", "BAR", "BRA", "BRX", "JMX", "EXIT", "RET", "SYNC", "SSY", "NOP", "WARPSYNC", "NANOSLEEP", "CALL", "BPT")
HIGHEST = 254  # 255 is RZ, which is in no bank


@dataclasses.dataclass(frozen=True)
class Instruction:
    """`sources`: the registers that it reads, in order, each the first of `widths` 32-bit ones; `reused`: places in `sources` that it
    keeps (.reuse); `written`: all 32-bit registers of its result."""
    line: int
    text: str
    name: str
    sources: tuple
    reused: tuple
    widths: tuple = ()
    written: tuple = ()


def _operands(text):
    """Operands, split at commas outside brackets."""
    return [part.strip() for part in re.split(r",(?![^\[\]]*\])", text) if part.strip()]


def _registers(where, name, place, operand):
    """(number, registers, whether it is kept) of each register in an operand."""
    for register, suffixes in REGISTER.findall(operand):
        if register == "Z":
            continue
        parts = suffixes.split(".")[1:]
        count = width(name, place, operand, parts)
        if int(register) + count - 1 > HIGHEST:
            raise InputError(f"{where}: register R{register}{f' and the {count - 1} behind it' if count > 1 else ''}, expected R0 to R{HIGHEST}, or RZ")
        yield int(register), count, "reuse" in parts


def parse_line(where, number, text):
    """The Instruction of a line; None of a line without one: empty, a label, a header. Raises InputError "WHERE:LINE: …"."""
    bare = COMMENT.sub("", text).strip().strip("{}").strip().rstrip(";").strip()
    if not bare or OTHER.fullmatch(bare):
        return None
    matched = INSTRUCTION.fullmatch(bare)
    if not matched:
        raise InputError(f"{where}:{number}: '{bare}', expected an instruction such as FFMA R5, R4, R1, R0")
    name, operands = matched[1], _operands(matched[2] or "")
    has_result = bool(operands) and not operands[0].startswith("[") and not f"{name}.".startswith(NO_DESTINATION)
    found = [(place, *one) for place, operand in enumerate(operands, 0 if has_result else 1)
             for one in _registers(f"{where}:{number}", name, place, operand)]
    written = [register + at for place, register, count, _ in found if place == 0 for at in range(count)]
    sources = [(register, count, kept) for place, register, count, kept in found if place > 0]
    return Instruction(number, bare, name, tuple(register for register, _, _ in sources),
                       tuple(at for at, (_, _, kept) in enumerate(sources) if kept), tuple(count for _, count, _ in sources), tuple(written))


def parse(where, text):
    """The instructions of a listing. Raises InputError for what is none, and for a listing without any."""
    found = [one for number, line in enumerate(text.splitlines(), 1) if (one := parse_line(where, number, line))]
    if not found:
        raise InputError(f"{where}: no instructions, expected one a line")
    return found
