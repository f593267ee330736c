"""What a what-if asks: a capture, and changes of it and of the machine. The command reads it from its words, advice proposes it."""
import dataclasses

from warpscope.run.request import Gpu, Machine, Request, Selection, given


@dataclasses.dataclass(frozen=True)
class Changes:
    """`layout`: LayoutChanges, made in this order; `machine`: of the changed simulation alone; `readonly`: objects whose loads take the
    read-only path; `work_group`: the size of work-groups with which the kernel runs again, 16x16."""

    layout: tuple = ()
    machine: Machine = Machine()
    readonly: tuple = ()
    work_group: str | None = None

    def __bool__(self):
        return self != Changes()

    def words(self):
        """As a user writes them."""
        return [*(word for change in self.layout for word in change.words()), *self.machine.words(),
                *(word for name in self.readonly for word in given(readonly=name)), *given(work_group=self.work_group)]

    def text(self):
        return " ".join(self.words())


@dataclasses.dataclass(frozen=True)
class Question:
    """`output`: file for the changed capture. `gpu` None is the default one."""

    capture: str
    changes: Changes = Changes()
    gpu: str | None = None
    clock: str = "auto"
    launch: str | None = None
    kernel: str | None = None
    output: str | None = None

    def request(self, gpu, machine=Machine()):
        """The simulation on a GPU, with changes of it."""
        return machine.of(Request(Gpu(gpu), clock=self.clock, chosen=Selection(self.launch, self.kernel)))
