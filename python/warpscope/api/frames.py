"""pandas data frames of what the programs wrote: a row per site, buffer, launch, …, a column per counter (docs/reference/counters.md)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping

from warpscope.api.tools import needed

if TYPE_CHECKING:
    import pandas

KINDS = ("load", "store", "atomic")


def flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """{"load": {"hits": 1}} -> {"load.hits": 1}; lists stay as they are."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            found.update(flat(value, f"{before}{key}."))
        else:
            found[f"{before}{key}"] = value
    return found


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as what a table can hold: sizes as tuples, the first source location as columns, buffers by name."""
    found = flat(row)
    for key in ("global", "local"):
        if isinstance(found.get(key), list):
            found[key] = tuple(found[key])
    if isinstance(found.get("locations"), list):
        where = (found.pop("locations") or [{}])[0]
        found.update({"file": where.get("file"), "line": where.get("line"), "column": where.get("column")})
    if isinstance(found.get("buffers"), list):
        found["buffers"] = ", ".join(dict.fromkeys(one["name"] for one in found["buffers"] if one["name"]))
    return found


def table(rows: Iterable[Mapping[str, Any]], index: str = "") -> "pandas.DataFrame":
    """A row per element. `index`: its column that names the rows."""
    frame = needed("pandas", "a data frame").DataFrame([_plain(row) for row in rows])
    return frame.set_index(index) if index and index in frame else frame


def by_kind(counts: Mapping[str, Any]) -> "pandas.DataFrame":
    """Rows load, store and atomic; a column per counter."""
    return needed("pandas", "a data frame").DataFrame([counts[kind] for kind in KINDS], index=list(KINDS))


def compared(clock: Mapping[str, Any]) -> "pandas.DataFrame":
    """before, after and ratio of a clock: a row per measure."""
    return needed("pandas", "a data frame").DataFrame({name: clock[name] for name in ("before", "after", "ratio")})
