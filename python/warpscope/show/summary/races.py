"""Data races in local memory: what trace-view --races finds, as a part of the result, and in the lines of the summary."""
import json
import re

from warpscope.base import toolchain
from warpscope.base.errors import ToolFailed

FOUND = 4  # exit status of trace-view --races
MOST_LINES = 2
KERNEL_COLUMNS = 24


def of_capture(capture_file, chosen, result):
    """`races` of the result, which has the launches `chosen`."""
    warp = result["context"].get("warp_size") or 32
    status, found, messages = toolchain.attempt("trace-view", "--races", "--json", "--partial", "--warp-size", warp, *chosen.words(),
                                                capture_file)
    if status not in (0, FOUND):
        raise ToolFailed(status if status > 0 else 1, messages.strip())
    return json.loads(found)


def _places(first, second):
    """"store app.cu:14, load :15"; the file once where it is the same."""
    def place(access, file):
        return f"{file}:{access['line']}" if access["line"] else "at an unknown line"

    if first["line"] and (first["file"], first["line"]) == (second["file"], second["line"]):
        return f"{first['kind']} and {second['kind']} {place(first, first['file'])}"
    again = second["file"] if second["file"] != first["file"] else ""
    return f"{first['kind']} {place(first, first['file'])}, {second['kind']} {place(second, again)}"


def _items(accesses):
    """"16, 0"; "[0,1], [1,0]": dimensions that both are 0 in are left out."""
    used = max((at + 1 for access in accesses for at, number in enumerate(access["work_item"]) if number), default=1)
    numbers = [",".join(map(str, access["work_item"][:used])) for access in accesses]
    return ", ".join(numbers if used == 1 else (f"[{number}]" for number in numbers))


def _line(race):
    kernel = re.sub(r"[<(].*", "", race["kernel"].replace("(anonymous namespace)::", "")).split(" ")[-1][-KERNEL_COLUMNS:]
    remedy = race["remedy"].replace("CLK_LOCAL_MEM_FENCE", "")
    return (f"RACE in {kernel}: {_places(*race['accesses'])} of {race['object']}: add {remedy}; {'threads' if race['cuda'] else 'items'} "
            f"{_items(race['accesses'])} of {'one warp' if race['scope'] == 'warp' else '2 warps'}")


def lines(result, capture=""):
    """The first of each kind, and how many more there are; nothing where none was found. Races in step are none on the GPUs that such
    code is for. `capture`: where it is; empty: not known."""
    races = [race for race in (result.get("races") or {}).get("races", []) if race["scope"] != "in-step"]
    by_scope = {race["scope"]: race for race in reversed(races)}
    shown = [race for race in races if race is by_scope[race["scope"]]][:MOST_LINES]
    if not shown:
        return []
    more = len(races) - len(shown)
    return [*map(_line, shown), *([f"     and {more:,} more: trace-view --races {capture or 'CAPTURE'}"] if more else [])]
