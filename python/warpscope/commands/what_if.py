"""warpscope what-if: what another layout or machine would change."""
import json
import sys

from warpscope.base import files
from warpscope.base.errors import InputError, printable
from warpscope.base.options import LAST, MANY, Option, Options, given_twice, no_value, not_an_option, shown_help
from warpscope.explore import whatif
from warpscope.explore.whatif.question import Changes, Question
from warpscope.run.request import LayoutChange, Machine
from warpscope.show.page import comparisons

CHANGES = Options(
    Option("--pad", "OBJECT=+ELEMENTS", "rows get longer; the row is found, and printed"),
    Option("--pitch", "OBJECT=OLD:NEW", "rows of OLD elements become rows of NEW elements"),
    Option("--align", "OBJECT=BYTES", "the first accessed byte moves up to a multiple of BYTES"),
    Option("--offset", "OBJECT=BYTES", "every byte moves by BYTES", rare=True),
    Option("--swizzle", "OBJECT=ROWBYTES[:UNIT]", "piece c of row r goes to c XOR r"),
    Option("--split", "OBJECT=STRUCTBYTES[:FIELD,...]", "an array of structures becomes one array per field"),
    Option("--transpose", "OBJECT=ROWSxCOLS:ELEMBYTES", "matrices by rows are stored by columns"),
    Option("--bypass", "OBJECT", "accesses do not look the L1 up"),
    Option("--sort-index", "OBJECT", "as if the values of this index array were sorted", rare=True),
    Option("--widen", "FILE:LINE[-LAST]", "neighbouring loads of a work-item become wide loads", rare=True),
    Option("--groups", "tile:WxH|morton", "another order of work-groups"),
    Option("--readonly", "OBJECT", "loads take the read-only path (LDG), where the GPU has one of its own"),
    Option("--work-group", "WxH", "runs the kernel of the capture again, with work-groups of this size"),
    column=36)
OPTIONS = Options(
    "Changes of the machine, which the simulation before does not have:",
    Option("--set", "KEY=VALUE", "another value for a key of the GPU; warpscope --show-preset GPU lists the keys", kind=MANY),
    Option("--carveout", "KIB", "what local memory has of a memory that it shares with the L1", rare=True),
    Option("--registers", "N", "registers per work-item", rare=True),
    "Options of both simulations:",
    Option("--gpu", "GPU", "a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)", hidden="--preset"),
    Option("--clock", "CLOCK", "auto (default), fixed, timed, both: as warpscope", kind=LAST, default="auto"),
    Option("--launch", "LIST", "only these launches: 0,3-7"),
    Option("--kernel", "NAME[,NAME]", "only these kernels"),
    Option("--output", "FILE", "keeps the changed capture", alias="-o"),
    Option("--json", "FILE", "the comparison as JSON (- = standard output)"))
# Those of a Question.
ONCE_EACH = ("--gpu", "--launch", "--kernel", "--output")
HELP = f"""What another layout or machine would change: simulates a changed capture, and prints both.

warpscope what-if CAPTURE CHANGE... [options]

Changes of the layout. OBJECT is a buffer, an argument, or a local or private array:
{CHANGES.text()}
{OPTIONS.text()}

Examples:
  warpscope what-if mt.wtrace --pad tile=+1
  warpscope what-if nbody.wtrace --split bodies=16:4,4,4,4 --gpu h100
  warpscope what-if mm.wtrace --groups tile:4x4 --set l1_size_kib=48 --json -

Exit status: 0; 2 bad input; 3 an access does not fit the change (its source line is named), or a launch does not fit the GPU."""


def parse(words):
    """(Question, file of --json or None) of these words; a change of the layout is OPTION VALUE as trace-change takes it. Raises InputError."""
    capture, layout, lists, once, queue = None, [], {"--set": [], "--readonly": []}, {}, list(words)
    refuse = not_an_option("warpscope what-if")
    ours = {*lists, *ONCE_EACH, "--work-group", "--clock", "--carveout", "--registers", "--json"}
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        name = OPTIONS.by_name[name].name if name in OPTIONS.by_name else name
        if not word.startswith("-"):
            if capture is not None:
                raise InputError(f"'{word}': there is a capture already ({capture}), expected a change such as --pad tile=+1")
            capture = word
            continue
        if name not in ours and name not in CHANGES.by_name:
            refuse(word)
        if not equals and not queue:
            raise no_value(word)
        value = value if equals else queue.pop(0)
        if name not in ours:
            layout.append(LayoutChange(name[2:], value))
        elif name in lists:
            lists[name].append(value)
        elif name != "--clock" and name in once:
            raise given_twice(name, value, once[name])
        else:
            once[name] = value
    if capture is None:
        raise InputError("no capture given, expected warpscope what-if CAPTURE CHANGE...; --help has examples")
    machine = Machine(tuple(lists["--set"]), once.get("--carveout"), once.get("--registers"))
    changes = Changes(tuple(layout), machine, tuple(lists["--readonly"]), once.get("--work-group"))
    asked = Question(capture, changes, clock=once.get("--clock", "auto"), **{name[2:]: once[name] for name in ONCE_EACH if name in once})
    if not changes:
        raise InputError("no change given, expected one such as --pad tile=+1 or --set l1_size_kib=48; --help lists them")
    return asked, once.get("--json")


def run(words):
    """warpscope what-if: prints the comparison, returns the exit status."""
    if shown_help(words, HELP, CHANGES, OPTIONS):
        return 0
    asked, json_file = parse(words)
    comparison, status = whatif.answer(asked)
    to = sys.stderr if json_file == "-" else sys.stdout
    print("\n".join(printable(line) for line in whatif.text_of(comparison)), file=to)
    if json_file is not None:
        files.write_or_print(json_file, json.dumps(comparison, indent=1) + "\n")
    if noted := comparisons.note(asked.capture, comparison):
        print(f"Added to {printable(str(noted))}", file=to)
    return status
