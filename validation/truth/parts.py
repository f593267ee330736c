"""Which part of a launch is recorded or simulated, as --work-groups and --global of a command say it."""
import math
import re

WAVES = 3                      # of work-groups on all cores, that `timed` simulates of a large launch
SOME_CORES = ("coulomb", "conv7x7", "convolution")  # families of which `timed` simulates few cores: blocks share at most a halo, by the L2
MOST_SOME_CORES = 4
UNEVEN = {"convolution": ("-D", "copies_only=1")}  # families whose work-groups at the border load less than others, so that no part
                               # stands for all; options that leave of the kernel little but its global loads
LOADS_OF_ALL = ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",)  # what is counted of all work-groups there


def selection(options):
    """The --work-groups of a command, or None."""
    for place, word in enumerate(options):
        if word == "--work-groups":
            return options[place + 1]
        if word.startswith("--work-groups="):
            return word.split("=", 1)[1]
    return None


def without(options, *names):
    """The options of a command less some that have a value."""
    words, skip = [], False
    for word in options:
        if skip or word.split("=", 1)[0] in names and "=" in word:
            skip = False
        elif word in names:
            skip = True
        else:
            words.append(word)
    return tuple(words)


def counts_differ(launch):
    """Whether loads are to be counted of all work-groups, because those that are recorded do not stand for the others."""
    return (launch.family in UNEVEN and selection(launch.command.options) is not None
            and any(counter in launch.measured for counter in LOADS_OF_ALL))


def loads_of_all_groups(launch):
    """The options of a capture of global memory alone, of all work-groups."""
    options = without(launch.command.options, "--work-groups", "--address-space")
    return (*options, *UNEVEN[launch.family], "--address-space", "global")


def selected_groups(text, groups):
    """How many of a launch's work-groups a selection names; None where it draws them at random."""
    if text in (None, "all"):
        return groups
    if match := re.fullmatch(r"every:(\d+)", text):
        return math.ceil(groups / int(match[1]))
    if match := re.fullmatch(r"every-core:(\d+)/(\d+)", text):
        every, cores = int(match[1]), int(match[2])
        return groups // cores * math.ceil(cores / every) + math.ceil(groups % cores / every)
    if match := re.fullmatch(r"waves:(\d+)/(\d+)", text):
        return min(groups, int(match[1]) * int(match[2]))
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return None
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        count += min(int(last or first), groups - 1) - int(first) + 1
    return count


def some_cores(cores):
    """The largest number up to MOST_SOME_CORES that divides a GPU's cores: work-group i is then on the same core as on all cores."""
    return next(few for few in range(MOST_SOME_CORES, 0, -1) if cores % few == 0)


def share_of_memory(preset, few, cores):
    """Options of cachesim that leave `few` of a GPU's cores their share of the L2 and of the DRAM, so that both are the bottleneck
    that they are with all cores. `preset`: its keys, as in gpus/; a value that is not known stays so."""
    known = {key: entry["value"] for key, entry in preset.items()
             if key.startswith(("l2_", "dram_")) and isinstance(entry["value"], (int, float))}
    share = few / cores
    changed = {key: known[key] * share for key in ("l2_size_kib", "dram_bandwidth_gb_per_s") if key in known}
    if "l2_slices" in known:
        changed["l2_slices"] = max(1, round(known["l2_slices"] * share))
        if "l2_bytes_per_cycle_per_slice" in known:
            changed["l2_bytes_per_cycle_per_slice"] = (known["l2_bytes_per_cycle_per_slice"] * known["l2_slices"] * share
                                                       / changed["l2_slices"])
    if "dram_channels" in known:
        changed["dram_channels"] = max(1, round(known["dram_channels"] * share))
    whole = {key: value if key == "dram_bandwidth_gb_per_s" else max(1, round(value)) for key, value in changed.items()}
    return [word for key, value in sorted(whole.items()) for word in ("--set", f"{key}={value:g}")]


def waves_of_some_cores(cores, resident, groups):
    """The work-groups of the first waves of the first some_cores(), as --work-groups takes them."""
    few = some_cores(cores)
    firsts = range(0, min(WAVES * resident * cores, groups), cores)
    return ",".join(f"{first}-{min(first + few, groups) - 1}" for first in firsts)


def cut(grid, block, part):
    """Options of trace-kernel for a grid that ends, in its last dimension, where the work-groups of `part` do: what comes later needs
    not be run."""
    x, y, z = grid
    needed = int(re.split("[,-]", part)[-1]) + 1
    y, z = (y, -(-needed // (x * y))) if z > 1 else (-(-needed // x), z)
    return ["--global", ",".join(str(groups * items) for groups, items in zip((x, y, z), block))]
