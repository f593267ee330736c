"""What the parts of the GPU can do, and how busy a result has kept them."""
import dataclasses

from warpscope.result import rates, results

KINDS = ("load", "store", "atomic")
SECTOR = 32  # bytes
BUSY = 0.6         # a unit that is busier than this is what limits
LEAST_UNEVEN = 1.5  # times what the numbers of work-groups explain
STALLS = ("load_store_full", "unit_busy", "dependency", "memory", "barrier", "held_back")
# Where a finding takes work away, and in what that is counted.
UNITS = ("issue",    # issue slots: warp instructions
         "l1",       # the L1, the banks of local memory and constant memory: wavefronts
         "l2",       # ports to and from the L2, L2, DRAM: transactions that miss, bypass the L1 or are stored
         "waiting",  # schedulers that wait for loads: loads that miss or bypass the L1
         "queue")    # schedulers that wait for the load-store queue: transactions, and wavefronts of local and constant memory


def preset_value(result, key, default=None):
    """The value of a key of the preset; `default` if it is unknown."""
    return results.preset_values(result).get(key, default)


def is_amd(result):
    """Whether the GPU is one of AMD's: they have HIP instead of CUDA, and none of NVIDIA's profilers, compilers and options."""
    return preset_value(result, "vendor") == "AMD"


def dialect(result):
    """The language of the kernels' source, in which advice is written: OpenCL, CUDA or HIP."""
    is_cuda = any(source["name"].endswith((".cu", ".cuh")) or "__global__" in (source["text"] or "") for source in result.get("sources") or [])
    return ("HIP" if is_amd(result) else "CUDA") if is_cuda else "OpenCL"


def not_validated(result):
    """Why no result for this GPU can be relied upon; empty for GPUs with results in docs/validation."""
    return ((result["context"].get("preset") or {}).get("values") or {}).get("not_validated", "")


def readonly_path(result):
    """What takes loads of global memory that are marked read-only, where the L1 takes no others: "l1" (Maxwell, Pascal), "cache" (a cache of
    its own: Kepler of 3.5 and later); empty where the L1 takes all loads, or nothing takes these."""
    if preset_value(result, "l1_caches_global_loads", True):
        return ""
    generation = preset_value(result, "generation")
    if generation in ("Maxwell", "Pascal"):
        return "l1"
    return "cache" if generation == "Kepler" and preset_value(result, "readonly_cache_kib") else ""


def outside(counts, memory, name):
    """A counter of local or constant memory, loads, stores and atomics together."""
    return sum(kind.get(name, 0) for kind in counts.get("outside_l1", {}).get(memory, {}).values())


def wavefronts(counts, name="wavefronts"):
    """Cycles of the L1, or of its tag or data stage, for global and private memory."""
    return sum(counts[kind].get(name, 0) for kind in KINDS)


@dataclasses.dataclass
class Busy:
    """Shares from 0 to 1. Of cores: of the cycles in which they had warps. Of L2 and DRAM: of all cycles."""

    cycles: int
    issue: float
    tags: float
    data: float      # data stage of the L1 and the banks of local memory
    l2: float
    dram: float
    stalls: dict     # STALLS: of the schedulers' cycles on cores with warps
    idle: float      # of all cores' cycles, those of cores without warps
    warps: float     # mean of a core, of the cycles in which it had any; no share
    uneven: float = 0.0  # split_unevenly(): share of the work's time that the cores with work lose

    @property
    def l1(self):
        return max(self.tags, self.data)

    @property
    def busiest(self):
        """The share of the busiest unit."""
        return max(self.issue, self.l1, self.l2, self.dram)


def _part(timed, fixed, memory):
    """Which part of the fixed order's accesses, to the L1 or to `memory`, the timed result covers: 1 unless it simulates some of the launches."""
    def requests(result):
        counts = result["total"]
        return outside(counts, memory, "requests") if memory else sum(counts[kind]["requests"] for kind in KINDS)

    return requests(timed) / requests(fixed) if requests(fixed) else 0.0


def covered(fixed, timed):
    """Which part of a result's accesses its timed result covers, 0 to 1."""
    return _part(timed, fixed, None) or _part(timed, fixed, "local")


def _l2_share(timed, timing, cores):
    """The busiest of the ports of the cores and of the L2's slices."""
    cycles, memory = timing["cycles"], timing["memory"]
    assumed = {one["key"]: one["value"] for one in timed["context"].get("timed", {}).get("assumed", [])}
    width = preset_value(timed, "l2_to_core_bytes_per_cycle") or float(assumed.get("l2_to_core_bytes_per_cycle", 64))
    down = timing["l2_to_core_bytes"] / (width * cores * cycles)
    up = timing["core_to_l2_bytes"] / (float(assumed.get("core_to_l2_bytes_per_cycle", 32)) * cores * cycles)
    slices = preset_value(timed, "l2_slices"), preset_value(timed, "l2_bytes_per_cycle_per_slice")
    sectors = sum(count for name, count in memory.items() if name.startswith("l2_") and name != "l2_write_backs")
    own = sectors * SECTOR / (slices[0] * slices[1] * cycles) if all(slices) else 0
    return max(down, up, own)


def split_unevenly(timed):
    """Which part of the time the cores with work would save if each had the same number of instructions: 1 - mean ÷ most. 0 where that
    follows from the number of work-groups (a last wave), and where launches differ: cores are counted over all launches."""
    if len(results.launch_groups(timed)) != 1:
        return 0.0
    cores = [core["timing"] for core in timed["cores"] if core.get("timing", {}).get("work_groups")]

    def lost(name):
        counts = [core[name] for core in cores]
        return 1 - sum(counts) / len(counts) / max(counts) if counts and max(counts) else 0.0

    by_work, by_groups = lost("warp_instructions"), lost("work_groups")
    return by_work if by_work >= LEAST_UNEVEN * by_groups else 0.0


def busy(fixed, timed):
    """How busy the timed result has kept the GPU; None without a timed result. Wavefronts are those of the fixed order, which are the
    same in every order."""
    if not timed or not timed["total"].get("timing", {}).get("cycles"):
        return None
    timing = timed["total"]["timing"]
    cycles, cores = timing["cycles"], timed["context"]["cores"]
    active = max(timing["active_cycles"], 1)
    global_part, local_part = _part(timed, fixed, None), _part(timed, fixed, "local")
    local = outside(fixed["total"], "local", "wavefronts") * local_part
    units = timed["context"].get("timed", {}).get("l1_units", 1)
    scheduler = timing["scheduler_cycles"]
    schedulers = max(timed["context"].get("timed", {}).get("schedulers", 1) * active, 1)
    clock, bandwidth = preset_value(timed, "core_clock_mhz"), preset_value(timed, "dram_bandwidth_gb_per_s")
    dram = timing["memory"]["dram_bytes_per_cycle"] / (bandwidth * 1000 / clock) if clock and bandwidth else 0.0
    return Busy(cycles, min(1, scheduler["issued"] / schedulers),
                min(1, wavefronts(fixed["total"], "tag_wavefronts") * global_part / active / units),
                min(1, (max(wavefronts(fixed["total"], "data_wavefronts") * global_part, 0) + local) / active / units),
                min(1, _l2_share(timed, timing, active / cycles)), min(1, dram),
                {name: scheduler.get(name, 0) / schedulers for name in STALLS}, max(0.0, 1 - active / (cores * cycles)),
                timing["resident_warp_cycles"] / active, split_unevenly(timed))


def _instructions(fixed):
    """Warp instructions of all launches of a result, as its timed part tells; 0 without one."""
    timed = fixed.get("timed")
    part = covered(fixed, timed) if timed else 0.0
    return timed["total"].get("timing", {}).get("warp_instructions", 0) / part if part else 0


def work(fixed):
    """The whole work of each of UNITS, in the counts of the fixed order."""
    total = fixed["total"]
    outside_wavefronts = outside(total, "local", "wavefronts") + outside(total, "constant", "wavefronts")
    loads = rates.missed(total["load"]) + total["load"]["bypasses"]
    stored = total["store"]["transactions"] + total["atomic"]["transactions"]
    transactions = sum(total[kind]["transactions"] for kind in KINDS)
    return {"issue": _instructions(fixed), "l1": wavefronts(total) + outside_wavefronts, "l2": loads + stored, "waiting": loads,
            "queue": transactions + outside_wavefronts}


def share_of_cycles(extra, whole, used):
    """The part of the cycles that goes with the work in `extra`; None without Busy. It is the larger of two estimates.

    Units: a unit that is busy in b of the cycles saves b × (the part of its work that goes) if it is the busiest; another one saves
    that less what it is short of the busiest. Stalls: the part of the work times the share of the schedulers' cycles that wait for it;
    waiting for loads and for the queue exclude each other, so they add up."""
    if used is None:
        return None
    part = {unit: min(1.0, extra.get(unit, 0) / whole[unit]) if whole[unit] else 0.0 for unit in UNITS}
    shares = {"issue": used.issue, "l1": used.l1, "l2": max(used.l2, used.dram)}
    most = max(shares.values())
    units = max(share * part[unit] - (most - share) for unit, share in shares.items())
    waits = part["waiting"] * used.stalls["memory"] + part["queue"] * used.stalls["load_store_full"]
    return max(0.0, units, waits)
