"""What changed between two results, as a dictionary: the JSON of warpscope diff, which its text and its page show."""
import os

from warpscope.explore.compare import matching, sources
from warpscope.result import kernels, measures, program, rates, results

SCHEMA = 1
PROGRAM = "program"  # of a change of the context: another compiler made the code
MODEL = "model version"  # the same input gets other numbers: docs/reference/model-changes.md
KINDS = ("load", "store", "atomic")
CACHE = ("size_kib", "line_bytes", "sector_bytes", "ways", "replacement", "write_policy", "private_write_policy", "set_index")
SAME = ("coalescing", "cores", "warp_size", "seed", "sampling")


def _named(result):
    preset = result["context"].get("preset")
    return preset["name"] if preset else "none"


def context_changes(before, after):
    """Settings in which two results differ: [{"what", "before", "after"}]. Then not only the program has changed."""
    old, new = before["context"], after["context"]
    programs = [program.front_end(one) for one in (before, after)]
    found = [(PROGRAM, *(programs if all(programs) else ("", ""))), ("GPU", _named(before), _named(after))]
    found.append((MODEL, *(context.get("model_version", "none") for context in (old, new))))
    values = [results.preset_values(one) for one in (before, after)]
    if _named(before) == _named(after):
        found += [(f"GPU, {key}", values[0].get(key), values[1].get(key)) for key in dict.fromkeys([*values[0], *values[1]])]
        found += [(f"cache, {key}", old["cache"].get(key), new["cache"].get(key)) for key in CACHE]
        found += [(key.replace("_", " "), old.get(key), new.get(key)) for key in SAME]
    found.append(("policy", *((context.get("schedule") or {}).get("policy") for context in (old, new))))
    found.append(("cut short", *(bool(context.get("partial")) for context in (old, new))))
    return [{"what": what, "before": one, "after": other} for what, one, other in found if one != other]


def all_launches_timed(result):
    """Whether the result has a timed part that covers all of its launches."""
    counted = result.get("clocks") or {}
    return "timed" in result and counted.get("timed_launches") == counted.get("launches")


def _not_timed(before, after):
    """Why the timed clock cannot be compared; None if it can."""
    for when, result in (("before", before), ("after", after)):
        if "timed" not in result:
            return f"{when} has no timed result ({(result.get('clocks') or {}).get('why') or 'not simulated'})"
        if not all_launches_timed(result):
            return f"{when} has only some launches timed ({result['clocks']['why']})"
    return None


def _access(access):
    """What is compared of a source access. Cost: the cycles that it occupies the banks of local and constant memory, and what it
    asks the L1 and the L2 for; its unit is events, and it only says what comes first."""
    outside = access.local["wavefronts"] + access.constant["wavefronts"]
    return {"requests": access.requests + access.local["requests"] + access.constant["requests"], "transactions": access.transactions,
            "misses": access.missed, "l1_wavefronts": access.wavefronts, "local_wavefronts": access.local["wavefronts"],
            "constant_wavefronts": access.constant["wavefronts"], "cost": access.transactions + access.missed + outside}


def _place(access):
    if access is None:
        return None
    return {"file": access.file or None, "line": access.line or None, "column": access.column or None, "kernels": access.kernels,
            "kind": access.kind, "space": access.space, "buffers": access.buffers, "copies": access.copies, "name": access.name(),
            "where": access.where(), **_access(access)}


def _lines(before, after, pairs, kernels):
    """Source accesses, those that changed most first."""
    rows = []
    for old, new in matching.source_accesses(before, after, pairs, kernels):
        left, right = _place(old), _place(new)
        rows.append({"change": (right["cost"] if right else 0) - (left["cost"] if left else 0), "before": left, "after": right})
    at = {"file": "", "line": 0, "column": 0}
    rows.sort(key=lambda row: (-abs(row["change"]), *((row["after"] or row["before"])[key] or at[key] for key in at)))
    return rows


def _kernel(one):
    return {name: one[name] for name in ("launches", "transactions", "looked_up", "misses", "timed_cycles")}


def _kernels_of(result):
    timed = result.get("timed") if all_launches_timed(result) else None
    return result.get("kernels") or kernels.of_groups(result, timed)


def _kernels(before, after, found):
    left, right = ({one["kernel"]: one for one in _kernels_of(result)} for result in (before, after))
    names = [*found.items(), *((name, None) for name in left if name not in found),
             *((None, name) for name in right if name not in found.values())]
    rows = [{"before": {"kernel": old, **_kernel(left[old])} if old is not None else None,
             "after": {"kernel": new, **_kernel(right[new])} if new is not None else None} for old, new in names]

    def change(row):
        sides = [row[when] or {} for when in ("before", "after")]
        cycles = abs((sides[0].get("timed_cycles") or 0) - (sides[1].get("timed_cycles") or 0))
        return -cycles, -abs(sides[0].get("transactions", 0) - sides[1].get("transactions", 0))

    return sorted(rows, key=change)


def _group(group):
    kinds = [group[kind] for kind in KINDS]
    local = group.get("local_memory") or {}
    return {"requests": sum(kind["requests"] for kind in kinds) + (local.get("requests") or 0),
            "transactions": sum(kind["transactions"] for kind in kinds), "misses": sum(map(rates.missed, kinds)),
            "local_wavefronts": local.get("wavefronts"), "local_conflicts": local.get("conflicts")}


def _cycles(result):
    """Launch number -> cycles; where groups have no single launches, the mean of a group."""
    timed = result.get("timed")
    if not timed:
        return {}
    if "launches" in timed:
        return {launch["launch"]: launch["timing"]["cycles"] for launch in timed["launches"]}
    return {number: group["timing"]["cycles"] / group["count"] for group in timed["launch_groups"] if "timing" in group
            for number in matching.numbers(group["launches"])}


def _launches(before, after, kernels):
    cycles = [_cycles(before), _cycles(after)]
    rows = []
    for old, new, pairs in matching.launches(before, after, kernels):
        sides = []
        for side, group in enumerate((old, new)):
            timed = [cycles[side].get(pair[side]) for pair in pairs]
            sides.append({"kernel": group["kernel"], "first": pairs[0][side], "global": list(group["global"]), "local": list(group["local"]),
                          **_group(group), "cycles": None if None in timed else sum(timed) / len(timed)})
        rows.append({"count": len(pairs), "before": sides[0], "after": sides[1]})
    return rows


def _sources(before, after, pairs):
    return [{"before": before["sources"][pair.before]["name"], "after": after["sources"][pair.after]["name"], "changed": len(pair.changed),
             "removed": pair.removed, "added": pair.added} for pair in pairs]


def between(before, after, names):
    """The comparison of two results (dictionaries as results.load() gives them). `names`: what their files are called.

    Counts are per launch in `launches`, else of all launches; `ratio` is after / before, null where that has no value."""
    pairs = sources.match(before, after)
    kernels = matching.kernels([one["kernel"] for one in _kernels_of(before)], [one["kernel"] for one in _kernels_of(after)])
    why = _not_timed(before, after)
    fixed = measures.compared(measures.fixed(before), measures.fixed(after))
    timed = None if why else measures.compared(measures.timed(before["timed"]), measures.timed(after["timed"]))
    count = [results.launch_count(result) for result in (before, after)]
    launches = _launches(before, after, kernels)
    shown = [os.path.basename(str(name)) for name in names]
    if shown[0] == shown[1]:
        shown = [os.path.join(*os.path.normpath(str(name)).split(os.sep)[-2:]) for name in names]
    return {
        "schema": SCHEMA, "before": _side(shown[0], before, count[0]), "after": _side(shown[1], after, count[1]),
        "context": context_changes(before, after), "fixed": fixed, "timed": timed, "not_timed": why,
        "lines": _lines(before, after, pairs, kernels), "kernels": _kernels(before, after, kernels), "launches": launches,
        "launches_without_partner": {"before": count[0] - sum(row["count"] for row in launches),
                                     "after": count[1] - sum(row["count"] for row in launches)},
        "sources": _sources(before, after, pairs),
    }


def _side(name, result, launches):
    return {"name": name, "gpu": _named(result), "launches": launches}
