"""One remedy for several arrays of a kernel: changes of one rule, each for another array, are simulated together.

A layout is changed for all arrays at once, so that the gain of all is what the developer wants to know."""
import dataclasses

from warpscope.explore.advice import gain, trial
from warpscope.explore.advice.proposal import Proposal
from warpscope.explore.whatif.question import Changes

RULES = ("column-wise", "array-of-structures", "bank-conflicts", "misaligned-base", "misaligned-rows", "set-conflicts")
FIRST_NUMBER = 1000  # of the files of these trials, after those of all others


@dataclasses.dataclass
class Given:
    """A change that pays."""

    proposal: object
    trial: object
    gain: object
    others: list      # further findings that it resolves


def _together(members):
    """The Proposal of all changes at once, for the finding of the first; None where two are about one array."""
    changes = [change for one in members for change in one.proposal.changes.layout]
    objects = [one.proposal.changes.layout[0].object for one in members]
    if len(set(objects)) < len(objects):
        return None
    first = members[0].proposal
    return Proposal(first.rule, first.finding, Changes(tuple(changes)), first.grade)


def _tried(proposal, number, benches, result, share):
    """(Trial, Gain) of a joint change; None where the budget has no work for it, or it does not pay."""
    bench, one = benches.of(proposal.kernels), trial.Trial(proposal)
    if not benches.work.take(bench.fixed_work):
        return None
    bench.fixed(one, number)
    if one.state != "tried" or (grade := gain.promises(one)) is None:
        return None
    if bench.known_timed is not None and not (benches.work.take(bench.timed_work) and bench.timed(one, number)):
        return None
    its_gain = gain.of_trial(one, grade, result, share)
    return (one, its_gain) if its_gain else None


def joined(given, benches, result, share):
    """The Given, largest gain first, where those of one rule and kernel that gain more together are one. `share`: of kernels, of the program's
    cycles."""
    by_rule = {}
    for one in given:
        if one.proposal.rule in RULES:
            by_rule.setdefault((one.proposal.rule, one.proposal.kernels), []).append(one)
    for number, members in enumerate(by_rule.values(), FIRST_NUMBER):
        proposal = _together(members) if len(members) > 1 else None
        found = _tried(proposal, number, benches, result, share(proposal.kernels)) if proposal else None
        if found and found[1].whole > (1 + gain.EXACT_PART) * max(one.gain.whole for one in members):
            others = [*members[0].others, *(finding for one in members[1:] for finding in (one.proposal.finding, *one.others))]
            given = [one for one in given if one not in members] + [Given(proposal, *found, others)]
    return sorted(given, key=lambda one: -one.gain.whole)
