"""warpscope serve: the tools for programs that call programs, by the Model Context Protocol over standard input and output."""
import contextlib
import os
import pathlib
import sys
import tempfile

from warpscope.base import children
from warpscope.base.command import version
from warpscope.base.errors import InputError
from warpscope.base.options import LAST, Option, Options, not_an_option, shown_help
from warpscope.serve.protocol import Connection
from warpscope.serve.server import Server

MOST_JOBS = 64
OPTIONS = Options(
    Option("--folder", "FOLDER", "where long answers go, and stay (default: a new one that goes with the server)", kind=LAST),
    Option("--jobs", "N", "calls that run at the same time; others wait (default 1)", kind=LAST, default="1"))
HELP = f"""Answers the Model Context Protocol on standard input and output, for programs that write kernels: the tools judge, check, profile, what_if
and list_gpus. No GPU is needed. A client starts it, and closes its input to end it.

warpscope serve [--folder FOLDER] [--jobs N]

{OPTIONS.text()}

Examples:
  warpscope serve
  warpscope serve --folder answers --jobs 4

Exit status: 0 when the input ends; 2 bad input."""


def _jobs(text):
    if not text.isdecimal() or not 1 <= int(text) <= MOST_JOBS:
        raise InputError(f"--jobs {text}: expected a number from 1 to {MOST_JOBS}")
    return int(text)


def _own_output():
    """Standard output as a file of ours; whatever else writes there now writes to standard error, so that a client reads only the protocol."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sink


def main(words):
    if shown_help(words, HELP, OPTIONS):
        return 0
    values, others = OPTIONS.read(words, not_an_option("warpscope serve"))
    if others:
        raise InputError(f"{others[0]}: expected no input but standard input; warpscope serve --help")
    jobs = _jobs(values["--jobs"])
    with contextlib.ExitStack() as stack:
        if values["--folder"]:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="session-", dir=_made(values["--folder"])))
        else:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="warpscope-serve-")))
        try:
            Server(Connection(sys.stdin.buffer, _own_output()), folder.absolute(), jobs, version().split()[0]).serve()
        finally:
            children.end_all()
    return 0


def _made(name):
    folder = pathlib.Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError(f"--folder {name}: is a file, expected a folder") from error
    return folder.absolute()
