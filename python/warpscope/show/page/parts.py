"""What several sections of the page need of a result."""

KINDS = ("load", "store", "atomic")


def weight(part):
    """What decides which parts stay where all are too many: transactions, and wavefronts of local memory."""
    local = part.get("outside_l1", {}).get("local", {})
    return (sum(part[kind]["transactions"] for kind in KINDS)
            + sum(numbers.get("wavefronts", numbers["requests"]) for numbers in local.values()))


def heaviest(parts, most, heavy=weight):
    """At most `most` of the parts, in their order, and how many are left out."""
    if len(parts) <= most:
        return list(parts), 0
    kept = sorted(sorted(range(len(parts)), key=lambda number: -heavy(parts[number]))[:most])
    return [parts[number] for number in kept], len(parts) - most


def timed_result(result):
    """The result of the timed engine: under `timed`, or the result itself; None without one."""
    return next((one for one in (result.get("timed"), result) if one and one["total"].get("timing")), None)


def sector_bytes(result):
    """What a transaction is looked up as: a sector, or the line where lines have none."""
    cache = result["context"]["cache"]
    return cache.get("sector_bytes") or cache["line_bytes"]
