"""Reads listings of machine instructions: one instruction a line, as nvdisasm and cuobjdump print them or written by hand."""
import dataclasses
import re

from warpscope.base.errors import InputError

COMMENT = re.compile(r"/\*.*?\*/|//.*|#.*")
INSTRUCTION = re.compile(r"(?:@!?U?P[0-9T]\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)(?:\s+(.*))?")
REGISTER = re.compile(r"(?<![A-Z])R(\d+|Z)\b((?:\.[A-Za-z0-9]+)*)")
NO_DESTINATION = ("ST", "RED", "BAR", "BRA", "EXIT", "RET", "SYNC", "SSY", "NOP")  # what the name begins with
HIGHEST = 254  # 255 is RZ, which is in no bank


@dataclasses.dataclass(frozen=True)
class Instruction:
    """`sources`: numbers of the 32-bit registers that it reads, in order; `reused`: places in `sources` that it keeps (.reuse)."""
    line: int
    text: str
    name: str
    sources: tuple
    reused: tuple


def _operands(text):
    """Operands, split at commas outside brackets."""
    return [part.strip() for part in re.split(r",(?![^\[\]]*\])", text) if part.strip()]


def parse_line(where, number, text):
    """The Instruction of a line, None of an empty line or a label. Raises InputError "WHERE:LINE: …"."""
    bare = COMMENT.sub("", text).strip().rstrip(";").strip()
    if not bare or re.fullmatch(r"[.\w]+:", bare):
        return None
    matched = INSTRUCTION.fullmatch(bare)
    if not matched:
        raise InputError(f"{where}:{number}: '{bare}', expected an instruction such as FFMA R5, R4, R1, R0")
    operands = _operands(matched[2] or "")
    if not matched[1].startswith(NO_DESTINATION):
        operands = operands[1:]
    sources, reused = [], []
    for register, suffixes in (found for operand in operands for found in REGISTER.findall(operand)):
        if register == "Z":
            continue
        if int(register) > HIGHEST:
            raise InputError(f"{where}:{number}: register R{register}, expected R0 to R{HIGHEST}, or RZ")
        if ".reuse" in suffixes:
            reused.append(len(sources))
        sources.append(int(register))
    return Instruction(number, bare, matched[1], tuple(sources), tuple(reused))


def parse(where, text):
    """The instructions of a listing. Raises InputError for what is none, and for a listing without any."""
    found = [one for number, line in enumerate(text.splitlines(), 1) if (one := parse_line(where, number, line))]
    if not found:
        raise InputError(f"{where}: no instructions, expected one a line")
    return found
