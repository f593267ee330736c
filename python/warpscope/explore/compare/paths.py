"""Key paths of result.json, such as total.load.miss_rate, and the value that a result has there."""
import difflib
import re

from warpscope.base.errors import InputError
from warpscope.result import rates
from warpscope.result.profiler_units import NCU, NVPROF

KIND = ("requests", "transactions", "hits", "misses", "bypasses")  # a dictionary with these is KIND of RESULT.md
DERIVED = ("hit_rate", "miss_rate", "transactions_per_request")
PERCENT = {name for name, unit in NCU.items() if unit == "%"} | {name for *_, name, unit in NVPROF if unit == "%"}  # of profilers
RATIOS = ("hit_rate", "miss_rate", "achieved_occupancy")  # between 0 and 1
EXPECTED = "a key path of result.json such as total.load.miss_rate, timed.total.timing.cycles or profiler.NAME"


def derived(kind, name):
    """A rate of KIND of RESULT.md (ratios between 0 and 1, or transactions per warp access); None without a denominator."""
    if name == "transactions_per_request":
        return rates.per_request(kind["transactions"], kind["requests"])
    missed = rates.miss_rate_percent(kind)
    if missed is None:
        return None
    return missed / 100 if name == "miss_rate" else 1 - missed / 100


def unit_of(path):
    """What the number at a path is: "percent", "ratio" (between 0 and 1), or "" (a count, cycles, …)."""
    name = re.split(r"[.\]]", path)[-1]
    if name.endswith("_percent") or any(path.endswith(f".{known}") for known in PERCENT):
        return "percent"
    return "ratio" if name in RATIOS else ""


def _parts(path):
    """a.b[c.d].e as ["a", "b", "[c.d]", "e"]."""
    name = r"[^.\[\]]+(?:\[[^\]]*\])*"
    if not re.fullmatch(rf"{name}(?:\.{name})*", path):
        raise InputError(f"'{path}': expected {EXPECTED}")
    return re.findall(r"\[[^\]]*\]|[^.\[\]]+", path)


def _choose(items, word, path):
    """An element of a list: by number, or by the kernel or name that it has."""
    if re.fullmatch(r"\d+", word):
        if int(word) < len(items):
            return items[int(word)]
        raise InputError(f"'{path}': [{word}]: has {len(items)} elements, expected a number below")
    found = [item for item in items if isinstance(item, dict) and word in (item.get("kernel"), item.get("name"))]
    if len(found) != 1:
        raise InputError(f"'{path}': [{word}]: {len(found)} elements have this name, expected one, or a number")
    return found[0]


def _missing(holder, parts, path, result):
    if parts[0] == "timed" and holder is result:
        why = (result.get("clocks") or {}).get("why")
        return InputError(f"'{path}': this result has no timed part{f' ({why})' if why else ''}, expected one made with --clock both")
    if not isinstance(holder, dict):
        return InputError(f"'{path}': no '{parts[0]}', expected {EXPECTED}")
    known = [*holder, *(DERIVED if _is_kind(holder) else ())]
    near = difflib.get_close_matches(".".join(parts), known, 5, 0.3) or known[:8]
    return InputError(f"'{path}': no '{'.'.join(parts)}', expected one such as {', '.join(near)}" if known else
                      f"'{path}': nothing is there, expected {EXPECTED}")


def _is_kind(holder):
    return all(name in holder for name in KIND)


def _step(holder, parts, path, result):
    """(what the first of the parts name, the parts that are left). A profiler's name has dots of its own: the longest key fits."""
    if parts[0].startswith("["):
        if not isinstance(holder, list):
            raise InputError(f"'{path}': {parts[0]}: not a list, expected a key")
        return _choose(holder, parts[0][1:-1], path), parts[1:]
    if isinstance(holder, dict):
        for count in range(len(parts), 0, -1):
            key = ".".join(parts[:count])
            if key in holder:
                return holder[key], parts[count:]
        if _is_kind(holder) and parts[0] in DERIVED:
            return derived(holder, parts[0]), parts[1:]
    raise _missing(holder, parts, path, result)


def _whole(result, parts, path):
    """Parts with what may be left out: profiler.NAME is total.profiler.PROFILER.NAME."""
    timed = parts[:1] if parts[0] == "timed" else []
    rest = parts[len(timed):]
    if rest[:1] != ["profiler"]:
        return parts
    counters = ((result.get("timed") or {}) if timed else result).get("total", {}).get("profiler")
    if not counters:
        raise InputError(f"'{path}': this result has no profiler's counters, expected one of a GPU (--gpu)")
    if len(rest) > 1 and rest[1] not in ("ncu", "nvprof"):
        rest = ["profiler", next((name for name in counters if ".".join(rest[1:]) in counters[name]), next(iter(counters))), *rest[1:]]
    return [*timed, "total", *rest]


def value(result, path):
    """The number at a path. Raises InputError where there is none, with the keys that are there."""
    found, rest = result, _whole(result, _parts(path), path)
    while rest:
        found, rest = _step(found, rest, path, result)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        what = "null" if found is None else "an object" if isinstance(found, dict) else "a list" if isinstance(found, list) else "a text"
        keys = f" below it, such as {', '.join(list(found)[:5])}" if isinstance(found, dict) and found else ""
        raise InputError(f"'{path}': is {what}, expected a number{keys}")
    return found
