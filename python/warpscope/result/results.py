"""Reads result.json (cachesim/RESULT.md), and says in words what it is of. Rates are rates.py."""
import mmap
import os

from warpscope.base.errors import InputError, printable, reason
from warpscope.base.inputs import parse_json, read_json
from warpscope.result import rates, tables

SCHEMA = 1
LARGE = 64 << 20  # bytes; of a file above this, hundreds of megabytes of launches need not be in memory
EXPECTED = "a complete result of cachesim --json"
KEYS = ("context", "total", "cores", "sites", "buffers", "sources")  # without which nothing can be shown
CLASSES = ("cold", "capacity", "conflict", "invalidated")


FEW = 64  # launch groups that are kept of a large result


def _cut(text, key, keep):
    """The bytes of a result as cachesim writes it, each list under `key` cut to its first `keep` elements."""
    start, parts, at = b'\n "' + key + b'": [\n', [], 0
    while (found := text.find(start, at)) >= 0:
        end = text.find(b"\n ]", found)
        last = found + len(start)
        for _ in range(keep):
            last = text.find(b"\n  }", last, end) + 4
            if last < 4:  # there are fewer
                last = end
                break
        parts += [text[at:last] if keep else text[at:last - 1]]
        at = end if end >= 0 else len(text)
    return b"".join([*parts, text[at:]])


def _read(path, expected):
    if not os.path.isfile(path) or os.path.getsize(path) <= LARGE:
        return read_json(path, expected)
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
            text = _cut(whole, b"launches", 1)
            if b'\n "kernels": [' in text:  # which say in short what all groups of launches add up to
                text = _cut(text, b"launch_groups", FEW)
    except OSError as error:
        raise InputError(f"{path}: {reason(error)}, expected {expected}") from error
    result = parse_json(path, text, expected)
    for one in (result, result.get("timed")) if isinstance(result, dict) else ():
        if isinstance(one, dict):
            one.pop("launches", None)
    return result


def load(path):
    """The result as a dict, a large one without `launches`, and with FEW `launch_groups` if it has `kernels`. Raises InputError when it is missing, not JSON, or of another schema."""
    result = _read(path, "a result of cachesim --json")
    if not isinstance(result, dict) or "schema" not in result or "total" not in result:
        raise InputError(f"{path}: no 'schema' and 'total', expected a result of cachesim --json")
    if result["schema"] != SCHEMA:
        raise InputError(f"{path}: schema {result['schema']}, expected {SCHEMA}; use the scripts of that release")
    missing = [key for key in KEYS if key not in result]
    if "launches" not in result and "launch_groups" not in result:
        missing.append("launch_groups")
    if missing:
        raise InputError(f"{path}: no '{missing[0]}', expected {EXPECTED}")
    return result


def launch_groups(result):
    """The launches of a result by their kinds: [{"kernel", "global", "local", "l1_kib", "count", "first", …}], in order of the first."""
    if "launch_groups" in result:
        return result["launch_groups"]
    return [{"count": 1, "first": launch["launch"], "launches": str(launch["launch"]), **launch} for launch in result["launches"]]


def launch_count(result):
    """How many launches were simulated. A large result has only some of its groups, but says how many launches each kernel had."""
    if "kernels" in result:
        return sum(kernel["launches"] for kernel in result["kernels"])
    return sum(group["count"] for group in launch_groups(result))


def own_name(launch):
    """What the source calls the kernel of a launch; `kernel` has what tells kernels of one name apart, too."""
    return launch.get("kernel_name", launch["kernel"])


def not_timed(result):
    """What launches do that the timed engine does not model, "wmma, cp.async"; empty if nothing."""
    return ", ".join(dict.fromkeys(use for one in result["context"].get("not_timed") or [] for use in one["uses"].split(", ")))


def not_timed_line(result):
    """What a reader must know before any number of cycles; empty if all launches can be timed."""
    uses = not_timed(result)
    if not uses:
        return ""
    names = list(dict.fromkeys(one["kernel"] for one in result["context"]["not_timed"]))
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return f"not timed: {uses} (kernel {printable(names[0])}{more}); no cycles are given, as these instructions are not modelled"


def has_accesses(result):
    """Whether any launch accessed memory, in the L1 or outside it."""
    total = result["total"]
    outside = [kind for memory in total.get("outside_l1", {}).values() for kind in memory.values()]
    return any(kind["requests"] for kind in [*(total[name] for name in ("load", "store", "atomic")), *outside])


def preset_values(result):
    """{key: value} of what the GPU's preset knows, {} without a preset. Results of earlier versions name unknown keys, too."""
    entries = (result["context"].get("preset") or {}).get("values") or {}
    return {key: entry["value"] for key, entry in entries.items() if isinstance(entry, dict) and entry.get("value", "unknown") != "unknown"}


def allocates(write_policy):
    """Whether store misses bring lines in."""
    return write_policy in tables.allocating_policies()


def stores_allocate(result):
    """Whether store misses are classified too: with write policies that allocate."""
    return allocates(result["context"]["cache"]["write_policy"])


def classified(counts, result):
    """Transactions that the miss classes are a part of: loads, and stores where these allocate."""
    if "classified" in counts:
        return counts["classified"]
    return rates.looked_up(counts["load"]) + (rates.looked_up(counts["store"]) if stores_allocate(result) else 0)


def buffer_names(site):
    """What a memory instruction's kernel calls the buffers it touches, each name once."""
    return list(dict.fromkeys(buffer["name"] for buffer in site["buffers"] if buffer["name"]))


def argument_names(result):
    """{number of a buffer: what kernels call it, each name once}."""
    found = {}
    for site in result["sites"]:
        for buffer in site["buffers"]:
            if buffer["name"]:
                found.setdefault(buffer["buffer"], {})[buffer["name"]] = None
    return {number: list(names) for number, names in found.items()}


def buffer_label(buffer, arguments):
    """The host's name of a buffer, and those of kernels where they are others: d_a (in, out)."""
    others = [name for name in arguments.get(buffer["buffer"], []) if name != buffer["name"]]
    if not buffer["name"]:
        return ", ".join(others)
    return f"{buffer['name']} ({', '.join(others)})" if others else buffer["name"]


def site_label(site):
    """A memory instruction in two short lines: its buffers, its source line."""
    names = buffer_names(site)
    where = f"line {site['locations'][0]['line']}" if site["locations"] else f"site {site['site']}"
    return f"{printable(', '.join(names))}\n{where}" if names else where


def range_text(values):
    """First and last of values in order: "28 to 120", or "96"."""
    return f"{values[0]} to {values[-1]}" if len(values) > 1 else f"{values[0]}"


def cache_text(result):
    """The GPU, if a preset was used, and the cache that was simulated: one or two lines."""
    context = result["context"]
    cache = context["cache"]
    preset = context.get("preset")
    gpu = (preset.get("description") or preset["name"]).split(", L1")[0] + "\n" if preset else ""
    groups = launch_groups(result)
    left = sorted({launch.get("l1_kib", cache["size_kib"]) for launch in groups} or {cache["size_kib"]})
    taken = sorted({launch.get("carveout_kib") or 0 for launch in groups}, reverse=True)
    beside = f"{range_text(taken)} KiB of " if any(taken) else ""
    less = f"{range_text(left)} " if left[0] < cache["size_kib"] else ""
    smaller = f" ({less}next to {beside}local memory)" if less or beside else ""
    return (f"{gpu}L1 of {cache['size_kib']} KiB{smaller}, {cache['line_bytes']}-byte lines, {cache['ways']} ways, "
            f"{cache['replacement']}, {cache['write_policy']}, {cache['set_index']} sets; {context['cores']} cores")


def launch_text(launch):
    """One line about a launch."""
    def size(values):
        values = list(values)
        while len(values) > 1 and values[-1] == 1:
            values.pop()
        return "\u00d7".join(str(value) for value in values)

    if not launch.get("kernel"):
        return "text stream"
    return f"{printable(launch['kernel'])}, {size(launch['global'])} work-items in groups of {size(launch['local'])}"


def sampled_text(result):
    """Which cores or launches are in the counts, if not all, in words; empty if all are."""
    if launches := result["context"].get("sampled_launches"):
        return f"only {launches['count']:,} of {launches['of']:,} launches were simulated (drawn at random)"
    cores, sampling = result["context"].get("sampled_cores"), result["context"].get("sampling", "all")
    if not cores:
        return ""
    chosen = "drawn at random" if cores["drawn"] else sampling
    return f"only {cores['count']} of {cores['of']} cores were {'recorded' if cores['recorded'] else 'simulated'} ({chosen})"


def first_recorded_core(result):
    """The first core whose work-groups the capture holds, and the number of its first work-group."""
    sampled = result["context"].get("sampled_cores")
    return (sampled["drawn"] or [0])[0] if sampled and sampled["recorded"] else 0


def one_sampled_core(result):
    """(options of warpsched for the first core of a capture that holds only some cores' work-groups, what they choose); None if it holds
    all: other numbers of cores would be refused."""
    sampled = result["context"].get("sampled_cores")
    if not sampled or not sampled["recorded"]:
        return None
    core = first_recorded_core(result)
    return ["--cores", sampled["of"], "--core", core, "--max-workgroups", 0], f"the work-groups of core {core} of {sampled['of']}"


def title(result):
    """The launches in a few words."""
    groups, launches = launch_groups(result), launch_count(result)
    if not groups:
        return result["context"]["input"]["name"]
    rest = f" and {launches - 1:,} more launches" if launches > 1 else ""
    return launch_text(groups[0]) + rest


def not_traced(result):
    """What the capture does not hold, one line each."""
    return [f"not traced: {part['launches']:,} launch{'' if part['launches'] == 1 else 'es'} {part['why']}" for part in result["context"].get("not_traced", [])]
