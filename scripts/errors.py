"""Bad input and failed tools, and how a script's main function ends on them (exit statuses as the C++ tools)."""
import argparse
import os
import sys

EXIT_BAD_INPUT = 2


class InputError(Exception):
    """Bad input: where, what, what was expected, in one line."""


class ToolFailed(Exception):
    """A tool that we started ended with `status`; it has already said why on standard error."""

    def __init__(self, status):
        super().__init__(f"exit status {status}")
        self.status = status


class Stopped(BaseException):
    """Signal `number` asked us to end: raised where the script is (children.py), so that every `finally` tidies up."""

    def __init__(self, number):
        super().__init__(number)
        self.status = 128 + number


def reason(error):
    """Why a file could not be read, without the path, which stands before it."""
    if isinstance(error, UnicodeDecodeError):
        return "not text in UTF-8"
    return getattr(error, "strerror", None) or str(error)


class ArgumentParser(argparse.ArgumentParser):
    """A wrong argument is bad input like any other: one line."""

    def __init__(self, description):
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        raise InputError(f"{message}; see --help")


def run_main(name, main):
    """Runs main() and exits with its status (None = 0), 2 on bad input, a tool's own status where that failed."""
    try:
        status = main() or 0
        sys.stdout.flush()
    except InputError as error:
        print(f"{name}: {error}", file=sys.stderr)
        status = EXIT_BAD_INPUT
    except ToolFailed as error:
        status = error.status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads any more: leave quietly
        status = 0
    except OSError as error:
        print(f"{name}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        status = EXIT_BAD_INPUT
    except KeyboardInterrupt:
        status = 130
    except Stopped as stopped:
        status = stopped.status
    sys.exit(status)
