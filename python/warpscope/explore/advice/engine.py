"""Proposes, tries and judges: what `advice` of result.json holds.

Each finding of the summary is handed to its rule, which proposes what-ifs (rules.py). All are tried in the fixed order, those of costly
findings first. Those that promise something are tried cycle by cycle, the most promising first, if the result has cycles. Both end where the
budget of work does. Of each finding
the change with the largest gain is advice, if the gain exceeds its error (gain.py).
"""
import dataclasses
import tempfile

from warpscope.explore.advice import catalogue, gain, joint, observe, place, rules, trial
from warpscope.explore.advice.benches import Benches, share
from warpscope.explore.advice.case import Case
from warpscope.run import budget
from warpscope.run.experiment import Experiment, processors
from warpscope.show.summary import find

MOST_TRIALS, MOST_AT_ONCE = 40, 4
FIXED_PART = 2 / 3  # of the budget, that trials in the fixed order may take


def why_not(result, request):
    """Why no advice can be tried, in a phrase; empty where it can."""
    if result["context"].get("partial"):
        return "the capture was cut short"
    if result["context"].get("sampled_launches"):
        return "only some launches were simulated"
    if cores := result["context"].get("sampled_cores"):
        return f"only some cores were {'recorded' if cores['recorded'] else 'simulated'}"
    if option := request.fixed.named():
        return f"what-ifs are not simulated with {option}"
    return ""


def proposals_of(case):
    """All proposals, those of the costliest finding first; of equal changes the first."""
    cost = find.costs(case.findings, case.result)
    order = sorted(range(len(case.findings)), key=lambda number: (-cost[number], number))
    found = {}
    for number in order:
        if cost[number] >= find.LEAST_SHARE:
            for proposal in rules.proposals(case, case.findings[number]):
                found.setdefault((id(proposal.finding), proposal.key), proposal)
    return list(found.values())


def _trials_of(proposals):
    """{key: Trial}: equal changes are tried once."""
    first = {}
    for proposal in proposals:
        first.setdefault(proposal.key, trial.Trial(proposal))
    return first


def _try_fixed(benches, trials):
    """Tries them in the fixed order, as many as the budget has work for."""
    def cost(one):
        bench = benches.of(one.proposal.kernels)
        return bench.fixed_work if bench else None

    numbered = list(enumerate(trials[:MOST_TRIALS]))
    experiment = Experiment(lambda pair: benches.of(pair[1].proposal.kernels).fixed(pair[1], pair[0]), min(processors(), MOST_AT_ONCE), benches.folder, work=benches.work)
    chosen, others = experiment.affordable(numbered, lambda pair: cost(pair[1]), FIXED_PART)
    for one in [*(one for _, one in others), *trials[MOST_TRIALS:]]:
        one.why = "the budget is used"
    experiment.each(chosen)


def _try_timed(benches, promising):
    """Runs the timed engine over trials that promise something, the most promising first; those that the budget has no work for become
    "not tried"."""
    def worth(one):
        return gain.worth(one.fixed) * share(benches.result, one.proposal.kernels)

    def bench(pair):
        return benches.of(pair[1].proposal.kernels)

    best = [one for one in sorted(promising, key=lambda one: -worth(one)) if benches.of(one.proposal.kernels).known_timed is not None]
    experiment = Experiment(lambda pair: bench(pair).timed(pair[1], pair[0]), min(processors(), MOST_AT_ONCE), benches.folder, work=benches.work)
    chosen, others = experiment.affordable(list(enumerate(best)), lambda pair: bench(pair).timed_work)
    for pair in others:
        pair[1].state, pair[1].why = "not tried", f"cycle by cycle it is {budget.text_of(bench(pair).timed_work)} of work"
    for (_, one), is_taken in zip(chosen, experiment.each(chosen)):
        if not is_taken:
            one.state, one.why = "refused", "the timed engine does not take it"


def _entry(one, proposal, launches):
    """A trial of a proposal as JSON."""
    return {"rule": proposal.rule, "finding": proposal.finding.rule, **place.where(proposal.finding), "change": proposal.changes.words(),
            "launches": launches, "done": one.done, "not_simulated": one.not_simulated}


def _is_better(new, known):
    """Whether a (Trial, Gain) is to be named instead of another: the larger gain; of equal gains the change after which fewer instructions are issued,
    which is less to execute than what a layout's new addresses cost, and that no what-if simulates."""
    if abs(new[1].factor / known[1].factor - 1) > gain.EXACT_PART:
        return new[1].factor > known[1].factor
    issued = [one.timed["after"]["warp_instructions"] if one.timed else None for one, _ in (new, known)]
    return None not in issued and issued[0] < issued[1]


def _best(judged):
    """[Given]: of the changes that resolve one finding the best, the largest gain of the whole program first. What a change resolves that is
    already there gets no other one."""
    best = {}
    for proposal, one, its_gain in judged:
        known = best.get(id(proposal.finding))
        if known is None or _is_better((one, its_gain), known[1:]):
            best[id(proposal.finding)] = (proposal, one, its_gain)
    kept, done = [], set()
    for proposal, one, its_gain in sorted(best.values(), key=lambda found: -found[2].whole):
        if id(proposal.finding) in done:
            continue
        others = [other.finding for other, *_ in judged if other.key == proposal.key and other.finding is not proposal.finding
                  and id(other.finding) not in done]
        done |= {id(proposal.finding), *map(id, others)}
        kept.append(joint.Given(proposal, one, its_gain, others))
    return kept


def _sorted_out(advice, case, proposals, trials, benches):
    """Puts every proposal into one of the lists of `advice`."""
    judged = []
    for proposal in proposals:
        one = trials[proposal.key]
        grade = gain.promises(one) if one.state == "tried" else None
        its_gain = gain.of_trial(one, grade, case.result, share(case.result, proposal.kernels)) if grade else None
        bench = benches.of(proposal.kernels) if one.fixed else None
        entry = _entry(one, proposal, bench.launches if bench else "all")
        if its_gain:
            judged.append((proposal, one, its_gain))
        elif one.state == "tried":
            advice["no_gain"].append(entry)
        else:
            advice["refused" if one.state == "refused" else "not_tried"].append({**entry, "why": one.why})
    for one in joint.joined(_best(judged), benches, case.result, lambda kernels: share(case.result, kernels)):
        advice["given"].append(_given(one, case, benches.of(one.proposal.kernels).launches))


def _given(one, case, launches):
    """A change that pays, as JSON."""
    resolves = [{"finding": other.rule, **place.where(other)} for other in one.others]
    return {**_entry(one.trial, one.proposal, launches), "resolves": resolves, "gain": dataclasses.asdict(one.gain), "fixed": one.trial.fixed,
            "timed": one.trial.timed, **catalogue.texts(one.proposal, case)}


def of_capture(capture, request, result, limit, folder):
    """`advice` of a result.json (cachesim/RESULT.md), which was simulated for `request`. Trials simulate `limit` of work at most; 0: none. Tools
    write into `folder`; nothing is left there."""
    advice = {"budget": limit, "used": 0, "seconds": "is no longer limited: see budget and used",  # for one release
            "why_not": why_not(result, request), "observed": [], "given": [], "no_gain": [], "refused": [], "not_tried": []}
    if advice["why_not"] or limit == 0:
        return advice
    case = Case.of(result, capture)
    advice["observed"] = observe.as_json(case)
    proposals = proposals_of(case)
    if not proposals:
        return advice
    trials = _trials_of(proposals)
    with tempfile.TemporaryDirectory(prefix="advice.", dir=folder) as files:
        benches = Benches(capture, request, result, files, budget.Work(limit))
        _try_fixed(benches, list(trials.values()))
        _try_timed(benches, [one for one in trials.values() if one.state == "tried" and gain.promises(one)])
        _sorted_out(advice, case, proposals, trials, benches)
        advice["used"] = benches.work.used
    observe.correct_remedies(advice)
    return advice
