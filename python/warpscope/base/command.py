"""A command's words that argparse reads, and how its main function ends (exit statuses as the C++ tools)."""
import argparse
import os
import pathlib
import re
import sys

from warpscope.base import toolchain
from warpscope.base.errors import EXIT_BAD_INPUT, InputError, Stopped, ToolFailed, printable_message, reason
from warpscope.base.options import gpu_given_twice
from warpscope.base.source import SOURCE


class ArgumentParser(argparse.ArgumentParser):
    """A wrong argument is bad input like any other: one line."""

    def __init__(self, description, prog=None):
        super().__init__(prog, description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("--version", action="store_true", help="version and commit")

    def error(self, message):
        raise InputError(f"{message}; see --help")


class OneGpu(argparse.Action):
    """--gpu and its alias --preset: one of them, once."""

    def __call__(self, parser, namespace, values, option_string=None):
        if getattr(namespace, self.dest) is not None:
            raise gpu_given_twice(option_string, values, getattr(namespace, self.dest))
        setattr(namespace, self.dest, values)


def version():
    """Version and commit as the tools give them; without tools the version of the source tree or the installed package."""
    try:
        return toolchain.output("trace-view", "--version", quiet=True).decode().split(" ", 1)[1].strip()
    except (InputError, ToolFailed, OSError, IndexError, UnicodeDecodeError):
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
    """As what was started calls itself: the installed nvcc is warpscope-nvcc."""
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
