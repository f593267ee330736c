"""Reads the text form of a stream (warpsched --format text) into arrays."""
import dataclasses
import sys

from warpscope.base import third_party
from warpscope.base.errors import InputError

third_party.check()
import numpy  # noqa: E402


@dataclasses.dataclass
class Stream:
    """One element per lane access, in stream order."""

    warp_size: int
    work_groups: int
    address: numpy.ndarray  # bytes
    is_write: numpy.ndarray
    group: numpy.ndarray
    warp: numpy.ndarray  # inside its group; streams of width 1: the work-item inside its group
    site: numpy.ndarray
    complete: bool  # False: reading stopped at the limit

    def lane(self):
        """Lane of each access: its place among the consecutive accesses of one warp access.

        Exact when the active lanes are the first ones; a text stream does not say which lanes were masked.
        """
        key = numpy.stack([self.group, self.warp, self.site, self.is_write])
        begins = numpy.ones(len(self.group), dtype=bool)
        if len(self.group) > 1:
            begins[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
        index = numpy.arange(len(self.group))
        since_begin = index - numpy.maximum.accumulate(numpy.where(begins, index, 0))
        return since_begin % self.warp_size

    def local_item(self):
        """Work-item of each access, inside its work-group."""
        return self.warp * self.warp_size + self.lane()


def read_text(path, limit=None):
    """Reads at most `limit` accesses; `path` "-" is standard input. Raises InputError naming the line."""
    try:
        source = sys.stdin.buffer if path == "-" else open(path, "rb")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected a text stream (warpsched --format text)") from error
    with source:
        stream = _parse(path, source, limit)
    if not len(stream.address):
        raise InputError(f"{path}:2: end of file, expected lines '{LINE}'")
    return stream


def read_pipe(name, pipe, limit=None):
    """As read_text(), from an open pipe; `name` is for messages. Without a line if the launch has no access to what the stream holds."""
    return _parse(name, pipe, limit)


CHUNK = 16 << 20  # bytes parsed at once: bounds the memory, not the file


def _parse(path, source, limit):
    first = source.readline().split()
    if len(first) != 2 or not all(word.isdigit() for word in first):
        raise InputError(f"{path}:1: expected 'WARP_SIZE GROUPS', as warpsched --format text writes")
    parts, lines = [], 0
    complete = True
    while block := source.read(CHUNK):
        block += source.readline()
        parts.append(_parse_block(path, lines + 2, numpy.frombuffer(block, numpy.uint8)))
        lines += len(parts[-1][0])
        if limit is not None and lines > limit:
            complete = False
            break
    if lines == 0:
        parts.append(_parse_block(path, 2, numpy.empty(0, numpy.uint8)))
    columns = [numpy.concatenate(column)[:limit] for column in zip(*parts)]
    return Stream(int(first[0]), int(first[1]), *columns, complete)


LINE = "0xADDRESS R|W GROUP WARP SITE"
_DIGIT = numpy.full(256, -1, numpy.int64)
for _value, _letters in enumerate("0 1 2 3 4 5 6 7 8 9 aA bB cC dD eE fF".split()):
    for _letter in _letters:
        _DIGIT[ord(_letter)] = _value


def _parse_block(path, first_line, text):
    """Columns address, is_write, group, warp, site of whole lines; every step works on all lines at once."""
    space = text <= ord(" ")
    def fail(byte):
        line = first_line + int(numpy.count_nonzero(text[:byte] == ord("\n")))
        raise InputError(f"{path}:{line}: expected '{LINE}'")

    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate(([True], space, [True])).astype(numpy.int8)))
    begins, ends = edges[0::2], edges[1::2]
    lines = numpy.flatnonzero(text == ord("\n"))
    if len(begins) != 5 * len(lines) or (begins[5::5] < lines[:-1]).any() or (ends[4::5] > lines).any():
        words_per_line = numpy.diff(numpy.searchsorted(begins, lines), prepend=0)
        bad = numpy.flatnonzero(words_per_line != 5)
        fail(int(lines[bad[0]]) if len(bad) else len(text))

    def number(column, base, skip=0):
        begin, end = begins[column::5] + skip, ends[column::5]
        value = numpy.zeros(len(begin), numpy.int64)
        for place in range(int((end - begin).max(initial=0))):
            inside = begin + place < end
            digit = _DIGIT[text[(begin + place)[inside]]]
            if ((digit < 0) | (digit >= base)).any():
                wrong = numpy.flatnonzero((digit < 0) | (digit >= base))[0]
                fail(int((begin + place)[inside][wrong]))
            value[inside] = value[inside] * base + digit
        return value

    kind = text[begins[1::5]]
    if (unknown := numpy.flatnonzero((kind != ord("R")) & (kind != ord("W")))).size:
        fail(int(begins[1::5][unknown[0]]))
    return number(0, 16, skip=2), kind == ord("W"), number(2, 10), number(3, 10), number(4, 10)
