"""warpscope what-if: what another layout or machine would change."""
import json
import sys

from warpscope.base import files
from warpscope.base.errors import printable
from warpscope.base.options import shown_help
from warpscope.explore import whatif
from warpscope.explore.whatif import question
from warpscope.show.page import comparisons

HELP = f"""What another layout or machine would change: simulates a changed capture, and prints both.

warpscope what-if CAPTURE CHANGE... [options]

Changes of the layout. OBJECT is a buffer, an argument, or a local or private array:
{question.CHANGES.text()}
{question.OPTIONS.text()}

Examples:
  warpscope what-if mt.wtrace --pad tile=+1
  warpscope what-if nbody.wtrace --split bodies=16:4,4,4,4 --gpu h100
  warpscope what-if mm.wtrace --groups tile:4x4 --set l1_size_kib=48 --json -

Exit status: 0; 2 bad input; 3 an access does not fit the change (its source line is named), or a launch does not fit the GPU."""


def run(words):
    """warpscope what-if: prints the comparison, returns the exit status."""
    if shown_help(words, HELP):
        return 0
    asked = question.parse(words)
    comparison, status = whatif.answer(asked)
    to = sys.stderr if asked.json == "-" else sys.stdout
    print("\n".join(printable(line) for line in whatif.text_of(comparison)), file=to)
    if asked.json is not None:
        files.write_or_print(asked.json, json.dumps(comparison, indent=1) + "\n")
    if noted := comparisons.note(asked.capture, comparison):
        print(f"Added to {printable(str(noted))}", file=to)
    return status
