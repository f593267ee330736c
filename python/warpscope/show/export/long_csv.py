"""A result as CSV with one value per line."""
from warpscope.base import csv_cells
from warpscope.result import instructions
from warpscope.show.export.schema import schema

COLUMNS = ("clock", "part", "kernel", "launch", "name", "source", "counter", "value", "unit")
# Parts of a result, and what in them says which part it is and is no counter.
LISTS = {"launches": ("launch", "source"), "launch_groups": ("first", "count"), "kernels": ("launches",), "cores": ("core",),
         "sites": ("site", "source", "width", "alignment"), "buffers": ("buffer", "address")}


class _Units:
    """The units of the schema, by the place of a number."""

    def __init__(self):
        self.whole = schema()

    def resolved(self, part):
        """A part of the schema without references, and without "or null"."""
        while "$ref" in part or "anyOf" in part:
            if "$ref" in part:
                part = self.whole if part["$ref"] == "#" else self.whole["$defs"][part["$ref"].rpartition("/")[2]]
            else:
                part = part["anyOf"][0]
        return part

    def of(self, *path):
        part = self.whole
        for name in path:
            part = self.below(part, name)
        return part

    def below(self, part, name):
        """What the schema says of a key, or (None) of the elements of a list."""
        part = self.resolved(part)
        if name is None:
            return part.get("items", {})
        return part.get("properties", {}).get(name) or (part.get("additionalProperties") or {})

    def unit(self, part):
        return self.resolved(part).get("unit", "")


def _numbers(value, part, units, path=""):
    """(path, number, unit) of every number in an object; lists are no counters."""
    for key, one in value.items():
        of, name = units.below(part, key), f"{path}.{key}" if path else key
        if isinstance(one, dict):
            yield from _numbers(one, of, units, name)
        elif isinstance(one, (int, float)) and not isinstance(one, bool):
            yield name, one, units.unit(of)


def _source(site):
    place = site["locations"][0] if site.get("locations") else None
    return f"{place['file']}:{place['line']}:{place['column']}" if place else ""


def _labels(part, entry):
    """kernel, launch, name, source of an element."""
    launch = {"launches": entry.get("launch"), "launch_groups": entry.get("launches")}.get(part, "")
    name = {"cores": entry.get("core"), "sites": entry.get("site"), "buffers": entry.get("name")}.get(part, "")
    return [entry.get("kernel") or "", launch, name, _source(entry) if part == "sites" else ""]


def _instructions(result, clock):
    """Of executed machine code; the name is the address and the instruction."""
    for code in result.get("instructions") or ():
        for one in code["instructions"]:
            labels = [code["kernel"], code["launch"], f"{one['address']:04x} {one['text']}", f"{one['file']}:{one['line']}" if one["line"] else ""]
            for counter, (unit, _) in instructions.COUNTERS.items():
                if counter in one:
                    yield [clock, "instructions", *labels, counter, one[counter], unit]
            for reason, cycles in one.get("warp_stalls", {}).items():
                yield ["timed", "instructions", *labels, f"warp_stalls.{reason}", cycles, "warp cycles"]


def rows(result, clock="fixed", units=None):
    """Lists of COLUMNS: which model made it, the total, then every element of every part; then those of the timed result."""
    units = units or _Units()
    if "model_version" in result["context"]:
        yield [clock, "context", "", "", "", "", "model_version", result["context"]["model_version"], "version"]
    for counter, value, unit in _numbers(result["total"], units.of("total"), units):
        yield [clock, "total", "", "", "", "", counter, value, unit]
    for part, no_counters in LISTS.items():
        of = units.of(part, None)
        for entry in result.get(part) or ():
            labels = _labels(part, entry)
            counters = {key: value for key, value in entry.items() if key not in no_counters}
            for counter, value, unit in _numbers(counters, of, units):
                yield [clock, part, *labels, counter, value, unit]
    yield from _instructions(result, clock)
    if isinstance(result.get("timed"), dict):
        yield from rows(result["timed"], "timed", units)


def text(result):
    """The CSV."""
    return csv_cells.text([COLUMNS, *rows(result)])
