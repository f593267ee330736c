"""Which changes are tried for which finding: a rule of the summary, and the functions that propose changes for what it finds.

A rule without a function here is an observation: it says what costs, and claims no gain.
"""
from warpscope.explore.advice import groups, indices, layouts, machines

MODULES = (layouts, groups, indices, machines)  # whose RULES are known, in the order of the page
OF_FINDING = {
    "bank-conflicts": (layouts.bank_conflicts,),
    "uncoalesced": (layouts.uncoalesced, groups.narrow, indices.unsorted),
    "set-conflicts": (layouts.set_conflicts,),
    "capacity": (layouts.capacity, machines.carveout),
    "lost-order": (layouts.group_order,),
    "invalidated": (layouts.invalidated,),
    "read-only": (machines.read_only,),
    "idle-cores": (groups.idle_cores,),
    "few-warps": (machines.few_warps, groups.few_warps),
}


def proposals(case, finding):
    """What may help against a finding, the most likely first."""
    return [one for propose in OF_FINDING.get(finding.rule, ()) for one in propose(case, finding)]
