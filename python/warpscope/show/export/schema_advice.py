"""The schema of `advice` in result.json: remedies that were simulated."""
from warpscope.show.export.schema_types import array, integer, map_of, nullable, number, record, text

UNITS = {"requests": "warp accesses", "transactions": "transactions", "transactions_per_request": "transactions per warp access",
         "sectors": "sectors", "l1_hit_rate": "ratio", "l1_misses": "transactions", "l1_to_l2_read_sectors": "sectors",
         "l1_wavefronts": "wavefronts", "local_wavefronts": "wavefronts", "local_conflicts": "wavefronts",
         "work_groups_per_core": "work-groups", "cycles": "cycles", "warp_instructions": "warp instructions",
         "load_latency_cycles_mean": "cycles", "core_to_l2_bytes": "bytes", "l2_to_core_bytes": "bytes", "dram_read_bytes": "bytes"}


def loose(meaning, properties):
    """An object whose keys are not all described."""
    return {**record(meaning, properties, ()), "additionalProperties": True}


def _compared(clock):
    each = {name: nullable(number(unit, name.replace("_", " "))) for name, unit in UNITS.items()}
    ratio = {name: nullable(number("ratio", f"{name.replace('_', ' ')}, after / before")) for name in UNITS}
    return record(f"measures of the {clock}, as what-if has them", {
        "before": loose("before", each), "after": loose("after", each), "ratio": loose("after / before", ratio)})


def advice():
    """The schema of `advice`."""
    gain = {**record("what the remedy gains", {
        "measure": text("of which measure"), "factor": number("ratio", "before / after"), "least": nullable(number("ratio", "least, with its error")),
        "most": nullable(number("ratio", "most, with its error")), "whole": nullable(number("ratio", "of the whole program")),
        "beyond_l2": number("ratio", "of all launches, where data do not stay in the L2; absent where that was not simulated"),
        "grade": text("exact, modelled or estimated"), "error": text("error class of the launches")}, ("measure", "factor", "grade")), "additionalProperties": True}
    words = {"rule": "which rule", "finding": "what was found", "kind": "load, store or atomic", "file": "file", "launches": "which launches",
             "title": "in a line", "condition": "when the rule applies", "remedy": "what to change", "opencl": "how in OpenCL",
             "cuda": "how in CUDA", "page": "documentation", "hardware": "what tests it on hardware", "why": "why not", "why_not": "why not"}
    lists = {"kernels": "kernels", "buffers": "buffers", "change": "options of what-if", "done": "what it did", "not_simulated": "what was not simulated"}
    entry = {**record("a remedy", {
        **{name: nullable(text(meaning)) for name, meaning in words.items()}, **{name: array(text(meaning), meaning) for name, meaning in lists.items()},
        "resolves": array(loose("a place, as the finding's own", {}), "other findings that the change is the remedy of"),
        "line": nullable(integer("line", "from 1; 0 or null = not known")), "column": nullable(integer("column", "from 1; 0 or null = not known")),
        "gain": nullable(gain), "fixed": nullable(_compared("fixed order")),
        "timed": nullable(_compared("timed clock"))}, ("rule",)), "additionalProperties": True}
    return {**record("Remedies that were simulated (docs/tools/advice.md)", {
        "budget": integer("look-ups and warp instructions", "that trials might simulate"), "used": integer("look-ups and warp instructions", "of them"),
        "seconds": text("names budget and used, for one release"),
        "why_not": text("why nothing was tried; else empty"),
        "launches": text("all, or which"), "given": array(entry, "those that gain"),
        **{name: {"type": "array", "description": what, "items": {**map_of({}, "a remedy"), "type": ["object", "string"]}}
           for name, what in (("observed", "what costs, without a remedy that can be simulated"), ("no_gain", "tried, without gain"), ("refused", "that the capture cannot express"), ("not_tried", "for lack of work in the budget"))}}, ()), "additionalProperties": True}
