"""What cachesim's result says under the names of hardware counters (validation/hw-profile.md, column "simulated")."""
from warpscope.result import counter_names, counters, rates, results

SECTOR_BYTES = 32
FIELDS = counters.KIND_COUNTERS + counters.STAGE_COUNTERS


class Part:
    """The loads, stores or atomics of one launch: sums of counters and the trivial predictors' misses."""

    def __init__(self):
        self.counts = dict.fromkeys(FIELDS, 0)
        self.has = set()
        self.cold = 0
        self.fully_associative = 0

    def add(self, kind, classes):
        for field in FIELDS:
            if field in kind:
                self.counts[field] += kind[field]
                self.has.add(field)
        if classes:
            self.cold += classes["cold"]
            # What the shadow misses: it is fully associative, LRU, and of the same size.
            self.fully_associative += classes["cold"] + classes["invalidated"] + classes["capacity"] + classes["anti_conflict"]
        return self

    def predictors(self):
        """Miss rates in percent by trivial means: name -> rate, None where nothing was looked up."""
        return {"cold misses only": rates.percent(self.cold, self.looked_up),
                "fully associative LRU": rates.percent(self.fully_associative, self.looked_up)}

    @property
    def looked_up(self):
        return rates.looked_up(self.counts)

    @property
    def missed(self):
        return rates.missed(self.counts)


def geometry(result):
    """(line bytes, bytes of a transaction): a sector where the cache has sectors, else a line."""
    cache = result["context"]["cache"]
    line = cache["line_bytes"]
    return line, cache.get("sector_bytes") or line


def has_private(result):
    return any(site["space"] == "private" for site in result["sites"])


def can_tell_one_core(result):
    """Whether the loads of a core are those of global memory: its private ones are not apart."""
    return bool(result["cores"]) and not has_private(result)


def parts_of(result, launch=None):
    """Name -> Part: load, store, atomic and, where sites can tell (one launch), private_load, private_store."""
    parts = {name: Part() for name in ("load", "store", "atomic", "private_load", "private_store")}
    if launch is None or len(result["launches"]) == 1:
        for site in result["sites"]:
            if site["kind"] not in ("load", "store", "atomic"):
                continue
            name = f"private_{site['kind']}" if site["space"] == "private" and site["kind"] != "atomic" else site["kind"]
            parts[name].add(site[site["kind"]], site.get("miss_classes"))
        return parts
    one = result["launches"][launch]
    cache = result["context"]["cache"]
    allocating = results.stores_allocate(result) or \
        (has_private(result) and results.allocates(cache.get("private_write_policy", cache["write_policy"])))
    for kind in ("load", "store", "atomic"):
        # With stores that allocate, a launch's classes hold both kinds; only sites tell them apart.
        parts[kind].add(one[kind], one.get("miss_classes") if kind == "load" and not allocating else None)
    return parts


def counters(result, launch=None):
    """Counter name -> simulated value of one launch, or of the whole result; what is not simulated is left out."""
    line, unit = geometry(result)
    values = {}
    parts = parts_of(result, launch)
    for name, part in parts.items():
        values[f"{name}.requests"] = part.counts["requests"]
        if name == "atomic":
            continue
        if unit == SECTOR_BYTES:
            values[f"{name}.sectors"] = part.counts["transactions"]
            if part.looked_up == part.counts["transactions"]:
                values[f"{name}.hits"] = rates.hits(part.counts)
                values[f"{name}.misses"] = part.missed
        # The vendor's look-ups and wavefronts are those of the tag stage, of sectored caches.
        if unit == SECTOR_BYTES and not part.counts["bypasses"]:
            for ours, theirs in (("tag_lookups", "tag_lookups"), ("tag_wavefronts", "wavefronts")):
                if ours in part.has:
                    values[f"{name}.{theirs}"] = part.counts[ours]
    load = parts["load"]
    if load.looked_up:
        values["load.hit_rate_percent"] = rates.hit_rate_percent(load.counts)
    if not load.counts["bypasses"]:
        values["l2.reads_of_l1"] = (load.missed + parts["private_load"].missed) * unit // SECTOR_BYTES
        values["l1.read_sectors_from_l2"] = values["l2.reads_of_l1"]
    whole = result["total"] if launch is None else result["launches"][launch]
    written = _written(result, parts, whole, launch)
    if unit == SECTOR_BYTES and written is not None:
        values["l2.writes_of_l1"] = values["l1.write_sectors_to_l2"] = written
    values.update(_private(whole))
    values.update(_shared(whole))
    if "timing" in whole:  # what is elapsed on a GPU has a launch's start and end in it, too, which nothing here has
        values["cycles.active_sum"] = whole["timing"]["active_cycles"]
        values["cycles.elapsed"] = whole["timing"]["cycles"]
    if unit == line == 128 and can_tell_one_core(result):
        one = result["cores"][0]["load"]
        values["load.line_hits_of_one_core"] = rates.hits(one)
        values["load.line_misses_of_one_core"] = rates.missed(one)
    carveout = carveout_bytes(result, launch)
    if carveout is not None:
        values["shared.config_bytes"] = carveout
    return values


def carveout_bytes(result, launch=None):
    """What local memory had of a core's unified memory while a launch ran; None without. Results before `carveout_kib`: from the L1."""
    preset = results.preset_values(result)
    one = result["launches"][launch or 0] if launch is not None or len(result["launches"]) == 1 else {}
    if "carveout_kib" in one:
        return None if one["carveout_kib"] is None else 1024 * one["carveout_kib"]
    if "l1_kib" not in one or "l1_unified_kib" not in preset or "local_carveouts_kib" not in preset:
        return None
    rest = preset["l1_unified_kib"] - preset.get("l1_residue_bytes", 0) / 1024 - one["l1_kib"]
    return 1024 * min(preset["local_carveouts_kib"], key=lambda kib: abs(kib - rest))


def _written(result, parts, whole, launch):
    """Transactions that the L1 writes to the L2: what goes through, and what was dirty when it left. None where one cannot tell."""
    cache = result["context"]["cache"]
    policies = {"store": cache["write_policy"], "private_store": cache.get("private_write_policy", cache["write_policy"])}
    if len(set(policies.values())) > 1 and has_private(result) and not (launch is None or len(result["launches"]) == 1):
        return None  # only sites tell private memory apart
    back = whole.get("write_back_sectors")
    if back is None and any(policy.startswith("WB") for policy in policies.values()):
        return None
    written = back or 0
    for name, policy in policies.items():
        part = parts[name]
        written += part.counts["bypasses"]
        if not policy.startswith("WB"):
            written += part.looked_up
        elif not results.allocates(policy):
            written += part.missed
    return written


def _private(whole):
    """Requests of private memory as Nsight Compute counts them: one for every 4 bytes of a lane."""
    ncu = (whole.get("profiler") or {}).get("ncu", {})
    names = [f"private_{kind}.requests" for kind in ("load", "store")]
    return {name: ncu[metric] for name in names if (metric := counter_names.BY_NAME[name].ncu) in ncu}


def _shared(whole):
    """Local memory in OpenCL's words: requests, and what the bank simulation says where there is one."""
    local = whole.get("outside_l1", {}).get("local", {})
    values = {}
    for kind in ("load", "store"):
        one = local.get(kind, {})
        if "requests" in one:
            values[f"shared_{kind}.requests"] = one["requests"]
        if "wavefronts" in one:
            values[f"shared_{kind}.wavefronts"] = one["wavefronts"]
            values[f"shared_{kind}.conflicts"] = one.get("conflicts", one["wavefronts"] - one["requests"])
    return values


def predictors(result, launch=None):
    """What trivial means give for the loads' miss rate."""
    return parts_of(result, launch)["load"].predictors()
