"""warpscope plot: a picture of results, captures or sweeps, as PNG and SVG.

warpscope plot access-pattern CAPTURE        address over order, coloured by work-item, one panel per policy
warpscope plot miss-classes RESULT.json      why accesses miss: stacked bars by instruction, buffer, core or configuration
warpscope plot reuse RESULT.json             reuse distances, with the cache's capacity
warpscope plot sweep SWEEP.json              heat maps and curves of cachesim sweep, with best caches and knees
warpscope plot configurations NAME=RESULT.json ...
                                             reads, misses and miss rate over configurations

  -h, --help           this text; behind a kind, its options

Examples:
  warpscope plot access-pattern mm.wtrace -o pattern
  warpscope plot miss-classes "4 ways"=four.json "8 ways"=eight.json -o ways
  warpscope plot sweep mm.json --split replacement -o policies

Exit status: 0; 2 bad input.
"""
import importlib

from warpscope.base.errors import InputError, printable

KINDS = ("access-pattern", "miss-classes", "reuse", "sweep", "configurations")


def main(words):
    """Draws what the first word names; the others are that plot's."""
    if not words or words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if words else 2
    if words[0] not in KINDS:
        raise InputError(f"plot {printable(words[0])}: expected one of {', '.join(KINDS)}; see warpscope plot --help")
    # Each needs what the others do not, and all need matplotlib.
    return importlib.import_module(f"warpscope.show.plots.{words[0].replace('-', '_')}").main(words[1:])
