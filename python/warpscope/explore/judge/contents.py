"""What buffers hold before a launch that is judged: three sets of values, drawn from a seed within what the launch file allows."""
from __future__ import annotations

import hashlib
from typing import Any, Optional

import numpy

SETS = ("random", "structured", "extreme")
NARROW = "narrow"  # as extreme, but integers without a range are 0 and 99: what a reference takes that uses them as places, or counts to them
PERIOD = 17  # of structured values; a prime, so that no row of a tile is as long
# By bytes of a number: zeros, the smallest numbers, some that are large but whose products stay finite, and both signs.
EXTREMES = {2: (0.0, -0.0, 6e-8, -6.1e-5, 1.0, -1.0, 24.0, -31.0),
            4: (0.0, -0.0, 1e-45, -1e-40, 1.2e-38, -1e-20, 1.0, -1.0, 65504.0, -3e9, 1e12),
            8: (0.0, -0.0, 5e-324, -1e-310, 2.3e-308, -1e-100, 1.0, -1.0, 65504.0, -3e9, 1e40)}
# Integers where the launch file names no range: beyond half of their bits, yet sums and products of two do not overflow what C computes in.
WIDE = {"i1": (-128, -1, 0, 1, 99, 127), "i2": (-32768, -1, 0, 1, 99, 32767), "i4": (-40000, -1, 0, 1, 99, 40000),
        "i8": (-3000000000, -1, 0, 1, 99, 3000000000), "u1": (0, 1, 99, 255), "u2": (0, 1, 99, 40000), "u4": (0, 1, 99, 40000, 4294967295),
        "u8": (0, 1, 99, 3000000000, 18446744073709551615)}
TYPES = {("floating", 2): "f2", ("floating", 4): "f4", ("floating", 8): "f8", ("signed", 1): "i1", ("signed", 2): "i2", ("signed", 4): "i4",
         ("signed", 8): "i8", ("unsigned", 1): "u1", ("unsigned", 2): "u2", ("unsigned", 4): "u4", ("unsigned", 8): "u8"}


def number_type(element: dict[str, Any]) -> Optional[str]:
    """NumPy's name of the type of an element's components (launch.json of trace-kernel); None of a structure."""
    lanes = 4 if element["lanes"] == 3 and element["bytes"] & (element["bytes"] - 1) == 0 else element["lanes"]
    return TYPES.get((element["kind"], element["bytes"] // lanes)) if lanes else None


def generator(*parts: object) -> numpy.random.Generator:
    """Random numbers that these parts determine, on every machine."""
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return numpy.random.Generator(numpy.random.PCG64(int.from_bytes(digest[:16], "little")))


def is_drawn(argument: dict[str, Any]) -> bool:
    """Whether the launch file leaves a buffer's values to chance (`random`); all others are part of the problem."""
    return argument["kind"] == "buffer" and argument.get("fill", {}).get("kind") == "random" and number_type(argument["element"]) is not None


def is_wide(argument: dict[str, Any]) -> bool:
    """Whether a buffer is drawn, of integers, and the launch file names no range for them."""
    return is_drawn(argument) and (number_type(argument["element"]) or "f")[0] != "f" and _range(argument) is None


def is_sum(argument: dict[str, Any]) -> bool:
    """Whether a buffer holds zeros that are floats: if it is read and written, something is added to them, or should be."""
    kind = number_type(argument["element"])
    return argument["kind"] == "buffer" and argument.get("fill", {}).get("kind") == "zero" and kind is not None and kind[0] == "f"


def _range(argument: dict[str, Any]) -> Optional[tuple[float, float]]:
    numbers = argument["fill"].get("numbers", ())
    return (numbers[1], numbers[2]) if len(numbers) == 3 else None


def _floats(values: str, count: int, size: int, limits: Optional[tuple[float, float]], draw: numpy.random.Generator) -> Any:
    if values == "random":
        low, end = limits or (0.0, 1.0)
        return low + draw.random(count) * (end - low)
    if values == "structured":
        steps = (numpy.arange(count) * 7 + numpy.arange(count) // PERIOD) % PERIOD
        return limits[0] + steps / PERIOD * (limits[1] - limits[0]) if limits else steps - PERIOD // 2
    allowed = EXTREMES[size]
    if limits:
        low, end = limits
        last = numpy.nextafter(end, low, dtype=f"f{size}")
        allowed = tuple(one for one in (*allowed, low, float(last), (low + end) / 2) if low <= one <= last)
    return draw.choice(numpy.array(allowed, "f8"), count)


def _integers(values: str, count: int, kind: str, limits: Optional[tuple[float, float]], draw: numpy.random.Generator) -> Any:
    low, end = map(int, limits or (0, 100))
    if values == SETS[2] and limits is None:
        return draw.choice(numpy.array(WIDE[kind], kind), count)
    if values == "random":
        return draw.integers(low, end, count)
    if values == "structured":
        return low + (numpy.arange(count) * 7 + numpy.arange(count) // PERIOD) % min(PERIOD, end - low)
    return draw.choice(numpy.array([low, end - 1]), count)  # extreme, or NARROW


def drawn(argument: dict[str, Any], values: str, draw: numpy.random.Generator) -> Any:
    """The content of a buffer that is_drawn(), of a set of values (one of SETS), as an array of numbers."""
    kind = number_type(argument["element"])
    assert kind is not None
    count = argument["bytes"] // numpy.dtype(kind).itemsize
    if kind[0] == "f":
        found = _floats(values, count, int(kind[1]), _range(argument), draw).astype(kind)
        limits = _range(argument)
        if limits and kind != "f8":  # rounding may have reached the end, which is excluded
            found = numpy.minimum(found, numpy.nextafter(numpy.array(limits[1], kind), numpy.array(limits[0], kind)))
        return found
    return _integers(values, count, kind, _range(argument), draw).astype(kind)


def initial(argument: dict[str, Any]) -> Any:
    """What a buffer that is not drawn holds, by its fill in the launch file, as an array of numbers; of a structure as bytes."""
    kind = number_type(argument["element"]) or "u1"
    fill = argument.get("fill", {"kind": "zero"})
    count, numbers = argument["bytes"] // numpy.dtype(kind).itemsize, fill.get("numbers", ())
    if fill["kind"] == "file":
        with open(fill["path"], "rb") as file:
            return numpy.frombuffer(file.read(argument["bytes"]), kind)
    if fill["kind"] == "constant":
        return numpy.full(count, numbers[0], kind)
    if fill["kind"] == "iota":
        return numpy.arange(count).astype(kind)
    if fill["kind"] == "range":
        start, step, last = numbers
        return (start + numpy.arange(count) % (int((last - start) / step) + 1) * step).astype(kind)
    return numpy.zeros(count, kind)


class Poison(bytes):
    """What a buffer holds that nobody has written."""


def poison(argument: dict[str, Any], draw: numpy.random.Generator) -> Poison:
    """What an output holds before the launch: floats that are no numbers, so that whatever is made of one is none either, and random integers. No
    kernel can know the bits."""
    kind = number_type(argument["element"]) or "u1"
    size = numpy.dtype(kind).itemsize
    bits = draw.integers(0, 256, argument["bytes"], "u1").view(f"u{size}")
    if kind[0] == "f":
        bits = bits | {2: 0x7e00, 4: 0x7fc00000, 8: 0x7ff8000000000000}[size]
    return Poison(bits.astype(f"u{size}").tobytes())


def nudged(array: Any, draw: numpy.random.Generator) -> Any:
    """Every number as it is, or one unit in its last place up or down."""
    ways = draw.integers(-1, 2, array.shape)
    up, down = (numpy.nextafter(array, numpy.array(way * numpy.inf, array.dtype)) for way in (1, -1))
    moved = numpy.where(ways > 0, up, numpy.where(ways < 0, down, array))
    return numpy.where(numpy.isfinite(moved) & (array != 0), moved, array)  # zeros are structure
