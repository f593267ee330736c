"""Reads JSON files that others wrote, with limits: what is wrong with them is said in one line."""
import contextlib
import json
import math
import os
import stat
import sys

from warpscope.base.errors import InputError

MOST_BYTES = 1 << 30
MOST_LINE = 1 << 20  # of what is not a regular file


def is_capture(path, expected):
    """Whether a file begins as a capture does. Raises InputError "PATH: why, expected EXPECTED" where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(8) == b"WSCAPTUR"
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected {expected}") from error


def read_bytes(path, expected):
    """The content of a file, pipe or device; "-" = standard input. Raises InputError "PATH: why, expected EXPECTED"."""
    try:
        with contextlib.ExitStack() as stack:
            file = sys.stdin.buffer if str(path) == "-" else stack.enter_context(open(path, "rb"))
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            content, line = bytearray(), 0
            while piece := file.read(1 << 16):
                content += piece
                newline = piece.rfind(b"\n")
                line = line + len(piece) if newline < 0 else len(piece) - newline - 1
                if line > MOST_LINE and not regular:
                    raise InputError(f"{path}: has a line of more than 1 MiB and is not a regular file, expected {expected}")
                if len(content) > MOST_BYTES:
                    raise InputError(f"{path}: has more than {MOST_BYTES >> 20} MiB, expected {expected}")
            return bytes(content)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected {expected}") from error


def _finite(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is not finite")
    return value


def read_json(path, expected):
    """The value in a JSON file. Raises InputError when it cannot be read, is not JSON, nests too deep or has numbers that are
    not finite."""
    return parse_json(path, read_bytes(path, expected), expected)


def parse_json(path, text, expected):
    """As read_json(), of bytes or text that `path` holds."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError as error:
        raise InputError(f"{path}: nests too deep, expected {expected}") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}), expected {expected}") from error


@contextlib.contextmanager
def complete(path, expected):
    """What is made from the content of a file: keys that are missing and values of another type are bad input."""
    try:
        yield
    except KeyError as error:
        raise InputError(f"{path}: no '{error.args[0]}', expected {expected}") from error
    except (TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: a value does not fit ({type(error).__name__}: {error}), expected {expected}") from error
