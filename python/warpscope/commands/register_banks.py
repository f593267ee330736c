"""The options --banks, --control and --allocate of warpscope disassemble: register banks and Kepler's control words."""
import collections
import json
import pathlib
import sys

from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import read_bytes
from warpscope.base.options import FLAG, LAST, Option
from warpscope.run.machine_code import COMPILED, Compilation, functions
from warpscope.sass import allocate, banks, control, listing

OPTIONS = (
    "Register banks:",
    Option("--banks", "ARCHITECTURE", "conflicts of register banks: kepler, maxwell (and Pascal) or volta (and Turing, Ampere). FILE may also be a\n"
           "listing, one instruction a line, as nvdisasm and cuobjdump print them or written by hand; - = standard input", kind=LAST),
    Option("--all", meaning="with --banks: every instruction; without it only those with conflicts, at most 20", kind=FLAG),
    Option("--control", "WORDS", "64-bit control words of Kepler: the codes of the seven instructions", kind=LAST),
    Option("--allocate", "RxC", "registers of Kepler for a work-item's block of R × C results of a multiplication, without conflicts",
           kind=LAST))
ALONE = ("--control", "--allocate")
ELF = b"\x7fELF"
MOST_SHOWN = 20
EXPECTED = "a listing of machine instructions, one a line"


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
        places = " ".join(f"{_ranges(range(register, register + count))}:{architecture.bank(register)}"
                          for register, count in zip(instruction.sources, instruction.widths))
        lines.append(f"  line {instruction.line:>5}  degree {each}  {instruction.text}   {places}".rstrip())
    if len(rows) > MOST_SHOWN and not shown:
        lines.append(f"  … {len(rows) - MOST_SHOWN} more; --all shows them")
    return lines


def _json(name, found, instructions):
    cells = [{"line": instruction.line, "name": instruction.name, "sources": list(instruction.sources), "widths": list(instruction.widths),
              "written": list(instruction.written), "degree": each}
             for each, instruction in zip(found, instructions)]
    counts = collections.Counter(found)
    return json.dumps({"schema": 1, "kind": "register banks", "architecture": name, "source": banks.ARCHITECTURES[name].source,
                       "degrees": {str(each): counts[each] for each in sorted(counts)}, "instructions": cells}, indent=1) + "\n"


def _instructions(source, options):
    """Of a listing, or of machine code."""
    content = b"" if pathlib.Path(source).suffix in COMPILED else read_bytes(source, EXPECTED)
    if not content or content.startswith(ELF):
        found = functions(source, Compilation(options["--arch"], options["--nvcc-options"] or ""), kernel=options["--kernel"] or "all")
        return listing.parse(source, "\n".join(instruction["text"] for one in found for instruction in one["instructions"]))
    try:
        return listing.parse(source, content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: not text in UTF-8, expected {EXPECTED}") from error


def show_conflicts(source, options):
    if options["--banks"] not in banks.ARCHITECTURES:
        raise InputError(f"--banks {options['--banks']}, expected one of {', '.join(banks.ARCHITECTURES)}")
    if source is None:
        raise InputError(f"no listing, expected {EXPECTED}")
    architecture = banks.ARCHITECTURES[options["--banks"]]
    instructions = _instructions(source, options)
    found = banks.degrees(architecture, instructions)
    if options["--json"]:
        sys.stdout.write(_json(options["--banks"], found, instructions))
        return
    for line in _text(architecture, found, instructions, options["--all"]):
        print(printable(line))


def answered(options, source):
    """Answers the options of OPTIONS; whether there was one of them."""
    for name in ALONE:
        if options[name] and (source or options["--banks"]):
            raise InputError(f"{name}: takes no file and no --banks, expected it alone")
    if options["--control"]:
        show_control(options["--control"])
    elif options["--allocate"]:
        show_allocation(options["--allocate"])
    elif options["--banks"]:
        show_conflicts(source, options)
    else:
        return False
    return True
