"""The JSON schema of result.json, docs/schema/result-1.json: python3 -m warpscope.show.export.schema prints it.

What counters mean and their units are those of cachesim/access/counters.def; cachesim/RESULT.md describes the rest. A unit is in the
description and, for programs, in the keyword `unit`."""
import json

from warpscope.result import counters
from warpscope.result.instructions import COUNTERS
from warpscope.result.profiler_units import NCU, NVPROF
from warpscope.show.export import schema_advice, schema_context, schema_races
from warpscope.show.export.schema_types import array, integer, map_of, nullable, number, record, ref, text
from warpscope.show.page.definitions import DEFINITIONS

STALLS = {"issued": "an instruction was issued", "load_store_full": "a memory instruction is ready, the queue is full",
          "unit_busy": "the execution unit is busy", "dependency": "only waiting for short instructions", "memory": "waiting for data",
          "barrier": "waiting at a barrier", "empty": "no warp", "held_back": "a warp is ready, the warp scheduler does not let it issue"}
WARP_STALLS = {"selected": "issued", "not_selected": "could issue, another warp did", "wait": "stall of the instruction before",
               "long_scoreboard": "a counter of global or private memory",
               "short_scoreboard": "a counter of shared memory, constants, special functions, shuffles", "barrier": "others of its work-group",
               "math_pipe_throttle": "its unit is busy", "mio_throttle": "the queue in front of the L1 is full, for shared memory and the like",
               "lg_throttle": "the queue in front of the L1 is full, for global or private memory", "branch_resolve": "the target of a branch",
               "no_instruction": "the instruction is not in the instruction cache", "imc_miss": "a constant operand is not in the constant cache",
               "dispatch_stall": "not modelled: 0",
               "drain": "has ended, its stores have not arrived"}
PREVIOUS_ACCESSOR = {"same_lane": "by the same lane", "same_warp": "by another lane of the warp", "same_work_group": "by another warp of the work-group",
        "other_work_group": "by another work-group"}
OUTSIDE = {"local": "OpenCL's local memory", "constant": "constant memory", "no_object": "accesses outside every known memory object"}
SUMS = ("cycles", "warp_instructions", "memory_instructions", "tag_lookups", "l1_cycles", "loads", "core_to_l2_bytes", "l2_to_core_bytes",
        "resident_warp_cycles", "active_cycles", "work_groups")


def defined(name):
    """A counter of counters.def."""
    unit, meaning, *_ = DEFINITIONS[name]
    if name == "transactions":  # whose unit there is that of Fermi
        unit, meaning = "transactions", "sectors, or lines, that are looked up, and those that bypass the L1"
    return integer(unit, meaning)


def _kind():
    names = [*counters.KIND_COUNTERS, *counters.STAGE_COUNTERS]
    return record("Loads, stores or atomics that reach the L1 or bypass it", {name: defined(name) for name in names},
                  counters.KIND_COUNTERS)


def _outside():
    each = record("Accesses of one kind", {"requests": integer("warp accesses", "warp accesses"), "lanes": integer("lane accesses", "lane accesses"),
                                           "wavefronts": integer("wavefronts", "cycles of the banks; of constants distinct addresses"),
                                           "conflicts": integer("wavefronts", "of them those beyond the first of a pass, or of a request")},
                  ("requests", "lanes"))
    return record("What does not go to the L1", {
        place: record(what, {kind: each for kind in ("load", "store", "atomic")}) for place, what in OUTSIDE.items()})


def _local_memory():
    return nullable(record("Banks of local memory: loads, stores and atomics together; null if it is not used", {
        "requests": integer("warp accesses", "warp accesses"), "passes": integer("passes", "what the banks can give in one cycle without conflicts"),
        "wavefronts": integer("wavefronts", "cycles of the banks"), "conflicts": integer("wavefronts", "wavefronts beyond one per pass"),
        "beta": number("wavefronts per pass", "mean degree of conflict, 1 = none"),
        "max_degree": integer("wavefronts", "of the worst pass"),
        "degrees": map_of(integer("passes", "passes of this degree"), "degree of conflict -> passes")}))


def _reuse_by_source():
    def by(what):
        return record(what, {name: integer("transactions", f"{what}, {who}") for name, who in PREVIOUS_ACCESSOR.items()})

    return record("With --reuse-by-source: the previous accessor of the line", {
        "hits": record("hits by the previous accessor", {kind: by("hits") for kind in ("load", "store", "atomic")}),
        "evictions": {**by("evicted lines by their last accessor"), "description": "evictions [unit: lines], by the line's last accessor"}})


def _profiler():
    def counter(unit):
        return number(unit, "as the profiler defines it")

    units = {}  # of a name by generations
    for *_, name, unit in NVPROF:
        units.setdefault(name, {})[unit] = None
    nvprof = {name: counter(" or ".join(of)) for name, of in units.items()}
    return nullable(record("Counters by a profiler's own names and definitions; null without a GPU", {
        "ncu": record("Nsight Compute, compute capability 7.0 and later", {name: counter(unit) for name, unit in NCU.items()}, ()),
        "nvprof": record("nvprof, compute capabilities 2.0 to 7.2", nvprof, ())}, ()))


def _spread():
    each = record("over the repetitions", {**{name: number("of the metric", f"{name} of the repetitions") for name in ("min", "median", "max")},
                                           "values": array(number("of the metric", "value of a repetition"), "values by repetition")})
    return map_of(each, "With --repeat: metric -> its range")


def _estimate():
    each = record("with its 95 % interval", {
        "value": number("of the metric", "estimate"), "low": nullable(number("of the metric", "interval from; null: refused")),
        "high": nullable(number("of the metric", "interval to; null: refused")), "refused": text("why there is no interval; absent: there is")},
        ("value", "low", "high"))
    return map_of(each, "Where cores or launches were drawn: metric of all of them -> estimate")


def counts():
    """COUNTS of RESULT.md: properties, and which of them are always there."""
    properties = {
        "load": ref("kind"), "store": ref("kind"), "atomic": ref("kind"),
        "miss_classes": nullable(record("Misses of references that would allocate, by cause; null if they are not classed",
                                        {name: defined(name) for name in counters.MISS_CLASSES})),
        "classified": integer("transactions", "look-ups that would bring in a line or sector"),
        **{name: defined(name) for name in counters.LINE_COUNTERS},
        "l1_to_l2_read_sectors": nullable(integer("sectors of 32 bytes", "sectors that the L1s ask the L2 for; null if not known")),
        "outside_l1": ref("outside"), "local_memory": ref("local_memory"), "reuse_by_source": ref("reuse_by_source"),
        "reuse_by_whom": text("names reuse_by_source, for one release"),
        "spread": ref("spread")}
    properties["write_back_sectors"] = nullable(properties["write_back_sectors"])
    return properties, ("load", "store", "atomic", "miss_classes", "write_backs", "evictions")


def _timing(more, required=()):
    own = {"cycles": integer("cycles", "of the whole, the launch, the group of launches, or the core"),
           **{name: defined(f"timing.{name}") for name in SUMS if name != "cycles"},
           "warp_instructions_per_cycle": number("warp instructions per cycle", "of all cores"),
           "load_latency_cycles_mean": nullable(number("cycles", "issue to data; null without loads")),
           "scheduler_cycles": ref("scheduler_cycles"), "warp_stalls": ref("warp_stalls"), **more}
    return record("With cachesim timed: cycles and what they were spent on", own, ("cycles", "warp_instructions", *required))


def _whole_timing():
    memory = {name.rpartition(".")[2]: defined(name) for name in DEFINITIONS if name.startswith("timing.memory.")}
    memory |= {"dram_bytes_per_cycle": number("bytes per cycle", "read and written"),
               "dram_gb_per_s": nullable(number("10^9 bytes per second", "the same at the GPU's clock; null without a clock"))}
    stretch = record("a stretch of time", {"from": integer("cycles", "its first cycle, of the launch"), "to": integer("cycles", "its end"),
                                           "warps_per_core": number("warps", "resident, mean of all cores")})
    return {"duration_cycles": integer("cycles", "with those before and after the cores are active, of each launch (docs/reference/timed-model.md)"),
            "warps_per_core_mean": number("warps", "resident, mean over cores and cycles"), "memory": record("Behind the L1s", memory),
            "occupancy": array(stretch, "at most 256 stretches of a launch")}


def _launch():
    sizes = nullable(array(integer("work-items", "in x, y or z"), "x, y, z; null in text streams", 3))
    argument = record("a buffer that the launch got", {"index": integer("argument", "position, from 0"), "name": text("of the kernel's argument"),
                                                       "buffer": integer("id", "as in buffers")})
    return {"kernel": nullable(text("the kernel's name, with what tells it from others of it; null in text streams")), "kernel_name": text("the name alone, where `kernel` tells kernels of one name apart"), 
            "global": sizes, "local": sizes,
            "open_local": {"type": "boolean", "description": "true: the program left the local size open, and another chose it (context.device_like)"},
            "l1_kib": integer("KiB", "size of a core's L1; 0 = the GPU has none"),
            "carveout_kib": nullable(number("KiB", "what local memory has of a memory that it shares with the L1; null without one"))}, argument


def _launches():
    own, argument = _launch()
    base, always = counts()
    single = record("A launch", {
        "launch": integer("launch", "number, from 0"), **own, "source": nullable(integer("index", "into sources; null: none")),
        "arguments": array(argument, "the buffers that it got"), "call_site": text("where a program launches it: app.cu:42"),
        "range": text("NVTX ranges that were open, the outer ones first"), **base, "profiler": ref("profiler"),
        "timing": ref("whole_timing")}, ("launch", "kernel", "global", "local", *always))
    group = record("Identical launches: counters are their sums", {
        **own, "count": integer("launches", "how many"), "first": integer("launch", "number of the first"), "launches": text("numbers: 3-7,9"),
        **base, "timing": ref("timing")}, ("kernel", "global", "local", "count", "first", "launches", *always))
    return single, group


def _site():
    base, always = counts()
    place = record("a source line", {"file": text("file"), "line": integer("line", "from 1"), "column": integer("column", "from 1; 0 = not known")})
    buffer = record("a buffer that it touched", {"buffer": integer("id", "as in buffers"), "name": text("in this kernel"),
                                                 "transactions": integer("transactions", "of this instruction on this buffer"),
                                                 "misses": integer("transactions", "of them, misses and sector misses")})
    own = {"kernel": nullable(text("kernel; null in text streams")), "kernel_name": text("the name alone, where `kernel` tells kernels of one name apart"), 
           "site": integer("id", "in the kernel"), "kind": text("load, store or atomic"),
           "space": text("global, private, local, constant or generic"), "operation": text("of atomics"),
           "width": integer("bytes", "of a lane; 0 = not known"), "alignment": integer("bytes", "0 = not known"), "function": text("function"),
           "source": nullable(integer("index", "into sources; null: none")), "locations": array(place, "source lines that were merged"),
           "reaches_l1": {"type": "boolean", "description": "whether the L1 takes it"},
           "bypasses_l1": {"type": "boolean", "description": "whether it bypasses the L1 whatever the object"},
           "buffers": array(buffer, "buffers"), "reuse_histogram": ref("reuse_histogram")}
    return record("A static memory instruction", {**own, **base}, ("kernel", "site", "kind", "space", "locations", "buffers", *always))


def _reuse():
    bin_of = record("distances from .. to", {"from": integer("distinct lines", "least distance"), "to": integer("distinct lines", "greatest distance"),
                                             "load": integer("transactions", "of loads"), "store": integer("transactions", "of stores")})
    return nullable(record("With --reuse-histogram: transactions by their reuse distance", {
        "unit": text("always: distinct lines"), "capacity_lines": integer("lines", "of the L1"),
        "cold": record("without an earlier access", {"load": integer("transactions", "of loads"), "store": integer("transactions", "of stores")}),
        "bins": array(bin_of, "ascending; empty ones in the range are there")}))


def _runs():
    metric = record("over the seeds", {"median": number("of the metric", "median"),
                                       "relative_standard_deviation_percent": number("%", "of the sample (n - 1), over the mean"),
                                       "values": array(number("of the metric", "value of a run"), "values by run")})
    return nullable(record("With --runs N > 1", {
        "count": integer("runs", "how many"), "first_seed": integer("seed", "of run 0"), "shown": integer("run", "that all else describes"),
        "work_groups": nullable(integer("work-groups", "chosen per run; null: all")), "metrics": map_of(metric, "metric -> its values")}))


def _both_clocks():
    spread = record("over the launches", {"min": number("%", "least"), "max": number("%", "greatest")})
    kernel = record("What the launches of a kernel add up to, in fixed order", {
        "kernel": nullable(text("kernel")), "launches": integer("launches", "how many"), "transactions": integer("transactions", "loads, stores, atomics"),
        "looked_up": integer("transactions", "those that did not bypass the L1"), "misses": integer("transactions", "with sector misses"),
        "miss_rate_percent": nullable(spread), "timed_cycles": nullable(integer("cycles", "null unless all launches were timed"))})
    waves = record("The only work-groups that were simulated: the first ones of a launch, or of each", {
        "launch": nullable(integer("launch", "which; null: each of several")), "waves": integer("waves", "of as many work-groups as fit on all cores"),
        "work_groups": integer("work-groups", "that the timed result has"), "of": integer("work-groups", "of the launch, or of all")})
    clocks = record("Which clocks ran", {
        "asked": text("--clock"), "timed_launches": integer("launches", "that the timed result has"), "launches": integer("launches", "of how many"),
        "timed_seconds_estimated": number("s", "for all launches"), "why": nullable(text("why not all launches were timed; null if all")),
        "default_gpu": {"type": "boolean", "description": "whether nobody named a GPU"}})
    clocks["properties"]["waves"] = nullable(waves)
    return {"clocks": clocks, "races": schema_races.races(), "advice": schema_advice.advice(),
            "unrolled": _unrolled(), "beyond_l2": _beyond_l2(), "resident": _resident(), "instructions": _instructions(),
            "kernels": array(kernel, "in order of the first launch"),
            "timed": {"$ref": "#", "description": "The whole result of cachesim timed, with keys of its own; absent if that was left out"}}


def _instructions():
    one = record("an instruction; counters under the names of Nsight Compute's source page, those of memory where they apply", {
        "address": integer("bytes", "in the code"), "word": text("its 128 bits, hexadecimal"), "text": text("as nvdisasm prints it"), "file": text("empty: not known"),
        "line": integer("line", "0: not known"), "kind": text("what profilers count it as"), "pipe": text("which executes it"),
        **{name: integer(*unit) for name, unit in COUNTERS.items()}, "warp_stalls": ref("stalls_at_instruction")}, ("address", "text"))
    fact = record("what machine code shows", {
        "rule": text("spills, wider-global, wider-shared, registers"), "where": text("file:line; empty: the whole kernel"), "what": text("with its evidence"),
        "warp_instructions": integer("warp instructions", "that it is about, or that would go")})
    code = record("the machine code of a kernel", {
        "launch": integer("launch", "the first of this kernel"), "launches": integer("launches", "that the counters are sums of"), "kernel": text("kernel"), "architecture": integer("architecture", "90 of sm_90"),
        "compiler": text("who made it"), "registers": integer("registers", "of a work-item"), "instructions": array(one, "in the order of addresses"),
        "facts": array(fact, "what only machine code shows")}, ("launch", "kernel", "instructions"))
    return array(code, "executed machine code; absent without any")


def _instruction_stalls():
    at = record("an instruction at which warps were", {"address": integer("bytes", "in the code"), "warp_stalls": ref("stalls_at_instruction")}, ("address", "warp_stalls"))
    kernel = record("a kernel, over its launches", {"launch": integer("launch", "the first of this kernel"), "kernel": text("kernel"),
                                                    "instructions": array(at, "in the order of addresses")}, ("launch", "kernel", "instructions"))
    return array(kernel, "of machine code, cachesim timed: what warps did at which instruction; absent without any")


def _unrolled():
    body = record("a simulation cycle by cycle", {"iterations": integer("iterations", "of a loop that only loads, which are one body"), "cycles": integer("cycles", "of all launches"),
                                                  "hit_rate_percent": nullable(number("%", "of loads; null if none was looked up"))})
    return record("What the compiler's choice leaves open (docs/reference/timed-model.md)", {
        "why_not": text("why the others were not simulated; empty if they were"), "bodies": array(body, "in order of the iterations; that of the result is one of them")})


def _beyond_l2():
    return record("What the L2's size leaves open (docs/reference/timed-model.md)", {
        "why_not": text("why there was no other simulation; empty if there was"),
        "cycles": nullable(integer("cycles", "of all launches, if the DRAM moves what the L2 keeps from it; null without that simulation"))})


def _resident():
    run = record("a simulation cycle by cycle", {"work_groups": integer("work-groups", "that a core holds at once"), "cycles": integer("cycles", "of all launches"),
                                                 "hit_rate_percent": nullable(number("%", "of loads; null if none was looked up"))})
    return record("What an estimate of registers leaves open (docs/reference/timed-model.md)", {
        "why_not": text("why the others were not simulated; empty if they were"), "runs": array(run, "in order of the work-groups; that of the result is one of them")})


def _effects():
    loads = record("loads", {name: defined(name) for name in ("transactions", "hits", "hits_pending", "sector_misses", "misses", "reservation_fails")})
    each = record("a simulation", {"cycles": integer("cycles", "of all launches"), "load": loads})
    return nullable(record("With --effects: latency and outstanding misses apart",
                           {name: each for name in ("as_configured", "without_mshr_limits", "without_latency")}))


def _timeline():
    numbers = {"stretches": "place of the warp on the core, work-group, from, to (cycles, the last not included), state",
               "issues": "cycle, warp, 1 for a memory instruction", "look_ups": "cycle, transactions that hit, other transactions"}
    return record("With cachesim timed --timeline: what the warps of a core do in the first cycles of a launch", {
        "launch": integer("launch", "which"), "core": integer("core", "which"), "cycles": integer("cycles", "how many are recorded"),
        "states": array(text("name"), "names of the states, which stretches number from 0"),
        **{name: text(f"numbers with spaces between them: {meaning}; and so on") for name, meaning in numbers.items()}})


def schema():
    """The schema as a dictionary."""
    base, always = counts()
    launch, group = _launches()
    core = record("A core", {"core": integer("core", "number"), **base, "timing": ref("core_timing")}, ("core", *always))
    buffer = record("A memory object", {"buffer": integer("id", "0 = not known"), "name": text("the allocation's"), "space": text("memory space"),
                                        "size": integer("bytes", "size"), "flags": text("of the allocation"),
                                        "address": integer("bytes", "simulated address"), **base}, ("buffer", "name", "space", "size", *always))
    source = record("A source", {"name": text("file"), "text": text("its text")})
    sets = record("Look-ups of each set, all cores and launches", {
        name: array(integer("transactions", f"{name} of a set"), f"{name} per set") for name in ("transactions", "misses")})
    repeat = record("With --repeat", {"count": integer("repetitions", "how many"), "first_seed": integer("seed", "of the first"),
                                      "varied": array(text("what"), "what was varied"), "fixed": map_of(text("why"), "what was not -> why")})
    properties = {
        "schema": {"const": 1, "description": "Version of this schema; keys are only ever added"},
        "context": ref("context"), "total": record("All simulated cores and launches", {
            **base, "profiler": ref("profiler"), "timing": ref("whole_timing"), "estimate": _estimate()}, always),
        "launches": array(launch, "in order of enqueue; absent with --launches groups"),
        "launch_groups": array(group, "identical launches, in order of their first"),
        "cores": array(core, "ascending; those that made an access"), "sites": array(ref("site"), "memory instructions by kernel and site"),
        "buffers": array(buffer, "memory objects, ascending"), "sets": sets, "reuse_histogram": ref("reuse_histogram"), "runs": _runs(),
        "sources": array(source, "source texts"), "repeat": repeat, "effects": _effects(), "timeline": _timeline(),
        "instruction_stalls": _instruction_stalls(), **_both_clocks()}
    schedulers = record("Cycles of schedulers by what happened", {name: integer("cycles", what) for name, what in STALLS.items()},
                        [name for name in STALLS if name != "held_back"])
    warp_stalls, at_instruction = (record("Of machine code: cycles of resident warps by what they did, as Nsight Compute names it",
                                          {name: integer("cycles of warps", what) for name, what in WARP_STALLS.items()}, always) for always in (WARP_STALLS, ()))
    definitions = {
        "kind": _kind(), "outside": _outside(), "local_memory": _local_memory(), "reuse_by_source": _reuse_by_source(), "profiler": _profiler(),
        "spread": _spread(), "scheduler_cycles": schedulers, "warp_stalls": warp_stalls, "stalls_at_instruction": at_instruction, "timing": _timing({}), "whole_timing": _timing(_whole_timing()),
        "core_timing": _timing({"warps_mean": number("warps", "resident, mean over cycles"),
                                "schedulers": array(ref("scheduler_cycles"), "scheduler by scheduler")}),
        "site": _site(), "reuse_histogram": _reuse(), "context": schema_context.context()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "result-1.json", "title": "result.json of Warpscope, schema 1",
            "description": "What cachesim --json and warpscope write (cachesim/RESULT.md). Counts are of all launches and cores unless the "
                           "part says otherwise. Readers ignore keys that they do not know.",
            **record("A result", properties, ("schema", "context", "total", "launch_groups", "cores", "sites", "buffers", "sources")),
            "$defs": definitions}


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1, ensure_ascii=False))
