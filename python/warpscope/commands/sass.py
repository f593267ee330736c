"""warpscope sass: register banks and control words of machine instructions."""
import collections
import json

from warpscope.base import files
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import read_bytes
from warpscope.base.options import FLAG, LAST, Option, Options, not_an_option, shown_help
from warpscope.sass import allocate, banks, control, listing

OPTIONS = Options(
    Option("--banks", "ARCHITECTURE", "kepler, maxwell (and Pascal) or volta (and Turing, Ampere)", kind=LAST),
    Option("--all", meaning="every instruction; without it only those with conflicts, at most 20", kind=FLAG),
    Option("--json", "FILE", "degree and sources of every instruction (- = standard output)", kind=LAST),
    Option("--control", "WORDS", "64-bit control words of Kepler: the codes of the seven instructions", kind=LAST),
    Option("--allocate", "RxC", "registers of Kepler for a work-item's block of R × C results of a multiplication, without conflicts",
           kind=LAST))
HELP = f"""warpscope sass: checks a listing of NVIDIA machine instructions for conflicts of register banks, or decodes Kepler's control words.

warpscope sass LISTING --banks ARCHITECTURE [--all] [--json FILE]
warpscope sass --control WORD[,WORD]...
warpscope sass --allocate ROWSxCOLUMNS

  LISTING              one instruction a line, as nvdisasm and cuobjdump print them or written by hand; - = standard input
{OPTIONS.text()}

Examples:
  warpscope sass kernel.sass --banks maxwell
  cuobjdump -sass kernel.cubin | warpscope sass - --banks volta --all
  warpscope sass --control 0x08a0bc80c0a08cc0
  warpscope sass --allocate 12x12

Exit status: 0; 2 bad input."""

MOST_SHOWN = 20
EXPECTED = "a listing of machine instructions, one a line"


def parse(words):
    """(options by name, the listing or None)."""
    options, sources = OPTIONS.read(words, not_an_option("warpscope sass"))
    if len(sources) > 1:
        raise InputError(f"{sources[1]}: expected one listing, {sources[0]} is given already")
    return options, sources[0] if sources else None


def show_control(words):
    """Prints the codes of control words."""
    for text in words.split(","):
        word = control.parse_word(text)
        print(f"0x{word:016x}")
        for place, code in enumerate(control.codes(word)):
            print(f"  {place}  {code:02x}  {control.meaning(code)}")
        print(f"  {control.CODES} instructions in {control.turns(word)} turns; multiply-adds alone reach {control.ONE_BY_ONE / control.LANES:.1%} of the peak "
              f"in turns of one, {control.IN_PAIRS / control.LANES:.1%} in turns of two")


def _ranges(registers):
    """R0-R3,R8: neighbouring registers together."""
    found = []
    for register in registers:
        if found and found[-1][1] == register - 1:
            found[-1][1] = register
        else:
            found.append([register, register])
    return ",".join(f"R{first}" if first == last else f"R{first}-R{last}" for first, last in found)


def show_allocation(text):
    """Prints an allocation without conflicts, and what one without banks in mind costs."""
    rows, _, columns = text.partition("x")
    if not (rows.isdecimal() and columns.isdecimal() and 1 <= int(rows) <= 64 and 1 <= int(columns) <= 64):
        raise InputError(f"--allocate {text}: expected ROWSxCOLUMNS such as 12x12, from 1 to 64 each")
    rows, columns = int(rows), int(columns)
    known = allocate.patterns()
    found = allocate.allocate(rows, columns, known[0])
    if found is None:
        raise InputError(f"--allocate {text}: {rows * columns + 2 * (rows + columns)} registers and their banks do not fit into "
                         f"{allocate.MOST_REGISTERS}, expected a smaller block")
    print(f"{rows} × {columns} results, two sets of A and B: {len(found.used())} registers, highest R{max(found.used())}")
    print(f"banks without conflicts: {'; '.join(one.text() for one in known)}")
    for name, registers in (("A", found.a[0]), ("B", found.b[0]), ("A'", found.a[1]), ("B'", found.b[1])):
        print(f"  {name:<3} {_ranges(registers)}")
    for i, row in enumerate(found.c):
        print(f"  C{i:<2} {' '.join(f'R{register}' for register in row)}")
    for name, one in (("this", found), ("C by rows, then A, B, A', B'", allocate.naive(rows, columns))):
        counts = allocate.conflicts(one)
        rate = banks.relative_rate(banks.ARCHITECTURES["kepler"], [each for each, count in counts.items() for _ in range(count)])
        print(f"{name}: of {sum(counts.values())} multiply-adds of four steps {counts[2]} with 2-way, {counts[3]} with 3-way conflicts; "
              f"{rate:.1%} of the throughput without")


def _text(architecture, found, instructions, shown):
    """The lines to print."""
    counts = collections.Counter(found)
    lines = [f"{len(found)} instructions: " + ", ".join(
        f"{counts[each]} {'without conflict' if each == 1 else f'with {each}-way conflicts'} ({counts[each] / len(found):.2%})"
        for each in sorted(counts))]
    rate = banks.relative_rate(architecture, found)
    if rate is not None:
        lines.append(f"throughput by the measured ones of the paper: {rate:.1%} of none with conflicts")
    rows = [(each, instruction) for each, instruction in zip(found, instructions) if shown or each > 1]
    for each, instruction in rows if shown else rows[:MOST_SHOWN]:
        places = " ".join(f"R{register}:{architecture.bank(register)}" for register in instruction.sources)
        lines.append(f"  line {instruction.line:>5}  degree {each}  {instruction.text}   {places}".rstrip())
    if len(rows) > MOST_SHOWN and not shown:
        lines.append(f"  … {len(rows) - MOST_SHOWN} more; --all shows them")
    return lines


def _json(name, found, instructions):
    cells = [{"line": instruction.line, "name": instruction.name, "sources": list(instruction.sources), "degree": each}
             for each, instruction in zip(found, instructions)]
    counts = collections.Counter(found)
    return json.dumps({"schema": 1, "kind": "register banks", "architecture": name, "source": banks.ARCHITECTURES[name].source,
                       "degrees": {str(each): counts[each] for each in sorted(counts)}, "instructions": cells}, indent=1) + "\n"


def main(words):
    if shown_help(words, HELP, OPTIONS, needs_words=True):
        return 0 if words else 2
    options, source = parse(words)
    if options["--control"]:
        if source or options["--banks"]:
            raise InputError("--control: takes no listing and no --banks, expected it alone")
        return show_control(options["--control"])
    if options["--allocate"]:
        if source or options["--banks"]:
            raise InputError("--allocate: takes no listing and no --banks, expected it alone")
        return show_allocation(options["--allocate"])
    if options["--banks"] not in banks.ARCHITECTURES:
        given = f"--banks {options['--banks']}" if options["--banks"] else "--banks: not given"
        raise InputError(f"{given}, expected one of {', '.join(banks.ARCHITECTURES)}")
    if source is None:
        raise InputError(f"no listing, expected {EXPECTED}")
    architecture = banks.ARCHITECTURES[options["--banks"]]
    try:
        text = read_bytes(source, EXPECTED).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: not text in UTF-8, expected {EXPECTED}") from error
    instructions = listing.parse(source, text)
    found = banks.degrees(architecture, instructions)
    if options["--json"] != "-":
        for line in _text(architecture, found, instructions, options["--all"]):
            print(printable(line))
    if options["--json"]:
        files.write_or_print(options["--json"], _json(options["--banks"], found, instructions))
    return 0
