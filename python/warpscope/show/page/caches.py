"""Misses of other L1 caches, for the page: one pass over the schedule gives all LRU caches (cachesim sweep)."""
import json
import pathlib
import subprocess
import tempfile
from typing import TypedDict

from warpscope.base import toolchain
from warpscope.show.page import parts

SIZES = (8, 16, 32, 64, 128, 256)  # KiB: hashed set indexes need powers of two
WAYS = (1, 2, 4, 8, 16)
MOST_TRANSACTIONS = 400_000  # of all launches: beyond it the sweep would cost more than the page may


class Caches(TypedDict):
    """Percent of the loads' transactions that miss, a row for each number of ways and a column for each size; None: no such cache."""
    sizes: list[int]
    ways: list[int]
    misses: list[list[float | None]]


def of_capture(result, capture):
    """Caches of a capture; None where it would take too long, or no preset says what machine it is."""
    context = result["context"]
    preset = (context.get("preset") or {}).get("name")
    transactions = sum(result["total"][kind]["transactions"] for kind in parts.KINDS)
    if preset is None or not 0 < transactions <= MOST_TRANSACTIONS or "repeat" in result or context.get("sampled_cores") or "sampled_launches" in context:
        return None
    with tempfile.TemporaryDirectory(prefix="warpscope-page.") as folder:
        path = pathlib.Path(folder) / "sweep.json"
        words = toolchain.command("cachesim", "sweep", capture, "--gpu", preset, "--size", ",".join(map(str, SIZES)), "--ways",
                                  ",".join(map(str, WAYS)), "--top", 0, "--json", path)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=toolchain.environment(), check=False)
        if done.returncode != 0 or not path.exists():
            return None  # a GPU of the user's own, or a cache that has no such sets
        return shaped(json.loads(path.read_text(encoding="utf-8")))


def shaped(sweep):
    """The cells of a sweep as rows by ways; sizes without any cell are left out."""
    found = {(cell["size_kib"], cell["ways"]): cell["load_miss_rate_percent"] for cell in sweep["cells"]}
    sizes = [size for size in SIZES if any((size, ways) in found for ways in WAYS)]
    return {"sizes": sizes, "ways": list(WAYS), "misses": [[found.get((size, ways)) for size in sizes] for ways in WAYS]} if sizes else None
