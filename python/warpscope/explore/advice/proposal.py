"""A change that may help, as a rule proposes it before anything is simulated."""
import dataclasses
import typing

# What the numbers that a change moves rest on; decides how large a gain must be (gain.py).
EXACT, MODELLED, ESTIMATED = "exact", "modelled", "estimated"


@dataclasses.dataclass
class Proposal:
    """One what-if. `finding` is the summary.finding.Finding that it is for."""

    rule: str            # name in catalogue.RULES, finer than the finding's: "array-of-structures" where that is "uncoalesced"
    finding: typing.Any
    changes: typing.Any      # explore.whatif.question.Changes
    grade: str = EXACT

    @property
    def key(self):
        """What is simulated: the change, in the launches of some kernels."""
        return (self.kernels, self.changes)

    @property
    def kernels(self):
        """The kernels that the finding is about; () for all."""
        return tuple(self.finding.kernels)


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule of advice. `{object}` in its texts is the buffer or array that it is about."""

    name: str
    looked_for: str      # for the page, as is `tried`
    tried: str
    title: str           # the cause in a few words, for the summary; empty: the finding has it
    condition: str
    remedy: str
    opencl: str
    cuda: str
    page: str            # page of docs/concepts
    pairs: str = ""      # launches of validation/truth that differ in this; empty: not checked on hardware
