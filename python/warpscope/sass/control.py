"""Kepler's control words: one for seven instructions (Zhang et al., PPoPP 2017, section 3.3)."""
from warpscope.base.errors import InputError

CODES = 7  # instructions that a word is for
BARRIERS = {0x10: "shared memory", 0x80: "texture"}  # bit 5, global memory in the paper, is also set in every 0x2n: see meaning()
# Multiply-adds per cycle of a core, one by one and in pairs, of 192 lanes (table 4).
LANES, ONE_BY_ONE, IN_PAIRS = 192, 127.52, 186.35
DUAL, PAIRED, LONGEST, ALONE = 0x04, 0x05, 0x00, 0x20


def codes(word):
    """The seven 8-bit codes of a 64-bit word, in the order of the instructions: bits 2 to 57."""
    return [word >> (2 + 8 * place) & 0xFF for place in range(CODES)]


def meaning(code):
    """What a code says, in a few words. The paper gives bit 5 to the barrier of global memory, and calls 0x2n a plain stall of n cycles;
    the second is taken."""
    patterns = {DUAL: "dual issue with the next", PAIRED: "second of a pair", LONGEST: "stall 16 cycles", ALONE: "single issue"}
    if code in patterns:
        return patterns[code]
    waits = [name for bit, name in BARRIERS.items() if code & bit]
    return f"stall {code & 0xF} cycles" + (f", barrier of {' and '.join(waits)}" if waits else "")


def turns(word):
    """In how many turns of a scheduler the seven instructions issue: two that issue together share one turn. The last may share its turn
    with the first instruction of the next word."""
    return CODES - sum(code == DUAL for code in codes(word))


def parse_word(text):
    """A word as 0x08dc109c14801410. Raises InputError."""
    try:
        word = int(text, 16)
    except ValueError as error:
        raise InputError(f"--control {text}: expected a 64-bit number such as 0x08dc109c14801410") from error
    if not 0 <= word < 1 << 64:
        raise InputError(f"--control {text}: expected a number of 64 bits")
    return word
