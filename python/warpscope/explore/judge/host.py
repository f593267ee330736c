"""What the host of a program wrote to device memory, and what its kernels did, next to what the program left: numbers that were there before a kernel
ran, or that no kernel left, were not computed by kernels. Rows and sets of numbers are compared; docs/referee/judge.md has what is not seen."""
from __future__ import annotations

import dataclasses
import pathlib
import struct
from typing import Any, Iterator, Mapping, Sequence

import numpy

ROW = 8  # numbers that follow each other
MOST = 1 << 25  # bytes of what the host wrote that are looked at
MOST_ROWS = 20_000
SHARE = 0.5  # of the rows or numbers that say something
MOST_OF = 0.9
CHANCE = 0.01  # of one number being among so many others by accident
FACTORS = numpy.array([pow(0x9E3779B97F4A7C15, k, 1 << 64) for k in range(ROW)], "u8")
HEAD = struct.Struct("<3Q")  # launch, address, bytes (wrapper/session/host_writes.h)
OF_KERNELS = (1 << 64) - 1  # instead of a launch
KINDS = ("f4", "f8", "f2", "i4", "i8")


@dataclasses.dataclass(frozen=True)
class Found:
    """`how`: as which numbers ("", "reversed", …); `count` of `of` rows, or numbers, of an output."""

    output: str
    how: str
    count: int
    of: int
    rows: bool

    def text(self) -> str:
        what = f"rows of {ROW} numbers" if self.rows else "numbers"
        return f"{self.count:,} of {self.of:,} {what} of {self.output}{self.how and f', {self.how},'} were in device memory before a kernel ran: the host wrote them"


@dataclasses.dataclass(frozen=True)
class Memory:
    """Pieces of device memory: what the host wrote, and what kernels left. `is_known`: otherwise
    nothing was recorded, or not all that kernels left."""

    host: Sequence[bytes] = ()
    kernels: Sequence[bytes] = ()
    is_known: bool = True


def read(path: pathlib.Path, arguments: Sequence[str] = ()) -> Memory:
    """The records of --host-writes. The arguments of launches are of the host."""
    pieces: tuple[list[bytes], list[bytes]] = ([], [])
    data = path.read_bytes() if path.exists() else b""
    at = 0
    while at + HEAD.size <= len(data):
        launch, _, size = HEAD.unpack_from(data, at)
        pieces[launch == OF_KERNELS].append(data[at + HEAD.size:at + HEAD.size + size])
        at += HEAD.size + size
    kernels = _largest(pieces[1])
    return Memory([*_largest(pieces[0]), *_of_arguments(arguments)], kernels, bool(data) and len(kernels) == len(pieces[1]))


def _largest(pieces: list[bytes]) -> list[bytes]:
    """Up to MOST bytes."""
    pieces.sort(key=len, reverse=True)
    kept, left = [], MOST
    for piece in pieces:
        if len(piece) <= left:
            kept.append(piece)
            left -= len(piece)
    return kept


def _of_arguments(texts: Sequence[str]) -> Iterator[bytes]:
    for text in texts:
        if text.startswith("0x"):
            digits = text[2:]
            yield bytes.fromhex(digits[:len(digits) // 2 * 2])
            continue
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            continue
        for kind in KINDS:
            with numpy.errstate(all="ignore"):
                yield numpy.array(numbers).astype(kind).tobytes()


def _views(pieces: Sequence[bytes], kind: numpy.dtype[Any]) -> list[Any]:
    return [numpy.frombuffer(piece[:len(piece) // kind.itemsize * kind.itemsize], kind) for piece in pieces]


def _bits(numbers: Any) -> Any:
    """The numbers' bits as u8; both zeros are one."""
    plain = numpy.where(numbers == 0, numpy.zeros_like(numbers), numbers) if numbers.dtype.kind == "f" else numbers
    return numpy.ascontiguousarray(plain).view(f"u{numbers.dtype.itemsize}").astype("u8")


def _hashes(bits: Any, step: int) -> Any:
    """A number for each row that begins at a multiple of `step`."""
    count = len(bits) - ROW + 1
    if count <= 0:
        return numpy.zeros(0, "u8")
    with numpy.errstate(over="ignore"):
        mixed = (bits ^ (bits >> numpy.uint64(29))) * numpy.uint64(0xBF58476D1CE4E5B9)
        return sum((mixed[k:count + k:step] * FACTORS[k] for k in range(ROW)), numpy.zeros(len(range(0, count, step)), "u8"))


def _says_something(bits: Any, step: int) -> Any:
    """Of the same rows, which have three different numbers."""
    rows = numpy.lib.stride_tricks.sliding_window_view(bits, ROW)[::step]
    ordered = numpy.sort(rows, axis=1)
    return (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) >= 2


def _forms(numbers: Any) -> Iterator[tuple[str, Any]]:
    """(how, the output in another form) in which a kernel only has to copy, or nearly so."""
    yield "", numbers
    yield "reversed", numbers[::-1]
    for kind in KINDS:
        if numpy.dtype(kind) != numbers.dtype and numbers.dtype.kind == kind[0]:
            with numpy.errstate(all="ignore"):
                yield f"as {kind}", numbers.astype(kind)
    if numbers.dtype.itemsize in (4, 8):
        half = numbers.view(f"u{numbers.dtype.itemsize // 2}")
        yield "lower halves", half[::2]
        yield "upper halves", half[1::2]


def _changes(bits: Any) -> Iterator[tuple[str, Any]]:
    """Differences between neighbours, which a constant does not change."""
    yield "up to an exclusive or", bits[1:] ^ bits[:-1]
    with numpy.errstate(over="ignore"):
        yield "up to a sum", bits[1:] - bits[:-1]


def _rows(name: str, how: str, own: Any, host: Sequence[Any], reference: Sequence[Any]) -> Found | None:
    """`own`, `host`, `reference`: bits of numbers."""
    step = max(1, len(own) // MOST_ROWS)
    if len(own) < ROW:
        return None
    rows = _hashes(own, step)[_says_something(own, step)]
    rows = rows[~numpy.isin(rows, numpy.concatenate([_hashes(each, 1) for each in reference] or [numpy.zeros(0, "u8")]))]
    there = numpy.isin(rows, numpy.concatenate([_hashes(each, 1) for each in host] or [numpy.zeros(0, "u8")]))
    count = int(there.sum())
    return Found(name, how, count, len(rows), True) if count >= max(2, SHARE * len(rows)) else None


def _numbers(name: str, own: Any, host: Any, reference: Any) -> Found | None:
    """Numbers in any order: only such as have many digits, and where so few others are about that chance does not bring them."""
    if own.dtype.itemsize < 4 or own.dtype.kind not in "fiu":
        return None
    own = numpy.setdiff1d(own[_has_digits(own)], reference)
    new = numpy.setdiff1d(host[_has_digits(host)], reference)
    if not own.size or not new.size:
        return None
    about = int(((new >= own.min()) & (new <= own.max())).sum()) if own.size > 1 else int(new.size)
    room = float(2 << 20) if own.dtype.kind == "f" else max(float(own.max()) - float(own.min()), float(abs(own.max())))
    count = int(numpy.isin(own, new).sum())
    return Found(name, "", count, int(own.size), False) if about <= CHANCE * room and count >= max(1, SHARE * own.size) else None


def _has_digits(numbers: Any) -> Any:
    """Which numbers are no round ones."""
    if numbers.dtype.kind != "f":
        return numpy.abs(numbers.astype("f8")) >= 1000
    return numpy.isfinite(numbers) & ((numbers.view(f"u{numbers.dtype.itemsize}") & 0xFF) != 0)


def find(outputs: Mapping[str, Any], memory: Memory, reference: Memory) -> list[str]:
    """What of the outputs, arrays by name, was computed by the host, in words. What the reference's host wrote as well does not count."""
    each = (_of_output(name, numpy.ascontiguousarray(numbers), memory.host, reference.host) for name, numbers in outputs.items())
    return [one.text() for one in each if one]


def not_of_kernels(outputs: Mapping[str, Any], memory: Memory, theirs: Mapping[str, Any], reference: Memory) -> list[str]:
    """Outputs that the reference's kernels left in device memory as they are in its files, and the candidate's did not, in words."""
    if not memory.is_known:
        return []
    return [f"{name} is not what kernels left in device memory: {_left(numbers, memory.kernels):.0%} of its rows of {ROW} numbers are, of the reference's {_left(theirs[name], reference.kernels):.0%}"
            for name, numbers in outputs.items() if numbers.size >= 2 * ROW and _left(theirs[name], reference.kernels) >= MOST_OF and _left(numbers, memory.kernels) < SHARE]


def _left(numbers: Any, pieces: Sequence[bytes]) -> float:
    """The part of an output's rows that are in these pieces, also backwards."""
    numbers = numpy.ascontiguousarray(numbers)
    step = max(1, len(numbers) // MOST_ROWS)
    there = numpy.concatenate([*(_hashes(_bits(view), 1) for view in _views(pieces, numbers.dtype)), numpy.zeros(0, "u8")])
    return max(float(numpy.isin(_hashes(_bits(form), step), there).mean()) for form in (numbers, numbers[::-1]))


def _of_output(name: str, numbers: Any, host: Sequence[bytes], reference: Sequence[bytes]) -> Found | None:
    for how, form in _forms(numbers):
        mine, theirs = ([_bits(one) for one in _views(pieces, form.dtype)] for pieces in (host, reference))
        own = _bits(form)
        if found := _rows(name, how, own, mine, theirs):
            return found
        if how:
            continue
        for at, (change, rows) in enumerate(_changes(own)):
            others = ([list(_changes(bits))[at][1] for bits in of] for of in (mine, theirs))
            if found := _rows(name, change, rows, *others):
                return found
    views = (numpy.unique(numpy.concatenate([*_views(pieces, numbers.dtype), numpy.zeros(0, numbers.dtype)])) for pieces in (host, reference))
    return _numbers(name, numbers.ravel(), *views)
