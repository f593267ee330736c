"""Bad input and failed tools, and how a script's main function ends on them (exit statuses as the C++ tools)."""
import argparse
import os
import pathlib
import re
import sys

from warpscope import SOURCE

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


class ArgumentParser(argparse.ArgumentParser):
    """A wrong argument is bad input like any other: one line."""

    def __init__(self, description):
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("--version", action="store_true", help="version and commit")

    def error(self, message):
        raise InputError(f"{message}; see --help")


class OneGpu(argparse.Action):
    """--gpu and its alias --preset: one of them, once."""

    def __call__(self, parser, namespace, values, option_string=None):
        if getattr(namespace, self.dest) is not None:
            raise InputError(f"{option_string} {values}: a GPU is given already ({getattr(namespace, self.dest)}), expected --gpu "
                             "or its alias --preset, once")
        setattr(namespace, self.dest, values)


def version():
    """Version and commit as the tools give them; without tools the version of the source tree or the installed package."""
    try:
        from warpscope.base import toolchain
        return toolchain.output("trace-view", "--version", quiet=True).decode().split(" ", 1)[1].strip()
    except (ImportError, InputError, ToolFailed, OSError, IndexError, UnicodeDecodeError):
        pass
    try:
        project = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
        return re.search(r"project\(\w+ VERSION ([0-9.]+)", project).group(1)
    except (OSError, AttributeError):
        pass
    from importlib import metadata  # takes longer than all else here
    try:
        return metadata.version("warpscope")
    except metadata.PackageNotFoundError:
        return "unknown"


def _place_of(error):
    """Where an exception was raised, as file:line."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"{pathlib.Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "?"


def _keep_standard_streams():
    """A file that we open must not get the number of a standard stream that the caller closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


def _run(name, main):
    words = sys.argv[1:]
    if "--version" in words[:words.index("--") if "--" in words else None]:
        print(f"{name} {version()}")
        return 0
    return main() or 0


def _say(name, message):
    print(f"{name}: {printable_message(message)}", file=sys.stderr)
    return EXIT_BAD_INPUT


def _status_of(name, main):
    try:
        try:
            return _run(name, main)
        except SystemExit as exit_:
            return exit_.code if isinstance(exit_.code, int) else 0 if exit_.code is None else _say(name, str(exit_.code))
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except InputError as error:
        return _say(name, str(error))
    except ToolFailed as error:
        if error.message:
            _say(name, error.message)
        return error.status
    except BrokenPipeError:
        return 0  # nobody reads any more: leave quietly
    except OSError as error:
        return _say(name, f"{error.filename or 'output'}: {reason(error)}")
    except KeyboardInterrupt:
        return 130
    except Stopped as stopped:
        return stopped.status
    except Exception as error:  # pylint: disable=broad-except
        return _say(name, f"unexpected failure, please report it: {_place_of(error)}: {type(error).__name__}: {error}")


def _command(name):
    """As what was started calls itself: the installed plot_reuse is warpscope-plot-reuse."""
    started = pathlib.Path(sys.argv[0]).name
    return started if started.startswith("warpscope-") else name


def run_main(name, main):
    """Runs main() and exits with its status (None = 0), 2 on bad input, a tool's own status where that failed. Every exception
    ends in one line; a reader of our standard output that has gone ends us quietly."""
    _keep_standard_streams()
    status = _status_of(_command(name), main)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # has been said; once more at the interpreter's end would be twice
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)
