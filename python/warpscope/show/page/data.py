"""What the page shows of a result: bounded in size, without the zeros; report/src reads it."""
import collections
from typing import TypedDict

from warpscope.base.errors import printable
from warpscope.result import counters, kernels, machine, outside, program, rates, results
from warpscope.show.page import answer, caches, machine_code, memory, parts, roofline, rows, samples, timeline
from warpscope.show.page.definitions import DEFINITIONS
from warpscope.show.summary import races, rate_lines

VERSION = 1
LAUNCH_ROWS, SITES, BUFFERS, SOURCE_BYTES = 4000, 3000, 2000, 1_500_000  # what the page holds at most
RESIDENCY = 200       # launches whose occupancy is listed
HISTOGRAMS = 16       # memory instructions with a reuse histogram of their own
AROUND = 3            # lines around an access, of a source that is too long to be shown whole
TIMED_LAUNCHES = 12   # launches whose occupancy over time is drawn
STALLS = 40           # launches whose stalls are drawn
NAMES = 200           # letters of a list of launches


class Page(TypedDict):
    """The data in a page. A section that is drawn from `name` has its field here, and its value in shape() or of_capture()."""
    version: int
    title: str
    subtitle: str
    context: rows.Context
    preset: list[tuple[str, object, str, str]]
    notes: list[str]
    total: rows.Counts
    profiler: rows.Profiler | None
    spread: dict[str, rows.Spread] | None
    kernels: list[tuple[str, int, int, int, int, tuple[float, float] | None, int | None]]
    launches: rows.Launches
    sites: list[rows.Site]
    sites_left_out: int
    sources: list[rows.Source]
    buffers: list[rows.Buffer]
    buffers_left_out: int
    sets: rows.Sets | None
    reuse: rows.Reuse | None
    memory: list[memory.Memory]
    timed: rows.Timed | None
    residency: list[tuple[int, int, str]]
    clocks: rows.Clocks | None
    bound: list[str]
    classes: dict[str, str]
    definitions: dict[str, tuple[str, str, str, str]]
    findings: list[answer.Finding]
    generations: list[rows.Generation]
    presets: list[tuple[str, str, int, int]]
    samples: list[samples.Sample]
    roofline: roofline.Roofline | None
    timeline: timeline.Timeline | None
    caches: caches.Caches | None
    what_ifs: list[rows.WhatIf]
    machine_code: list[machine_code.MachineCode]


def _nonzero(numbers):
    return {name: value for name, value in numbers.items() if value}


def _counts(part):
    """COUNTS of RESULT.md without its zeros."""
    shaped = {kind: _nonzero(part[kind]) for kind in parts.KINDS if part[kind]["requests"]}
    if part.get("miss_classes"):
        shaped["classes"] = _nonzero(part["miss_classes"])
        shaped["classified"] = part.get("classified", 0)
    shaped |= _nonzero({name: part.get(name, 0) for name in ("write_backs", "evictions", "l1_to_l2_read_sectors")})
    outside = {place: {kind: _nonzero(numbers) for kind, numbers in kinds.items() if numbers["requests"]}
               for place, kinds in part.get("outside_l1", {}).items()}
    if outside := {place: kinds for place, kinds in outside.items() if kinds}:
        shaped["outside"] = outside
    if part.get("local_memory"):
        shaped["local_memory"] = part["local_memory"]
    return shaped




def _launches(result, most):
    groups = results.launch_groups(result)
    kept, left_out = parts.heaviest(groups, most)
    timed = parts.timed_result(result)
    cycles = {(group["kernel"], group["launches"]): group["timing"]["cycles"] for group in results.launch_groups(timed)
              if "timing" in group} if rate_lines.cycles(timed) else {}
    rows = [{"kernel": printable(group["kernel"]), "global": group["global"], "local": group["local"], "count": group["count"],
             "first": group["first"], "launches": group["launches"][:NAMES], "l1_kib": group.get("l1_kib"),
             "carveout_kib": group.get("carveout_kib"), "cycles": cycles.get((group["kernel"], group["launches"])), **_counts(group)}
            for group in kept]
    return {"count": results.launch_count(result), "groups": len(groups), "left_out": left_out, "rows": rows}


def _kernels(result):
    """[name, launches, transactions, looked up, misses, [least, most] miss rate of a launch in percent, cycles] of every kernel."""
    timed = parts.timed_result(result)
    known = result.get("kernels") or kernels.of_groups(result, timed)
    whole = rate_lines.cycles(timed) is not None
    return [[printable(one["kernel"]), one["launches"], one["transactions"], one["looked_up"], one["misses"],
             list(one["miss_rate_percent"].values()) if one["miss_rate_percent"] else None, one["timed_cycles"] if whole else None]
            for one in known]


def _sites(result, most):
    sites, left_out = parts.heaviest(result["sites"], most)
    with_histogram = {id(site) for site in parts.heaviest([site for site in sites if site.get("reuse_histogram")], HISTOGRAMS)[0]}
    rows = []
    for site in sites:
        row = {"kernel": printable(site["kernel"]), "site": site["site"], "function": printable(site["function"]),
               "kind": site["kind"], "space": site["space"], "width": site["width"], "source": site["source"],
               "places": [[printable(place["file"]), place["line"], place["column"]] for place in site["locations"]],
               "bypasses": site["bypasses_l1"], "reaches_l1": site["reaches_l1"],
               "buffers": [[buffer["buffer"], printable(buffer["name"]), buffer["transactions"], buffer["misses"]]
                           for buffer in site["buffers"]], **_counts(site)}
        if id(site) in with_histogram:
            row["reuse"] = histogram(site["reuse_histogram"])
        rows.append(row)
    return rows, left_out


def histogram(reuse):
    """[from, to, loads, stores] of the bins, without the empty ones at the end."""
    bins = [[item["from"], item["to"], item["load"], item["store"]] for item in reuse["bins"]]
    while bins and not bins[-1][2] + bins[-1][3]:
        bins.pop()
    return {"capacity": reuse["capacity_lines"], "cold": [reuse["cold"]["load"], reuse["cold"]["store"]], "bins": bins}


def _used_lines(result):
    """{source: {lines with a memory instruction}}."""
    used = collections.defaultdict(set)
    for site in result["sites"]:
        if site["source"] is not None:
            name = result["sources"][site["source"]]["name"]
            used[site["source"]].update(place["line"] for place in site["locations"] if place["file"] == name)
    return used


def _sources(result, sources, most_bytes):
    """Name and pieces ([first line, text]) of every source: whole while there is room, else the lines around accesses."""
    used, room, shaped = _used_lines(result), most_bytes, []
    for number, source in enumerate(sources):
        lines = source["text"].splitlines()
        size = len(source["text"].encode("utf-8", "replace"))
        whole = size <= room // 2 or (size <= room and len(sources) == 1)
        pieces = [[1, lines]] if whole else list(_pieces(lines, sorted(used[number]), room // 2))
        room -= sum(len(line) + 4 for _, piece in pieces for line in piece)
        shaped.append({"name": printable(source["name"]), "lines": len(lines), "whole": whole,
                       "pieces": [[first, "\n".join(map(printable, (line.replace("\t", "    ") for line in piece)))]
                                  for first, piece in pieces]})
    return shaped


def _pieces(lines, used, room):
    shown = sorted({near for line in used for near in range(max(line - AROUND, 1), min(line + AROUND, len(lines)) + 1)})
    piece = []
    for line in shown:
        room -= len(lines[line - 1]) + 4
        if room < 0:
            break
        if piece and line != piece[-1] + 1:
            yield [piece[0], [lines[number - 1] for number in piece]]
            piece = []
        piece.append(line)
    if piece:
        yield [piece[0], [lines[number - 1] for number in piece]]


def _buffers(result, most):
    used = [part for part in result["buffers"] if any(part[kind]["requests"] for kind in parts.KINDS)
            or any(numbers["requests"] for kinds in part.get("outside_l1", {}).values() for numbers in kinds.values())]
    kept, left_out = parts.heaviest(used, most)
    arguments = results.argument_names(result)
    return [{"buffer": part["buffer"], "name": printable(results.buffer_label(part, arguments)), "space": part["space"], "size": part["size"],
             "address": part["address"], **_counts(part)} for part in kept], left_out


def _preset(context):
    """[key, value, source, note] of the GPU's description."""
    values = (context.get("preset") or {}).get("values", {})
    return [[key, one["value"], one.get("source", ""), "; ".join(filter(None, (one.get("status"), one.get("note"))))]
            for key, one in values.items() if isinstance(one, dict) and "value" in one]


def _notes(result):
    """What a reader must know before the numbers: counts that do not cover everything."""
    context = result["context"]
    wrong = outside.line(result)
    untimed = results.not_timed_line(result)
    notes = [*([f"{wrong}."] if wrong else []), *([f"{untimed}."] if untimed else []), *results.not_traced(result)]
    if why := machine.not_validated(result):
        notes.append(f"Not validated: {why}.")
    if context.get("partial"):
        notes.append("The capture was cut short: these counts cover its intact part.")
    if sampled := results.sampled_text(result):
        notes.append(f"{sampled[0].upper()}{sampled[1:]}; these counts cover nothing else.")
    elif context.get("sampling", "all") != "all":
        notes.append(f"Only work-groups {context['sampling']} were recorded; these counts cover nothing else.")
    timed = result.get("timed")
    notes += [note for name, one in (("fixed order", result), ("timed", timed)) if one and (note := rate_lines.estimate_note(name, one))]
    notes += [f"{line.strip()}." for line in races.lines(result)]
    if unrolled := rate_lines.unrolled_text(result):
        notes.append(f"What the compiler does to loops decides here: {unrolled}.")
    if beyond := rate_lines.beyond_l2_text(result):
        notes.append(f"A larger launch may leave less in the L2: {beyond}.")
    if groups := rate_lines.resident_text(result):
        notes.append(f"Registers decide here: {groups}.")
    notes += [f"Left out: kernel {one['kernel']}, launches {one['launches']}: {one['needs']} {one['what']}, {one['gpu']} allows "
              f"{one['limit']}." for one in context.get("skipped", [])]
    return [printable(note) for note in notes]


def _definitions(result):
    """Meanings of the counters; for GPUs of other vendors without what NVIDIA's profilers call them."""
    return {name: [unit, text, "", ""] for name, (unit, text, *_) in DEFINITIONS.items()} if machine.is_amd(result) else DEFINITIONS



def _stalls(timed):
    """Of the launches that take most cycles, of those with the same counters one; cycles in which a scheduler had no warp are left out."""
    known = {launch["launch"]: launch["timing"] for launch in timed.get("launches") or () if "timing" in launch}
    groups = [group for group in results.launch_groups(timed) if group["first"] in known]
    shaped = []
    for group in sorted(groups, key=lambda one: -known[one["first"]]["cycles"] * one["count"])[:STALLS]:
        timing = known[group["first"]]
        of_warps = timing.get("warp_stalls")
        reasons = of_warps or {name: cycles for name, cycles in timing["scheduler_cycles"].items() if name != "empty"}
        shaped.append({"name": f"{group['first']}: {printable(group['kernel'])}", "count": group["count"], "cycles": timing["cycles"],
                       "of": "warps" if of_warps else "schedulers", "reasons": _nonzero(reasons),
                       "per_issued": rates.per_request(timing["resident_warp_cycles"], timing["warp_instructions"])})
    return shaped


def _timed(result):
    timed = parts.timed_result(result)
    if timed is None:
        return None
    launches = sorted((launch for launch in timed.get("launches", []) if launch.get("timing", {}).get("occupancy")),
                      key=lambda launch: (-launch["timing"]["cycles"], launch["launch"]))[:TIMED_LAUNCHES]
    config = timed["context"].get("timed", {})
    return {"total": timed["total"]["timing"], "cycles": rate_lines.cycles(timed),
            "cores": [[core["core"], core["timing"]["cycles"], core["timing"]["active_cycles"],
                       core["timing"]["warp_instructions"]] for core in timed["cores"] if "timing" in core],
            "launches": [{"launch": launch["launch"], "kernel": printable(launch["kernel"]), "cycles": launch["timing"]["cycles"],
                          "occupancy": [[point["from"], point["to"], point["warps_per_core"]]
                                        for point in launch["timing"]["occupancy"]]} for launch in launches],
            "stalls": _stalls(timed), "config": {key: value for key, value in config.items() if not isinstance(value, (dict, list))},
            "assumed": config.get("assumed", [])}


def _clocks(result):
    """`clocks` of the result; `why` says, too, which work-groups were simulated."""
    clocks = result.get("clocks")
    if not clocks or not clocks.get("waves"):
        return clocks
    part = clocks["waves"]
    where = "each launch" if part["launch"] is None else f"launch {part['launch']}"
    return {**clocks, "why": f"the first {part['work_groups']:,} of {part['of']:,} work-groups of {where} were simulated; {clocks['why']}"}


def _residency(result):
    """[launch, work-groups that a core holds at once, what limits them]."""
    listed = (result["context"].get("schedule") or {}).get("residency") or []
    return [[one.get("launch", 0), one["work_groups"], printable(one.get("limited_by", ""))] for one in listed[:RESIDENCY]]



def _context(result):
    context = result["context"]
    return {key: context.get(key) for key in ("tool", "version", "commit", "model_version", "capture_hash", "coalescing", "cores", "warp_size", "seed",
                                              "l1_kib", "carveout_kib", "layout", "device_like")} | {
        "cache": {**context["cache"], "sector_bytes": parts.sector_bytes(result)},
        "input": context["input"].get("name") if isinstance(context["input"], dict) else context["input"],
        "policy": (context.get("schedule") or {}).get("policy"), "assignment": (context.get("schedule") or {}).get("assignment"),
        "preset": (context.get("preset") or {}).get("name"), "description": (context.get("preset") or {}).get("description")}


def shape(result, sources=None, extras=None, share=1.0):
    """The page's data. `share`: which part of the usual limits the page may use. Keys of `extras` replace those of the result."""
    sites, sites_left_out = _sites(result, int(SITES * share))
    buffers, buffers_left_out = _buffers(result, int(BUFFERS * share))
    spread = result["total"].get("spread") if "repeat" in result else None
    shaped = {
        "version": VERSION, "title": printable(results.title(result)), "subtitle": printable("; ".join([results.cache_text(result).replace("\n", "; "), *program.lines(result)])),
        "context": _context(result), "preset": _preset(result["context"]), "notes": _notes(result),
        "total": _counts(result["total"]), "profiler": result["total"].get("profiler"), "spread": spread,
        "kernels": _kernels(result), "launches": _launches(result, int(LAUNCH_ROWS * share)), "sites": sites, "sites_left_out": sites_left_out,
        "sources": _sources(result, result["sources"] if sources is None else sources, int(SOURCE_BYTES * share)),
        "buffers": buffers, "buffers_left_out": buffers_left_out, "sets": result.get("sets"),
        "reuse": histogram(result["reuse_histogram"]) if result.get("reuse_histogram") else None,
        "memory": memory.shaped(result), "timed": _timed(result), "residency": _residency(result), "clocks": _clocks(result),
        "classes": {name: counters.HEADINGS.get(name, "") for name in counters.MISS_CLASSES},
        "definitions": _definitions(result), "findings": [], "bound": [], "generations": [], "presets": [], "samples": [],
        "roofline": None, "caches": None, "what_ifs": [], "machine_code": [], "timeline": timeline.shaped((parts.timed_result(result) or {}).get("timeline"))}
    return shaped | (extras or {})


def of_capture(result, capture):
    """What the page shows of a result's capture, as extras of shape()."""
    return {"samples": samples.of_capture(result, capture), "caches": caches.of_capture(result, capture)}
