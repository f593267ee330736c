"""What a rule has found: the unit that page, what-if and summary share."""
import dataclasses
import typing

EXACT, MODELLED, ESTIMATED = "exact", "modelled", "estimated"


@dataclasses.dataclass
class Finding:
    """One thing that costs time.

    `extra` is the work that would go away without it, by unit (machine.UNITS: wavefronts, or sectors of 32 bytes or lines).
    `share` is the part of the cycles that goes with it, 0 to 1, estimated; None where the timed engine did not run. `gain`: what the
    simulated remedy brings, cycles (or another counter, advice.gain.Gain) before ÷ after; None without advice.
    """

    rule: str           # name of the rule, such as "bank-conflicts"
    what: str           # the cause in a phrase, with its numbers
    grade: str          # of the numbers in `what`: EXACT, MODELLED or ESTIMATED
    extra: dict         # {unit: work}
    amount: str = ""    # the work that goes away, in a phrase
    access: typing.Any = None  # the accesses.Access it is about; None: the whole launch
    remedy: str = ""    # what to change, in a phrase
    what_if: str = ""   # options of `warpscope what-if` that try it; empty where none can
    share: float | None = None
    is_unmeasured: bool = False  # nothing here knows its cost: it is shown whatever that is
    gain: float | None = None
    advice: dict | None = None  # the entry of result["advice"]["given"] that the gain is from
    kernel: str = ""    # whose launches it is about; "" only where a result does not say
    also: list = dataclasses.field(default_factory=list)  # further accesses.Access that the same remedy is for

    @property
    def kernels(self):
        """The kernel in a list, as JSON has it; [] where it is not known."""
        return self.access.kernels if self.access else [self.kernel] if self.kernel else []


COSTLY = 0.05  # share of the cycles that makes a finding about an access one of the first


def order(finding, cost):
    """Sort key, the costliest first; before all others are those about accesses that cost a twentieth or more: what an access does is exact, and
    stays when a larger problem fills the cores."""
    return not (finding.access and cost >= COSTLY), -cost
