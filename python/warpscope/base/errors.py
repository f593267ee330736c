"""Bad input and failed tools, as exceptions, and how their messages are made printable."""
import re

EXIT_BAD_INPUT = 2
LONGEST_WORD, LONGEST_MESSAGE = 200, 2000  # of a message


class Error(Exception):
    """What ends a function of this package: one line that says why."""

    status = EXIT_BAD_INPUT


class InputError(Error):
    """Bad input: where, what, what was expected, in one line."""


class ToolFailed(Error):
    """A tool that we started ended with `status`. Without `message` it has already said why on standard error."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message or f"exit status {status}")
        self.status = status
        self.message = message


class Stopped(BaseException):
    """Signal `number` asked us to end: raised where the script is (children.py), so that every `finally` tidies up."""

    def __init__(self, number):
        super().__init__(number)
        self.status = 128 + number


def reason(error):
    """Why a file could not be read, without the path, which the message begins with."""
    if isinstance(error, UnicodeDecodeError):
        return "not text in UTF-8"
    return getattr(error, "strerror", None) or str(error)


def _escape(match):
    code = ord(match.group())
    if 0xDC80 <= code < 0xDD00:  # a byte of a file's name that is not UTF-8
        code -= 0xDC00
    return {10: "\\n", 9: "\\t"}.get(code) or (f"\\x{code:02x}" if code < 256 else f"\\u{{{code:x}}}")


def printable(text):
    """Text of outside on its way to a terminal, in one line: control characters, those that change the direction of text, and
    what is no character at all as \\n, \\x1b, \\u{202e}."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", _escape, text)


def why_of(messages):
    """The line of a program's messages that says why it ended; with a compiler's first error where it has one."""
    lines = [line for line in messages.splitlines() if line.strip()]
    why = next((line for line in reversed(lines) if re.match(r"[\w-]+: ", line)), lines[-1] if lines else "ended without a message")
    compiler = next((line for line in lines if re.search(r":\d+:\d+: (fatal )?error: ", line)), None)
    return printable_message(f"{why}: {compiler}" if compiler and compiler != why else why)


def _without_middle(text, longest):
    return text if len(text) <= longest else text[:longest // 2] + "…" + text[-(longest - longest // 2):]


def printable_message(text):
    """One printable line, its longest words and at last itself without their middle."""
    words = (_without_middle(word, LONGEST_WORD) for word in printable(text).split(" "))
    return _without_middle(" ".join(words), LONGEST_MESSAGE)
