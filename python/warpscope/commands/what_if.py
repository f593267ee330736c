"""What another layout or machine would change: simulates a changed capture, and prints both.

warpscope what-if CAPTURE CHANGE... [options]

Changes of the layout. OBJECT is a buffer, an argument, or a local or private array:
  --pad OBJECT=+ELEMENTS            rows get longer; the row is found, and printed
  --pitch OBJECT=OLD:NEW            rows of OLD elements become rows of NEW elements
  --align OBJECT=BYTES              the first accessed byte moves up to a multiple of BYTES
  --offset OBJECT=BYTES             every byte moves by BYTES
  --swizzle OBJECT=ROWBYTES[:UNIT]  piece c of row r goes to c XOR r
  --split OBJECT=STRUCTBYTES[:FIELD,...]  an array of structures becomes one array per field
  --transpose OBJECT=ROWSxCOLS:ELEMBYTES  matrices by rows are stored by columns
  --bypass OBJECT                   accesses do not look the L1 up
  --sort-index OBJECT               as if the values of this index array were sorted
  --widen FILE:LINE[-LAST]          neighbouring loads of a work-item become wide loads
  --groups tile:WxH|morton          another order of work-groups
  --readonly OBJECT                 loads take the read-only path (LDG), where the GPU has one of its own
  --work-group WxH                  runs the kernel of the capture again, with work-groups of this size
Changes of the machine, which the simulation before does not have:
  --set KEY=VALUE      another value for a key of the GPU; warpscope --show-preset GPU lists the keys
  --carveout KIB       what local memory has of a memory that it shares with the L1
  --registers N        registers per work-item
Options of both simulations:
  --gpu GPU            a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)
  --clock CLOCK        auto (default), fixed, timed, both: as warpscope
  --launch LIST        only these launches: 0,3-7
  --kernel NAME[,NAME] only these kernels
  -o, --output FILE    keeps the changed capture
  --json FILE          the comparison as JSON (- = standard output)

Examples:
  warpscope what-if mt.wtrace --pad tile=+1
  warpscope what-if nbody.wtrace --split bodies=16:4,4,4,4 --gpu h100
  warpscope what-if mm.wtrace --groups tile:4x4 --set l1_size_kib=48 --json -

Exit status: 0; 2 bad input; 3 an access does not fit the change (its source line is named), or a launch does not fit the GPU.
"""
import json
import sys

from warpscope.base import files
from warpscope.base.errors import printable
from warpscope.explore import whatif
from warpscope.explore.whatif import question
from warpscope.show.page import comparisons


def run(words):
    """warpscope what-if: prints the comparison, returns the exit status."""
    if any(word.partition("=")[0] in ("-h", "--help") for word in words):
        print(__doc__.strip())
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
