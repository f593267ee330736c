"""What is asked of a simulation. A command builds it once from its words, and it becomes words of the tools here."""
import dataclasses

from warpscope.base.errors import InputError


def given(**options):
    """The words of those options that have a value."""
    return [word for name, value in options.items() if value is not None for word in (f"--{name.replace('_', '-')}", value)]


@dataclasses.dataclass(frozen=True)
class Gpu:
    """A preset, by name or as a file, with other values for some of its keys (KEY=VALUE). `is_default`: nobody has named it."""

    name: str
    changes: tuple = ()
    carveout: str | None = None  # KiB
    is_default: bool = False

    def words(self):
        return ["--gpu", self.name, *(word for change in self.changes for word in ("--set", change)), *given(carveout=self.carveout)]


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which launches of a capture (numbers such as 0,3-7, names of kernels), and with how many registers."""

    launch: str | None = None
    kernel: str | None = None
    registers: str | None = None

    def words(self):
        return given(launch=self.launch, kernel=self.kernel, registers=self.registers)


@dataclasses.dataclass(frozen=True)
class LayoutChange:
    """A change of where data lies. `kind`: its name in trace-change, such as pad; `value`: what it has there, such as tile=+1."""

    kind: str
    value: str

    @property
    def object(self):
        """The buffer or array that is changed."""
        return self.value.partition("=")[0]

    def words(self):
        return [f"--{self.kind}", self.value]

    def text(self):
        """As a user writes it."""
        return " ".join(self.words())


@dataclasses.dataclass(frozen=True)
class Machine:
    """Changes of the machine: KEY=VALUE of its keys, KiB of local memory, registers per work-item."""

    changes: tuple = ()
    carveout: str | None = None
    registers: str | None = None

    def __bool__(self):
        return self != Machine()

    def words(self):
        return [*(word for change in self.changes for word in ("--set", change)), *given(carveout=self.carveout, registers=self.registers)]

    def texts(self):
        """As a user writes them."""
        words = self.words()
        return [f"{name} {value}" for name, value in zip(words[::2], words[1::2])]

    def of(self, request):
        """A Request with these changes."""
        gpu = dataclasses.replace(request.gpu, changes=(*request.gpu.changes, *self.changes), carveout=self.carveout or request.gpu.carveout)
        chosen = dataclasses.replace(request.chosen, registers=self.registers or request.chosen.registers)
        return dataclasses.replace(request, gpu=gpu, chosen=chosen)


@dataclasses.dataclass(frozen=True)
class Fixed:
    """What only the fixed order takes. `cache`: SIZE_KIB,LINE,WAYS,REPLACEMENT,WRITE."""

    policy: str = "warp"
    cache: str | None = None
    set_index: str | None = None
    repeat: str | None = None

    def named(self):
        """The first option given, which the timed engine does not take; None without one."""
        usual, order = Fixed(), ("cache", "set_index", "repeat", "policy")
        return next((f"--{name.replace('_', '-')}" for name in order if getattr(self, name) not in (None, getattr(usual, name))), None)

    def cache_words(self):
        words = self.cache.split(",") if self.cache else []
        if words and len(words) != 5:
            raise InputError(f"--cache {self.cache}: expected SIZE_KIB,LINE,WAYS,REPLACEMENT,WRITE such as 16,128,4,LRU,WTNA")
        return words

    def index_words(self):
        return given(set_index=self.set_index or None)


@dataclasses.dataclass(frozen=True)
class Request:
    """A simulation of a capture. `clock`: auto, fixed, timed or both; `no_timed`: why the timed engine does not take it, if that is known."""

    gpu: Gpu
    fixed: Fixed = Fixed()
    clock: str = "auto"
    chosen: Selection = Selection()
    budget: str | None = None
    no_timed: str = ""

    def machine_words(self):
        """The cache and the GPU for cachesim."""
        return [*self.fixed.cache_words(), *self.gpu.words(), *self.fixed.index_words()]
