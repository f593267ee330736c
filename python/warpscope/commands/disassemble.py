"""warpscope disassemble and warpscope kernels: what NVIDIA's compiler made of kernels, without NVIDIA's tools for files that are compiled already."""
import pathlib
import tempfile

from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.base.options import FLAG, LAST, Option, Options, not_an_option, shown_help
from warpscope.commands import register_banks
from warpscope.run.machine_code import COMPILED, DEFAULT_ARCHITECTURE, Compilation, compile_source

OPTIONS = Options(
    Option("--kernel", "NAME", "instructions of this kernel or function, by its name or symbol; all = of every one", kind=LAST),
    Option("--arch", "sm_NN", f"only code for this architecture; a .cu or .ptx is compiled for it (default {DEFAULT_ARCHITECTURE})", kind=LAST),
    Option("--nvcc-options", "OPTIONS", "for a .cu or .ptx, such as '-O1 -DTILE=16'; -lineinfo is always added", kind=LAST),
    Option("--cfg", "dot|text", "the control flow graph: basic blocks and edges, for Graphviz or a line per block", kind=LAST),
    Option("--words", "FILE", "words instead of a file: 32 hexadecimal digits a line, then optionally an address; needs --arch", kind=LAST),
    Option("--plain", meaning="without control words and source lines", kind=FLAG),
    Option("--json", meaning="kernels and instructions as JSON", kind=FLAG),
    *register_banks.OPTIONS)
HELP = f"""Prints the kernels in a file of machine code, or the instructions of one.

warpscope disassemble FILE.cubin|FILE.cu|FILE.ptx|PROGRAM [--kernel NAME]
warpscope disassemble --words FILE --arch sm_NN
warpscope disassemble FILE|LISTING --banks ARCHITECTURE [--all]
warpscope disassemble --control WORD[,WORD]... | --allocate ROWSxCOLUMNS

{OPTIONS.text()}

Examples:
  warpscope disassemble app
  warpscope disassemble saxpy.cu --arch sm_86 --kernel saxpy
  warpscope disassemble kernel.cubin --kernel all --plain
  warpscope disassemble app --kernel mm --cfg dot | dot -Tsvg > mm.svg
  warpscope disassemble kernel.cubin --banks volta
  warpscope disassemble --allocate 12x12

Exit status: 0; 2 bad input."""

KERNELS_OPTIONS = Options(
    Option("--arch", "sm_NN", f"only code for this architecture; a .cu is compiled for it (default {DEFAULT_ARCHITECTURE})", kind=LAST),
    Option("--json", meaning="the same as JSON, with symbols and compilers", kind=FLAG))
KERNELS_HELP = f"""Lists the kernels of a program, a library, an object, a cubin, a fat binary or PTX: their code, registers, stack, static shared memory, whether
source lines are known (-lineinfo), and their parameters with their sizes in bytes. Needs no toolkit, except for a .cu.

warpscope kernels FILE [--arch sm_NN] [--json]

{KERNELS_OPTIONS.text()}

Examples:
  warpscope kernels app
  warpscope kernels kernel.ptx --json
  trace-kernel app --kernel mm --grid 32,32 --block 16,16 --arg n=512 --arg A=count=262144   # runs one of them

Exit status: 0; 2 bad input."""


def main(words):
    if shown_help(words, HELP, OPTIONS, needs_words=True):
        return 0 if words else 2
    options, sources = OPTIONS.read(words, not_an_option("warpscope disassemble"))
    if len(sources) > 1:
        raise InputError(f"{sources[1]}: expected one file, {sources[0]} is given already")
    if register_banks.answered(options, sources[0] if sources else None):
        return 0
    passed = [word for name in ("--kernel", "--arch", "--cfg", "--words") if options[name] for word in (name, options[name])]
    passed += [name for name in ("--plain", "--json") if options[name]]
    source = pathlib.Path(sources[0]) if sources else None
    with tempfile.TemporaryDirectory(prefix="warpscope-") as folder:
        if source and source.suffix in COMPILED:
            source = compile_source(source, Compilation(options["--arch"], options["--nvcc-options"] or ""), folder)
        toolchain.run("machine-code", *([source] if source else []), *passed)
    return 0


def kernels(words):
    if shown_help(words, KERNELS_HELP, KERNELS_OPTIONS, needs_words=True):
        return 0 if words else 2
    options, sources = KERNELS_OPTIONS.read(words, not_an_option("warpscope kernels"))
    if len(sources) != 1:
        raise InputError("expected one file: warpscope kernels FILE")
    source = pathlib.Path(sources[0])
    passed = (["--arch", options["--arch"]] if options["--arch"] else []) + (["--json"] if options["--json"] else [])
    with tempfile.TemporaryDirectory(prefix="warpscope-") as folder:
        if source.suffix == ".cu":
            source = compile_source(source, Compilation(options["--arch"]), folder)
        toolchain.run("machine-code", source, "--kernels", *passed)
    return 0
