"""warpscope tune: finds the variant of a kernel with the fewest simulated cycles."""
from __future__ import annotations

from warpscope.base.errors import printable
from warpscope.base.options import shown_help
from warpscope.commands import tune_options
from warpscope.explore.tuning import tuner
from warpscope.run.experiment import Progress

HELP = f"""warpscope tune: finds the variant of a kernel with the fewest simulated cycles.

warpscope tune KERNEL.cl|KERNEL.cu PARAMETER... [options below] [options of trace-kernel]
warpscope tune --t1 PROBLEM.json [options below]

Parameters. A list has values and ranges: 8,16,32 or 8-64:8 (steps of 8) or 8-256*2 (doubling):
{tune_options.OPTIONS.text()}

Examples:
  warpscope tune mm_tiled.cl -D TILE=8,16,32 --gpu h100
  warpscope tune conv.cl -D W=16,32,64 -D H=1-8 --restrict 'W*H <= 256' --max-simulations 20
  warpscope tune mt_tiled.cl --what-if pad:tile=none,+1,+2 --gpu a100 --csv pads.csv
  warpscope tune mm_tiled.cl -D TILE=8,16,32 --by gpuperf@c2050,roofline --gpu k40

Exit status: 0; 2 bad input, or no variant is valid; 3 a tool was ended from outside: run it again. A variant that does not compile or launch is a row that says why."""


def main(words: list[str]) -> int:
    if shown_help(words, HELP, tune_options.OPTIONS, needs_words=True):
        return 0 if words else 2
    asked = tune_options.parse(words)
    line = Progress()

    def show(progress: tuner.Progress) -> None:
        best = "none valid yet" if progress.best is None else f"best {progress.best:,.10g}"
        line.say(progress.done, progress.of, printable(best))

    try:
        tuning = tuner.run(asked.request, show)
    finally:
        line.end()
    for text in tuning.lines(asked.top):
        print(printable(text))
    return 0
