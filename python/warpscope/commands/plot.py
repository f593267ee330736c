"""warpscope plot: a picture of results, captures or sweeps, as PNG and SVG."""
import dataclasses
import importlib
import types

from warpscope.base.errors import InputError, printable
from warpscope.base.options import MANY, Option, Options, shown_help, unknown_option

AXES = ("size_kib", "ways", "sets", "line_bytes")
SPLITS = ("set_index", "replacement", "write_policy", "line_bytes")


@dataclasses.dataclass(frozen=True)
class Kind:
    """`files`: what it takes, `most` of them (None: any number); `about`: --help around the options, with its examples."""

    about: str
    files: str
    most: int | None
    options: Options
    examples: str

    def help(self):
        return f"{self.about}\n\n{self.options.text()}\n\nExamples:\n{self.examples}"


def _output(stem):
    return Option("--output", "STEM", f"of the PNG and the SVG (default {stem})", alias="-o", default=stem)


KINDS = {
    "access-pattern": Kind("""Memory access pattern: element offset over order, coloured by work-item, one panel per scheduling policy.

warpscope plot access-pattern CAPTURE -o STEM            schedules the capture with all four policies
warpscope plot access-pattern rr=FILE warp=FILE -o STEM  plots text streams (warpsched --format text), labelled""",
                           "[LABEL=]FILE", None, Options(
                               _output("access_pattern"),
                               Option("--global", "X,Y,Z", "global size (a capture knows it)"),
                               Option("--local", "X,Y,Z", "work-group size (a capture knows it)"),
                               Option("--limit", "N", "lane accesses that are read per policy (default 4000000)", default="4000000"),
                               Option("--title", "TEXT", "title (default: what is plotted)", rare=True),
                               Option("--element-bytes", "N", "bytes of an element (default 4)", default="4", rare=True),
                               Option("--schedule-option", "OPTION", "for warpsched; may be repeated", kind=MANY, rare=True)),
                           """  warpscope plot access-pattern mm.wtrace -o pattern
  warpscope plot access-pattern mm.wtrace --limit 20000 --element-bytes 8 -o pattern
  warpscope plot access-pattern rr=rr.txt warp=warp.txt --global 64,64 --local 16,16 -o orders"""),
    "miss-classes": Kind("""Why accesses miss: stacked bars of the miss classes.

warpscope plot miss-classes RESULT.json [--by site|buffer|core] -o STEM   one bar per memory instruction, buffer or core
warpscope plot miss-classes LABEL=RESULT.json LABEL=RESULT.json -o STEM   one bar per configuration""",
                         "[LABEL=]RESULT.json", None, Options(
                             _output("miss_classes"),
                             Option("--by", "site|buffer|core", "what a bar is of a single result (default site: a memory instruction)",
                                    default="site", choices=("site", "buffer", "core")),
                             Option("--title", "TEXT", "title (default Why accesses miss)", default="Why accesses miss", rare=True)),
                         """  warpscope plot miss-classes result.json -o classes
  warpscope plot miss-classes result.json --by buffer -o buffers
  warpscope plot miss-classes "4 ways"=four.json "8 ways"=eight.json -o ways"""),
    "reuse": Kind("""Reuse-distance histogram of a result (cachesim --reuse-histogram), with the cache's capacity marked.

warpscope plot reuse RESULT.json -o STEM""",
                  "RESULT.json", 1, Options(
                      _output("reuse"),
                      Option("--title", "TEXT", "title (default Reuse distance)", default="Reuse distance", rare=True)),
                  """  warpscope plot reuse result.json
  warpscope plot reuse warpscope-mm/result.json -o reuse
  warpscope plot reuse result.json -o reuse --title "mm, 256 x 256\""""),
    "sweep": Kind("""Heat map and miss-ratio curves of a sweep.

warpscope plot sweep SWEEP.json -o STEM [--split set_index] [--x ways] [--y sets]

One map per value of --split (set index, replacement, write policy or line), coloured by the miss rate of the loads; of
caches that fall on one place the best is shown. Marked: the caches that miss fewer loads than all smaller ones, and the
hardware's own. Below: miss rate over capacity, a curve per set count and policies, with knees.""",
                  "SWEEP.json", 1, Options(
                      _output("sweep"),
                      Option("--split", "NAME", f"a map for each value of {', '.join(SPLITS)}\n(default: the first that has several)",
                             choices=SPLITS),
                      Option("--x", "NAME", f"horizontal axis, of {', '.join(AXES)} (default ways)", default="ways", choices=AXES),
                      Option("--y", "NAME", "vertical axis, of the same (default sets)", default="sets", choices=AXES)),
                  """  warpscope plot sweep mm.json -o mm
  warpscope plot sweep mm.json --split replacement -o policies
  warpscope plot sweep mm.json --x size_kib --y ways -o sizes"""),
    "configurations": Kind("""Reads, misses and miss rate over configurations, compared with published values.

warpscope plot configurations TABLE.json -o STEM            the table of repeat-chapter8 (choose with --kernel)
warpscope plot configurations LABEL=RESULT.json ... -o STEM results of cachesim, one configuration each""",
                           "TABLE.json | LABEL=RESULT.json", None, Options(
                               _output("configurations"),
                               Option("--kernel", "NAME", "kernel to plot, if the input is a table (default mm)", default="mm"),
                               Option("--title", "TEXT", "title (default: what is plotted)", rare=True)),
                           """  warpscope plot configurations "4 ways"=four.json "8 ways"=eight.json -o ways
  warpscope plot configurations gtx480=gtx480.json h100=h100.json -o gpus
  warpscope plot configurations table.json --kernel mm -o chapter8""")}
HELP = f"""warpscope plot: a picture of results, captures or sweeps, as PNG and SVG.

warpscope plot access-pattern CAPTURE        address over order, coloured by work-item, one panel per policy
warpscope plot miss-classes RESULT.json      why accesses miss: stacked bars by instruction, buffer, core or configuration
warpscope plot reuse RESULT.json             reuse distances, with the cache's capacity
warpscope plot sweep SWEEP.json              heat maps and curves of cachesim sweep, with best caches and knees
warpscope plot configurations NAME=RESULT.json ...
                                             reads, misses and miss rate over configurations

warpscope plot KIND --help has the options of a kind.

Examples:
  warpscope plot access-pattern mm.wtrace -o pattern
  warpscope plot miss-classes "4 ways"=four.json "8 ways"=eight.json -o ways
  warpscope plot sweep mm.json --split replacement -o policies

Exit status: 0; 2 bad input."""


def _draw(name, words):
    kind, where = KINDS[name], f"see warpscope plot {name} --help"
    values, inputs = kind.options.read(words, unknown_option(kind.options, where))
    if not inputs or kind.most and len(inputs) > kind.most:
        given = f"{len(inputs)} files given" if inputs else "no file given"
        raise InputError(f"plot {name}: {given}, expected {'one ' if kind.most else ''}{kind.files}; {where}")
    asked = types.SimpleNamespace(inputs=inputs, **{option.name[2:].replace("-", "_"): values[option.name] for option in kind.options.all})
    # Each needs what the others do not, and all need matplotlib.
    plots = importlib.import_module(f"warpscope.show.plots.{name.replace('-', '_')}")
    for path in importlib.import_module("warpscope.show.plots.style").save(plots.asked_for(asked), asked.output):
        print(path)


def main(words):
    """Draws what the first word names; the others are that plot's."""
    if words and words[0] in KINDS:
        kind = KINDS[words[0]]
        if not shown_help(words[1:], kind.help(), kind.options):
            _draw(words[0], words[1:])
        return 0
    if shown_help(words, HELP, needs_words=True):
        return 0 if words else 2
    raise InputError(f"plot {printable(words[0])}: expected one of {', '.join(KINDS)}; see warpscope plot --help")
