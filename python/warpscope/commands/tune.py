"""warpscope tune: finds the variant of a kernel with the fewest simulated cycles.

warpscope tune KERNEL.cl|KERNEL.cu PARAMETER... [options below] [options of trace-kernel]
warpscope tune --t1 PROBLEM.json [options below]

Parameters. A list has values and ranges: 8,16,32 or 8-64:8 (steps of 8) or 8-256*2 (doubling):
  -D NAME=LIST             a macro; with a single value it is the same for all variants
  --local SIZE,SIZE...     the work-group's size: 8x8,16x16,32x8
  --carveout LIST          KiB that local memory has of a memory that it shares with the L1
  --what-if CHANGE:OBJECT=VALUE,VALUE...  a change of warpscope what-if; the value none changes nothing: pad:tile=none,+1
  --list FILE              instead of these: the variants in a CSV file with a line of names, or in Kernel Tuner's T4 JSON
  --t1 FILE                instead of all: parameters, conditions and kernel of Kernel Tuner's T1 JSON
  --restrict EXPRESSION    only variants for which it is true: 'TILE*TILE <= 1024'. Knows parameters, macros of the launch file, and
                           gx gy gz lx ly lz (global and local size); may be repeated
Search:
  --by MODEL[@GPU],...     the model whose predicted time is to be small: hong-kim, dasgupta, gpuperf, spt or roofline, on --gpu or on its
                           own GPU (warpscope model --rank --help). Others after it, and the cycles, are compared with it
  --strategy STRATEGY      all; random; greedy: hill climbing over neighbouring values, with new starts (default: all if
                           --max-simulations allows it, else greedy)
  --max-simulations N      of how many variants (default: all)
  --seed S                 of random and greedy (default 1)
  --objective NAME         what is to be small: cycles, or another measure of warpscope what-if, such as l1_misses
                           (default: the first of --by, else cycles, with --clock fixed l1_to_l2_read_sectors)
Simulation:
  --gpu GPU                a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)
  --set KEY=VALUE          another value for a key of the GPU; may be repeated
  --clock CLOCK            both (default), or fixed: only the fixed order, which is faster and knows no cycles
  --jobs N                 variants at a time (default: the processors of this machine)
Results:
  -o, --output FOLDER      answers, results.json (T4) and results.csv (default warpscope-tune-NAME). What is there is not simulated
                           again: a run that was stopped goes on
  --t4 FILE, --csv FILE    results.json or results.csv, elsewhere, too
  --write-t1 FILE          the problem as T1 JSON
  --top N                  rows of the table (default 10)

Examples:
  warpscope tune mm_tiled.cl -D TILE=8,16,32 --gpu h100
  warpscope tune conv.cl -D W=16,32,64 -D H=1-8 --restrict 'W*H <= 256' --max-simulations 20
  warpscope tune mt_tiled.cl --what-if pad:tile=none,+1,+2 --gpu a100 --csv pads.csv
  warpscope tune mm_tiled.cl -D TILE=8,16,32 --by gpuperf@c2050,roofline --gpu k40

Exit status: 0; 2 bad input, or no variant is valid. A variant that does not compile or launch is a row that says why.
"""
from __future__ import annotations

import sys

from warpscope.base.errors import printable
from warpscope.explore.tuning import options, tuner


def _show_progress(progress: tuner.Progress) -> None:
    """One line that is written anew, on a terminal only."""
    best = "none valid yet" if progress.best is None else f"best {progress.best:,.10g}"
    print(f"\r\033[K[{progress.done}/{progress.of}] {printable(best)}", end="", file=sys.stderr, flush=True)


def main(words: list[str]) -> int:
    if not words or any(word in ("-h", "--help") for word in words):
        print((__doc__ or "").strip())
        return 0 if words else 2
    request = options.parse(words)
    is_terminal = sys.stderr.isatty()
    try:
        tuning = tuner.run(request, _show_progress if is_terminal else None)
    finally:
        if is_terminal:
            print("\r\033[K", end="", file=sys.stderr)
    for line in tuning.lines(options.whole("--top", request.top, 1, 10)):
        print(printable(line))
    return 0
