"""What one GPU measured, or one simulator computed, as one JSON file: docs/validation/contribute.md. Standard library only.

hw-profile writes it next to the CSV; `validation/accuracy --add` scores it.
"""
import json
import pathlib
import re

from warpscope.base import inputs
from warpscope.base.errors import InputError
from warpscope.base.source import SOURCE
from warpscope.result import counter_names

FORMAT, VERSION = "warpscope launches", 1
EXPECTED = f"a JSON file with \"format\": \"{FORMAT}\" (docs/validation/contribute.md)"
DEVICE = ("compute_capability", "cores", "driver")


def profilers_name(counter, profiler):
    """Our counter's name as that profiler calls it; ours where the profiler needs several, or has none."""
    known = counter_names.BY_NAME.get(counter)
    choices = known.choices(profiler) if known else []
    alone = [names[0] for names in choices if len(names) == 1]
    return alone[0].removeprefix("event:") if alone else counter


def _measured(median, lowest, highest):
    """A number alone stands for all three."""
    return median if lowest == highest else {"median": median, "lowest": lowest, "highest": highest}


def _launch(rows, launch, profiler):
    """One launch, from the CSV's rows of it."""
    counters = {profilers_name(row[4], profiler): _measured(*map(float, row[6:9])) for row in rows if row[4] != "output_checked"}
    one = {"launch": launch.name, "family": launch.folder, "file": str(launch.file.resolve().relative_to(SOURCE)),
           "options": ["--launch-file", str(launch.path.resolve().relative_to(SOURCE)), *launch.options],
           "grid": [-(-size // local) for size, local in zip(launch.global_size, launch.local_size)], "block": list(launch.local_size),
           "input": launch.input}
    registers = counters.get("launch__registers_per_thread") or counters.get("registers")
    if registers:
        one["registers"] = int(registers["median"] if isinstance(registers, dict) else registers)
    return {**one, "counters": counters}


def write(path, context, rows, launches):
    """`rows`: those of the CSV (measurements.row); `launches`: suite_launches.Launch. Whole or not at all."""
    name, _, version = context.get("profiler", "").partition(" ")
    by_launch = {}
    for row in rows:
        by_launch.setdefault(row[0], []).append(row)
    content = {"format": FORMAT, "version": VERSION,
               "gpu": {"name": context["gpu"], **{key: context[key] for key in DEVICE if key in context}},
               "profiler": {"name": name or "none", "version": version, "conditions": context["counters"]},
               "context": {key: str(value) for key, value in context.items()},
               "launches": [_launch(by_launch[launch.name], launch, name) for launch in launches if launch.name in by_launch]}
    path = pathlib.Path(path)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(_text(content), encoding="utf-8")
    temporary.replace(path)


def _text(content):
    """JSON with a line per launch."""
    head = json.dumps({key: value for key, value in content.items() if key != "launches"}, indent=1)
    launches = ",\n".join("  " + json.dumps(launch) for launch in content["launches"])
    return f"{head[:-2]},\n \"launches\": [\n{launches}\n ]\n}}\n"


def read(path):
    """The content, with `counters` of every launch as {name: {"median", "lowest", "highest"}}. Raises InputError."""
    content = inputs.read_json(path, EXPECTED)
    with inputs.complete(path, EXPECTED):
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise InputError(f"{path}: format '{content['format']}', version {content['version']}, expected '{FORMAT}', {VERSION}")
        if ("profiler" in content) == ("simulator" in content):
            raise InputError(f"{path}: expected 'profiler' (measured) or 'simulator' (computed), one of them")
        content["gpu"]["name"].lower()
        names = set()
        for launch in content["launches"]:
            if not re.fullmatch(r"[^\s|`]+", launch["launch"]) or launch["launch"] in names:
                raise InputError(f"{path}: launch '{launch['launch']}', expected names without blanks, each once")
            names.add(launch["launch"])
            launch["counters"] = {str(name): _values(value) for name, value in launch["counters"].items()}
    return content


def _values(value):
    """A number alone is all three."""
    if isinstance(value, dict):
        median = float(value["median"])
        return {"median": median, "lowest": float(value.get("lowest", median)), "highest": float(value.get("highest", median))}
    return dict.fromkeys(("median", "lowest", "highest"), float(value))
