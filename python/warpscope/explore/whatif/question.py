"""What a what-if asks: a capture, changes of the layout, and changes of the machine. The command reads it from its words."""
import dataclasses

from warpscope.run.request import Gpu, Machine, Request, Selection


@dataclasses.dataclass(frozen=True)
class Question:
    """`changes`: words for trace-change; `machine`: of the changed simulation alone. `output`: file for the changed capture; `work_group`:
    the size of work-groups with which the kernel runs again, 16x16. `gpu` None is the default one."""

    capture: str
    changes: tuple = ()
    machine: Machine = Machine()
    readonly: tuple = ()
    work_group: str | None = None
    gpu: str | None = None
    clock: str = "auto"
    launch: str | None = None
    kernel: str | None = None
    output: str | None = None

    def request(self, gpu, changed):
        """One of both simulations; the one before has no change of the machine."""
        before = Request(Gpu(gpu), clock=self.clock, chosen=Selection(self.launch, self.kernel))
        return self.machine.of(before) if changed else before
