"""What the page shows next to its own result: other GPUs, and what-ifs that were run for the same capture."""
import json
import pathlib

from warpscope.base import files
from warpscope.base.errors import printable
from warpscope.result import machine
from warpscope.show.page import html_file, parts
from warpscope.show.summary import rate_lines

WHAT_IFS = "what-if.json"  # in a report's folder: a list of comparisons
MOST = 50                  # what-ifs that are kept: the latest


def generations(by_gpu):
    """Rows of `generations` of write(), of [(name of the GPU, result)]."""
    return [_generation(name, result) for name, result in by_gpu]


def _generation(name, result):
    context, total = result["context"], result["total"]
    timed = parts.timed_result(result)
    counted = result.get("clocks") or {}
    whole = timed and (counted.get("timed_launches") == counted.get("launches") or timed["total"].get("estimate"))
    cycles = rate_lines.cycles(timed) if whole else None
    clock = machine.preset_value(result, "core_clock_mhz")
    return {"preset": name, "generation": machine.preset_value(result, "generation", ""), "coalescing": context.get("coalescing", ""),
            "l1_kib": (context.get("l1_kib") or {}).get("most", context["cache"]["size_kib"]), "load": total["load"], "store": total["store"],
            "local_memory": total.get("local_memory"), "cycles": cycles, "microseconds": cycles / clock if cycles and clock else None}


def what_ifs(folder):
    """The comparisons that were noted in a report's folder; those that cannot be read are none."""
    try:
        noted = json.loads((pathlib.Path(folder) / WHAT_IFS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [one for one in noted if isinstance(one, dict) and {"changes", "machine", "done", "fixed", "gpu"} <= set(one)] \
        if isinstance(noted, list) else []


def of_advice(result):
    """What the advice tried and gave, as what-ifs. The change of an advice is for these launches, so it says which."""
    advice = result.get("advice") or {}
    gpu = (result["context"].get("preset") or {}).get("name") or ""
    return [{"gpu": gpu, "changes": [" ".join(one["change"])], "machine": [], "done": [printable(line) for line in one["done"]],
             "fixed": one["fixed"], "timed": one["timed"], "advice": printable(f"advice: {one['title'] or one['rule']}")} for one in advice.get("given", [])]


def _same(one, other):
    return all(one[key] == other[key] for key in ("gpu", "changes", "machine"))


def note(capture, comparison):
    """Adds a comparison to the page in the capture's folder, if there is one, and to the folder's what-if.json. Returns the page's path,
    or None where there is no page."""
    folder = pathlib.Path(capture).parent
    path = folder / html_file.NAME
    if not path.is_file() or not (folder / "result.json").is_file():
        return None
    noted = [*(one for one in what_ifs(folder) if not _same(one, comparison)), comparison][-MOST:]
    files.write(folder / WHAT_IFS, json.dumps(noted, indent=1) + "\n")
    advised = [one for one in html_file.read(path)["what_ifs"] if "advice" in one]
    html_file.add(path, what_ifs=[*advised, *noted])
    return path
