"""What a what-if asks: a capture, changes of the layout in the words of trace-change, and changes of the machine."""
import dataclasses

from warpscope.base.errors import InputError
from warpscope.run.request import Gpu, Request, Selection

LISTS = ("set", "readonly")
MACHINE = ("--set", "--carveout", "--registers")
ALIASES = {"-o": "--output", "--preset": "--gpu"}


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
        name = ALIASES.get(name, name)
        if not word.startswith("-"):
            if "capture" in values:
                raise InputError(f"'{word}': there is a capture already ({values['capture']}), expected a change such as --pad tile=+1")
            values["capture"] = word
            continue
        if not equals and not queue:
            raise InputError(f"{word}: has no value, expected one behind it")
        value = value if equals else queue.pop(0)
        field = known.get(name)
        if field is None:
            changes += [name, value]
        elif field in LISTS:
            values[field] = (*values.get(field, ()), value)
        elif field != "clock" and field in values:
            raise InputError(f"{name} {value}: was given already ({values[field]}), expected it once")
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
