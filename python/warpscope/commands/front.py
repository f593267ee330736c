"""The command warpscope: which of its commands it is."""
import importlib
import subprocess
import sys

from warpscope.base import children, toolchain
from warpscope.base.command import run_main
from warpscope.base.errors import InputError

# Loaded when they are asked for: most of them need what the others do not.
SUBCOMMANDS = {"model": "commands.model:main", "what-if": "commands.what_if:run", "diff": "commands.diff:run",
               "compare-ncu": "commands.compare_ncu:run", "tune": "commands.tune:main", "export": "commands.export:run",
               "plot": "commands.plot:main", "check": "commands.check:main", "judge": "commands.judge:main", "study": "commands.study:main",
               "disassemble": "commands.disassemble:main", "kernels": "commands.disassemble:kernels", "doctor": "commands.doctor:main", "serve": "serve.command:main"}
# Of earlier releases: for one release they are refused with what to write now.
REMOVED = {"sass": "is part of warpscope disassemble, expected for example warpscope disassemble LISTING --banks volta"}
WHOLE_PATH = "commands.whole_path:main"


def main():
    children.catch_signals()
    words = sys.argv[1:]
    if words[:1] in (["--list-presets"], ["--show-preset"]):
        return subprocess.run(toolchain.command("warpsched", *words)).returncode
    if words and words[0] in REMOVED:
        raise InputError(f"warpscope {words[0]}: {REMOVED[words[0]]}")
    named = bool(words) and words[0] in SUBCOMMANDS
    module, function = (SUBCOMMANDS[words[0]] if named else WHOLE_PATH).split(":")
    return getattr(importlib.import_module(f"warpscope.{module}"), function)(words[1:] if named else words)


def start():
    run_main("warpscope", main)
