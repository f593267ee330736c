"""What follows from addresses alone, by source access, whatever it costs: bank conflicts, excess and partial sectors, replays.

Findings are what costs. These are told as well where they cost nothing now, or where the remedy that was simulated gains nothing: next to another L1, at
another size, they may."""
import dataclasses

from warpscope.result import accesses, rates
from warpscope.show.summary import find, words

MOST = 2  # of a kind that the summary has
KINDS = ("bank conflicts", "excess sectors", "partial sectors", "replays")
RULES = {"bank conflicts": ("bank-conflicts",), "excess sectors": ("uncoalesced", "scattered"), "partial sectors": (),
         "replays": ("divergent-constants", "uncoalesced", "scattered")}  # findings that say the same


@dataclasses.dataclass
class Fact:
    """`what`: the numbers in a phrase, in the profilers' units. `weight` orders those of a kind."""

    kind: str
    access: object
    what: str
    weight: float


def _number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _bank_conflicts(access, _machine):
    local = access.local
    if not local.get("conflicts"):
        return None
    passes = local["wavefronts"] - local["conflicts"]
    each = rates.per_request(local["wavefronts"], local["requests"])
    return Fact("bank conflicts", access, f"{_number(each)} wavefronts per request, {_number(local['wavefronts'] / passes)} per pass", local["conflicts"])


def _excess(access, machine):
    if not access.requests or access.space == "private" or access.kind == "atomic":
        return None
    best = machine.ideal(access)
    excess = access.transactions - best * access.requests
    if excess <= 0.005 * access.requests:
        return None
    each = rates.per_request(access.transactions, access.requests)
    return Fact("excess sectors", access, f"{_number(each)} {machine.unit} per request, ideal {_number(best)}", excess)


def _partial(access, machine):
    """Transactions of which a request uses only a part, though no other lanes would need fewer of them."""
    if not access.requests or access.space == "private" or access.kind == "atomic" or _excess(access, machine):
        return None
    used = accesses.wanted_bytes(access) / max(access.transactions, 1)
    if used >= 0.995 * machine.unit_bytes:
        return None
    most = "at most " if access.lanes > access.requests else ""  # lanes at one address use its bytes together
    return Fact("partial sectors", access, f"{most}{_number(used)} of {machine.unit_bytes} bytes of each of the {machine.unit} used",
                access.transactions * (machine.unit_bytes - used))


def _replays(access, machine):
    """Requests that the L1, or constant memory, serves in more than one wavefront though one would do."""
    constant = access.constant
    if constant.get("conflicts"):
        each = rates.per_request(constant["wavefronts"], constant["requests"])
        return Fact("replays", access, f"{_number(each)} wavefronts of constant memory per request, 1 would do", constant["conflicts"])
    if not access.requests or access.space == "private" or access.kind == "atomic":
        return None
    best = machine.ideal_wavefronts(access)
    each = rates.per_request(access.wavefronts, access.requests)
    if each <= best * 1.005:
        return None
    return Fact("replays", access, f"{_number(each)} wavefronts of the L1 per request, {_number(best)} would do", access.wavefronts - best * access.requests)


def facts(result):
    """{kind: [Fact]} of KINDS, those with most work first."""
    machine = find.machine_of(result)
    every = [fact for access in accesses.of_result(result) for rule in (_bank_conflicts, _excess, _partial, _replays) if (fact := rule(access, machine))]
    return {kind: sorted((fact for fact in every if fact.kind == kind), key=lambda fact: -fact.weight) for kind in KINDS}


def _is_told(fact, found):
    return any(finding.rule in RULES[fact.kind] and fact.access in (finding.access, *finding.also) for finding in found)


def untold(result, found):
    """The Facts that the findings `found` do not tell, by kind."""
    return [fact for every in facts(result).values() for fact in every if not _is_told(fact, found)]


def text(fact, several):
    """Where, which access and the numbers."""
    return f"{words.access_text(fact.access, several)}{fact.what}"


def lines(result, found, several, most=MOST, kinds=len(KINDS)):
    """A line for each of the first `kinds` kinds that the findings `found` do not tell, with the first `most` of it. `most` None: all, a line
    for each."""
    shown = []
    untold_ones = untold(result, found)
    told = KINDS if most is None else [kind for kind in KINDS if any(fact.kind == kind for fact in untold_ones)][:kinds]
    for kind, every in facts(result).items():
        left = [fact for fact in untold_ones if fact.kind == kind]
        if most is None:
            shown += [f"  {kind}: {text(fact, several)}" for fact in every]
        elif left and kind in told:
            more = f"; {len(left) - most:,} more in report.txt" if len(left) > most else ""
            shown.append(f"Exact, {kind}: {'; '.join(text(fact, several) for fact in left[:most])}{more}")
    if shown and (others := [kind for kind in KINDS if kind not in told and any(fact.kind == kind for fact in untold_ones)]):
        shown[-1] += f"; {', '.join(others)} in report.txt"
    return shown
