"""What a what-if asks: a capture, changes of the layout in the words of trace-change, and changes of the machine."""
import dataclasses

from warpscope.base.errors import InputError
from warpscope.base.options import LAST, MANY, Option, Options, given_twice, no_value
from warpscope.run.request import Gpu, Request, Selection

CHANGES = Options(
    Option("--pad", "OBJECT=+ELEMENTS", "rows get longer; the row is found, and printed"),
    Option("--pitch", "OBJECT=OLD:NEW", "rows of OLD elements become rows of NEW elements"),
    Option("--align", "OBJECT=BYTES", "the first accessed byte moves up to a multiple of BYTES"),
    Option("--offset", "OBJECT=BYTES", "every byte moves by BYTES"),
    Option("--swizzle", "OBJECT=ROWBYTES[:UNIT]", "piece c of row r goes to c XOR r"),
    Option("--split", "OBJECT=STRUCTBYTES[:FIELD,...]", "an array of structures becomes one array per field"),
    Option("--transpose", "OBJECT=ROWSxCOLS:ELEMBYTES", "matrices by rows are stored by columns"),
    Option("--bypass", "OBJECT", "accesses do not look the L1 up"),
    Option("--sort-index", "OBJECT", "as if the values of this index array were sorted"),
    Option("--widen", "FILE:LINE[-LAST]", "neighbouring loads of a work-item become wide loads"),
    Option("--groups", "tile:WxH|morton", "another order of work-groups"),
    Option("--readonly", "OBJECT", "loads take the read-only path (LDG), where the GPU has one of its own"),
    Option("--work-group", "WxH", "runs the kernel of the capture again, with work-groups of this size"),
    column=36)
OPTIONS = Options(
    "Changes of the machine, which the simulation before does not have:",
    Option("--set", "KEY=VALUE", "another value for a key of the GPU; warpscope --show-preset GPU lists the keys", kind=MANY),
    Option("--carveout", "KIB", "what local memory has of a memory that it shares with the L1"),
    Option("--registers", "N", "registers per work-item"),
    "Options of both simulations:",
    Option("--gpu", "GPU", "a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)", hidden="--preset"),
    Option("--clock", "CLOCK", "auto (default), fixed, timed, both: as warpscope", kind=LAST, default="auto"),
    Option("--launch", "LIST", "only these launches: 0,3-7"),
    Option("--kernel", "NAME[,NAME]", "only these kernels"),
    Option("--output", "FILE", "keeps the changed capture", alias="-o"),
    Option("--json", "FILE", "the comparison as JSON (- = standard output)"))
LISTS = ("set", "readonly")
MACHINE = ("--set", "--carveout", "--registers")


@dataclasses.dataclass(frozen=True)
class Question:
    """`changes`: words for trace-change; `set`, `carveout` and `registers` are of the changed simulation alone. `output` and `json`: files
    for the changed capture and the comparison."""

    capture: str | None = None
    changes: tuple = ()
    gpu: str | None = None
    clock: str = "auto"
    launch: str | None = None
    kernel: str | None = None
    output: str | None = None
    json: str | None = None
    carveout: str | None = None
    registers: str | None = None
    set: tuple = ()
    readonly: tuple = ()
    work_group: str | None = None

    def machine(self):
        """The changes of the machine, as a user wrote them."""
        said = [*(("--set", change) for change in self.set), ("--carveout", self.carveout), ("--registers", self.registers)]
        return [f"{name} {value}" for name, value in said if value is not None]

    def request(self, gpu, changed):
        """One of both simulations; the one before has no change of the machine."""
        if not changed:
            return Request(Gpu(gpu), clock=self.clock, chosen=Selection(self.launch, self.kernel))
        return Request(Gpu(gpu, self.set, self.carveout), clock=self.clock, chosen=Selection(self.launch, self.kernel, self.registers))


def _known():
    return {f"--{field.name.replace('_', '-')}": field.name for field in dataclasses.fields(Question) if field.name not in ("capture", "changes")}


def parse(words):
    """The Question of these words."""
    known, values, changes, queue = _known(), {}, [], list(words)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        name = OPTIONS.by_name[name].name if name in OPTIONS.by_name else name
        if not word.startswith("-"):
            if "capture" in values:
                raise InputError(f"'{word}': there is a capture already ({values['capture']}), expected a change such as --pad tile=+1")
            values["capture"] = word
            continue
        if not equals and not queue:
            raise no_value(word)
        value = value if equals else queue.pop(0)
        field = known.get(name)
        if field is None:
            changes += [name, value]
        elif field in LISTS:
            values[field] = (*values.get(field, ()), value)
        elif field != "clock" and field in values:
            raise given_twice(name, value, values[field])
        else:
            values[field] = value
    asked = Question(changes=tuple(changes), **values)
    if asked.capture is None:
        raise InputError("no capture given, expected warpscope what-if CAPTURE CHANGE...; --help has examples")
    if not changes and not (asked.machine() or asked.readonly or asked.work_group):
        raise InputError("no change given, expected one such as --pad tile=+1 or --set l1_size_kib=48; --help lists them")
    return asked


def with_machine(request, words):
    """A request with changes of the machine, options and values by turns, as MACHINE names them."""
    for name, value in zip(words[::2], words[1::2]):
        if name == "--set":
            request = request.with_gpu(changes=(*request.gpu.changes, value))
        elif name == "--carveout":
            request = request.with_gpu(carveout=value)
        else:
            request = dataclasses.replace(request, chosen=dataclasses.replace(request.chosen, registers=value))
    return request
