"""Faults as lines, and as SARIF 2.1.0 for tools that show them next to the code."""
from warpscope.base.errors import printable
from warpscope.explore.faults import find
from warpscope.result import kernels

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_LEVELS = {"error": "error", "warning": "warning", "information": "note"}
MEANINGS = {"out-of-bounds": "An access outside of the array or buffer that it is of", "misaligned": "An address that is no multiple of what its type needs",
            "use-after-free": "An access to an allocation that was freed", "invalid-address": "An access that stopped the kernel", "race-local": "Accesses to local (CUDA: shared) memory that nothing orders",
            "race-warp": "Accesses of one warp that only its lockstep orders", "race-in-step": "Volatile accesses of one warp, as was usual before Volta",
            "store-together": "Lanes of a warp store to one place at once", "race-global": "Accesses to global memory that nothing orders", "unordered-read": "A plain load of what others change with atomics",
            "same-value": "Several work-items store one constant", "uninitialised": "Memory that is read before it is written",
            "uninitialised-part": "Memory that is read before all of it is written", "leak": "Memory that is never freed",
            "divergent-barrier": "Work-items of a group wait at different barriers", "early-exit": "Work-items end while others wait at a barrier",
            "warp-mask": "Lanes of a mask that do not come to a warp function", "deadlock": "Work-items that wait for each other for ever"}


def place(access):
    """"mm.cl:14:7"; "an unknown line"."""
    if not access["line"]:
        return "an unknown line"
    column = f":{access['column']}" if access["column"] else ""
    return printable(f"{access['file']}:{access['line']}{column}")


def _numbers(triple):
    used = max((at for at, number in enumerate(triple, 1) if number), default=1)
    return str(triple[0]) if used == 1 else f"[{', '.join(map(str, triple[:used]))}]"


def _who(access, cuda):
    names = ("thread", "block") if cuda else ("work-item", "work-group")
    return f"{names[0]} {_numbers(access['work_item'])} of {names[1]} {_numbers(access['work_group'])}"


def _seen(fault):
    """Who was seen first, where, and how often."""
    sides = [side for side in fault["accesses"] if side["work_item"]]
    if not sides:
        return f"{fault['count']:,} allocations" if fault["code"] == "leak" and fault["count"] > 1 else ""
    who = " and ".join(_who(side, fault["cuda"]) for side in sides)
    second = f", {sides[1]['kind']} at {place(sides[1])}" if len(sides) > 1 and place(sides[1]) != place(sides[0]) else ""
    where = "" if not fault["object"] or fault["code"] == "out-of-bounds" else f", byte {fault['offset']:,} of {printable(fault['object'])}"
    times = f"; {fault['count']:,} times" if fault["count"] > 1 else ""
    return f"{who}{second}{where}, launch {fault['launch']}{times}"


def _words(fault):
    """What is wrong, with the kernel unless the text has it already."""
    kernel = fault["kernel"]
    is_there = not kernel or f"kernel '{kernel}'" in fault["text"] or f"kernel {kernel}" in fault["text"]
    return fault["text"] if is_there else f"kernel {kernels.short(kernel)}: {fault['text']}"


def lines(fault):
    """One fault: what and where, who was seen first, what helps."""
    where = f" {place(fault['accesses'][0])}" if fault["accesses"] else ""
    first = f"{fault['level']}[{fault['code']}]{where}: {printable(_words(fault))}"
    return [first, *(f"    {line}" for line in (_seen(fault), fault["remedy"]) if line)]


def last_line(report):
    """How many there are, and what was looked at."""
    counted, checked = find.counts(report["faults"]), report["checked"]
    found = ", ".join(f"{number} {level}{'s' if number != 1 and level != 'information' else ''}" for level, number in counted.items())
    return (f"{found}; checked: {checked['launches']:,} launch{'es' if checked['launches'] != 1 else ''}, {checked['work_groups']:,} work-group"
            f"{'s' if checked['work_groups'] != 1 else ''}, {checked['accesses']:,} accesses")


def _sarif_place(access):
    region = {"startLine": access["line"], **({"startColumn": access["column"]} if access["column"] else {})}
    return {"physicalLocation": {"artifactLocation": {"uri": access["file"]}, "region": region}}


def _sarif_result(fault):
    places = [_sarif_place(access) for access in fault["accesses"] if access["line"]]
    seen = _seen(fault)
    words = ". ".join(part for part in (_words(fault), seen, fault["remedy"]) if part)
    return {"ruleId": fault["code"], "level": SARIF_LEVELS[fault["level"]], "message": {"text": words}, "locations": places[:1],
            **({"relatedLocations": places[1:]} if places[1:] else {})}


def sarif(report, version):
    """A log of one run; results in the order of the report."""
    codes = list(dict.fromkeys(fault["code"] for fault in report["faults"]))
    rules = [{"id": code, "shortDescription": {"text": MEANINGS.get(code, code)}} for code in codes]
    driver = {"name": "warpscope check", "version": version, "rules": rules}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": [_sarif_result(fault) for fault in report["faults"]]}]}
