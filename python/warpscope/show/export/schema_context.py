"""The schema of `context` in result.json: from what a result was made, and with which settings."""
from warpscope.show.export.schema_types import array, boolean, integer, map_of, nullable, number, record, text


def _anything(meaning):
    return {"description": meaning}


def _cache():
    return record("The L1", {
        "size_kib": number("KiB", "0 = no L1; of unified memory: without local memory"), "line_bytes": integer("bytes", "of a line"),
        "sector_bytes": integer("bytes", "of a sector; the line's if it has none"), "ways": integer("ways", "lines of a set"),
        "sets": integer("sets", "how many"), "lines": integer("lines", "how many"), "replacement": text("policy"),
        "write_policy": text("of global memory"), "private_write_policy": text("of private memory"), "set_index": text("which set a line belongs to")},
        ("size_kib", "line_bytes", "ways", "sets", "lines", "replacement", "write_policy", "set_index"))


def _layout():
    return record("Simulated addresses", {
        "base": integer("bytes", "first address"), "granule": integer("bytes", "to which objects are aligned"),
        "large_from": integer("bytes", "size from which an object is large"), "large_granule": integer("bytes", "to which large objects are aligned"),
        "seed": integer("seed", "of the order of the objects; 0 = in order")}, ())


def _timed():
    whole = {"schedulers": ("schedulers", "of a core"), "issue_width": ("instructions per cycle", "of a scheduler"),
             "active_warps": ("warps", "of the policy two-level"), "warp_limit": ("warps", "of the policy swl"),
             "ccws_throttle": ("fold", "K_THROTTLE of the policy ccws"), "ccws_base_score": ("points", "of the policy ccws"),
             "ccws_victim_sets": ("sets", "of 8 victim tags, of the policy ccws"),
             "unroll": ("iterations", "of an innermost loop that issue their loads before the first use"), "predicated": ("instructions", "of a conditional part that is predicated, at most"), "load_registers": ("registers of a work-item", "for values of global memory that are on their way; 0 = no limit"), "l1_units": ("L1s", "of a core"),
             "sector_bytes": ("bytes", "of a sector"), "l1_hit_latency": ("cycles", "of a hit"), "mshr_entries": ("misses", "outstanding at once"),
             "mshr_merges": ("requests", "that wait for one of them"), "tags_per_cycle": ("look-ups per cycle", "of an L1"),
             "data_bytes_per_cycle": ("bytes per cycle", "of an L1"), "l2_latency": ("cycles", "of a hit in the L2"),
             "dram_latency": ("cycles", "of the DRAM, after the L2"), "group_start_latency": ("cycles", "until a work-group's first instruction")}
    words = {"warp_scheduler": "which warp issues next", "l1_stages": "what an access costs the L1", "l2_slice_index": "which slice a line belongs to",
             "l2_set_index": "which set of the slice", "assignment": "which core gets which work-group"}
    costs = record("an instruction class", {"instructions": integer("instructions", "of the machine for one of the capture"),
                                            "latency": integer("cycles", "until its result is there"),
                                            "interval": integer("cycles", "for which it occupies its unit")})
    shared = record("A cache between the L1s of several cores and the L2; null where there is none", {
        "size_kib": number("KiB", "of one"), "ways": integer("lines", "of a set"), "cores": integer("cores", "that share one"),
        "bytes_per_cycle": integer("bytes per cycle", "of one; 0 = no limit"), "latency": integer("cycles", "of a hit")})
    waves = record("With --waves: the first work-groups of each launch", {
        "waves": integer("waves", "of as many work-groups as fit on all cores"), "work_groups": integer("work-groups", "that were simulated"),
        "of": integer("work-groups", "that were recorded")})
    assumed = record("what the GPU's description does not have", {"key": text("key"), "value": _anything("what was taken"), "reason": text("why")})
    return record("With cachesim timed: the configuration", {
        **{name: number(*unit) for name, unit in whole.items()}, **{name: text(meaning) for name, meaning in words.items()},
        "independent": nullable(integer("instructions", "an instruction depends on the N-th before it; null: what the capture says of each block")),
        "allocate_on_fill": boolean("whether a line takes its place when its data arrives"), "ideal": nullable(text("--set ideal")),
        "shared_l1": nullable(shared), "waves": waves, "instruction_classes": map_of(costs, "class -> cost"), "assumed": array(assumed, "assumed values")}, ("schedulers", "warp_scheduler"))


def _schedule():
    residency = record("work-groups that a core holds of a launch", {
        "launch": integer("launch", "number of the first"), "launches": text("numbers of all of them"), "limited_by": text("what limits them"),
        "registers": integer("registers", "of a work-item"), "registers_from": text("where that number is from"),
        "registers_as": text("the architecture whose compiled code stands in for the GPU's; absent where the number is no fit, or the GPU's is known"),
        "machine_code": text("who made the machine code that was executed; absent: compiled by Warpscope's clang"),
        "work_groups": integer("work-groups", "at once")}, ())
    executed = record("a launch of machine code", {"launch": integer("launch", "number"),
                                                   "counters": map_of(integer("instructions", "that were executed"), "the profiler's name -> count")})
    ordered = record("a launch of machine code that may do something else in another run", {
        "launch": integer("launch", "number"), "text": text("which instruction depends on the order or the time of warps, and how")})
    return nullable({**map_of({}, "The stream's own context as it was: policy, seeds, assignment, layout, GPU; null for text streams"),
                     "properties": {"policy": text("order of the accesses"), "residency": array(residency, "per launch"),
                                    "executed": array(executed, "instructions of launches of machine code; absent without them"),
                                    "order_dependent": array(ordered, "launches of machine code that depend on the order of warps; absent without one")}})


def context():
    """The schema of `context`."""
    size = record("of all launches", {"least": number("KiB", "least"), "most": number("KiB", "most")})
    value = {"type": "object", "description": "a value of the GPU's description, with its source",
             "properties": {"value": _anything("unit: as its key says"), "source": text("from where"), "status": text("assumed, model, …"),
                            "note": text("note")}, "additionalProperties": True}
    preset = record("The GPU", {"name": text("name"), "description": text("in words"),
                                "values": map_of({"anyOf": [value, {"type": "string"}, {"type": "array"}]}, "key -> value")}, ("name",))
    skipped = record("launches of a kernel that do not fit", {
        "kernel": text("kernel"), "launches": text("numbers: 0,2-5"), "count": integer("launches", "how many"), "what": text("which limit, in its unit"),
        "needs": integer("of what", "by one work-group"), "limit": integer("of what", "of the GPU"), "gpu": text("name")}, ("kernel", "launches"))
    untimed = record("launches of a kernel that does what the timed engine does not model", {
        "kernel": text("kernel"), "launches": text("numbers: 0,2-5"), "count": integer("launches", "how many"), "uses": text("wmma, mma, cp.async, cluster")},
        ("kernel", "uses"))
    missing = record("launches that the capture does not hold", {"launches": integer("launches", "how many"), "why": text("why")})
    cores = record("The cores in the counts, where some are missing", {
        "every": nullable(integer("cores", "every n-th was recorded; null: they were drawn")), "count": integer("cores", "how many"),
        "of": integer("cores", "of how many"), "drawn": nullable(array(integer("core", "number"), "those that were drawn; null: every n-th")),
        "recorded": boolean("whether the capture has no others; false: --sample-cores")}, ())
    groups = record("smallest and largest", {"least": integer("work-groups", "of a launch"), "most": integer("work-groups", "of a launch")}, ("least", "most"))
    stratum = record("Launches that stand for each other", {
        "kernel": nullable(text("kernel; null: several")), **{name: nullable(array(integer("work-items", "x, y, z"), f"{name} size; null: several"))
                                                              for name in ("global", "local")},
        "work_groups": groups, "count": integer("launches", "how many"), "launches": text("their numbers: 0,2-5"),
        "size": number("lines", "lines that warps touch, from a look at a few work-groups of each launch; sum"),
        "drawn": array(integer("launch", "number"), "those that were drawn"), "drawn_sizes": array(number("lines", "of one launch"), "of those")},
        ("count", "launches", "drawn"))
    launches = record("The launches in the counts, where some were drawn", {
        "count": integer("launches", "how many"), "of": integer("launches", "of how many"), "seed": integer("seed", "of the draw"),
        "strata": array(stratum, "by their first launch")}, ("count", "of", "strata"))
    sizes = "look-ups and warp instructions"
    budget = record("With --budget: look-ups and memory instructions, as estimated from the capture", {
        "work": integer("look-ups and memory instructions", "that were allowed"), "all": integer("look-ups and memory instructions", "of everything"),
        "used": integer("look-ups and memory instructions", "of the part that was chosen")})
    work = record("Of warpscope: what each part has simulated, and might", {
        "fixed": integer("look-ups and memory instructions", "of the fixed order"), "timed": integer(sizes, "of the timed engine"),
        "timed_limit": nullable(integer("look-ups and memory instructions", "up to which it takes everything; null: whatever there is, or --budget")),
        "advice": integer(sizes, "of remedies that were tried"), "advice_limit": integer(sizes, "that these might take")})
    return record("Who made it, from what, with which settings", {
        "tool": text("cachesim or cachesim timed"), "version": text("release"), "commit": text("of the build"),
        "model_version": integer("version", "of the model: which numbers the same input gets; absent: before it was counted"),
        "input": record("the input", {"name": text("file"), "kind": text("capture, binary stream, text stream or transaction stream")}),
        "capture_hash": nullable(text("identity of the capture, 16 hexadecimal digits")), "cache": _cache(), "coalescing": text("rule"),
        "preset": nullable(preset), "cores": integer("cores", "that the accesses were made for"), "warp_size": integer("lanes", "of a warp"),
        "seed": integer("seed", "of random choices"), "sampling": text("which work-groups were recorded: all, or what was asked for"),
        "sampled_cores": nullable(cores), "sampled_launches": launches, "budget": budget, "work": work, "device_like": nullable(text("the device that the captured program saw: pocl, common or a GPU")),
        "skipped": array(skipped, "launches that do not fit the GPU and are in no count"),
        "not_timed": array(untimed, "launches of which no cycles are estimated"),
        "not_traced": array(missing, "what the capture does not hold"), "l1_kib": size, "carveout_kib": nullable(size),
        "partial": boolean("whether the input was cut short"), "schedule": _schedule(), "layout": nullable(_layout()), "timed": _timed()},
        ("tool", "version", "input", "cache", "cores", "warp_size", "partial"))
