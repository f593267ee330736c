#!/usr/bin/env python3
"""Random damage to result.json: `warpscope report` and the plots either show it or refuse it in one line.

    tests/fuzzers/result_json.py [--seconds S] [--seed N] [FILE...]

Without files it damages its seeds for S seconds (10); with files it only reads these. A finding (a traceback, another
status than 0 and 2, more than one line, more than 10 seconds of processor time) is written to found-result-HASH.json; exit status 1.
"""
import argparse
import contextlib
import copy
import hashlib
import io
import json
import os
import pathlib
import random
import resource
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/unit/scripts")]
sys.dont_write_bytecode = True

from warpscope.base import command  # noqa: E402
from warpscope.commands import front  # noqa: E402
import support  # noqa: E402  (the tests' small result)

LONGEST_SECONDS = 10
MOST_BYTES = 2 << 30
VALUES = [None, True, False, 0, 1, -1, 2, 31, 1 << 16, (1 << 32) - 1, 1 << 63, 1 << 70, 0.5, -0.0, 1e300, float("nan"),
          float("inf"), "", "x", "\n\x1b[2J", "unknown", "WBWA", "y" * 300, [], {}, [0], [[]], {"a": 1}, [None], [1, 2, 3]]


def places(value, found):
    """Every (container, key) of a document."""
    if isinstance(value, (dict, list)):
        for key in (list(value) if isinstance(value, dict) else range(len(value))):
            found.append((value, key))
            places(value[key], found)
    return found


def damage(document, generator):
    """Changes one to four values: others, missing ones, copies, other types."""
    for _ in range(generator.choice((1, 1, 1, 2, 4))):
        found = places(document, [])
        if not found:
            return
        container, key = generator.choice(found)
        kind = generator.randrange(6)
        if kind == 0:
            del container[key]
        elif kind == 1:
            other, name = generator.choice(found)
            if name in other if isinstance(other, dict) else name < len(other):
                container[key] = copy.deepcopy(other[name])
        elif kind == 2 and isinstance(container[key], (int, float)):
            container[key] += generator.choice((-2, -1, 1, 2, 1 << 40))
        elif kind == 3:
            for _ in range(generator.randrange(1, 100)):
                container[key] = [container[key]]
        else:
            container[key] = copy.deepcopy(generator.choice(VALUES))


def damaged_text(seeds, generator):
    document = copy.deepcopy(generator.choice(seeds))
    damage(document, generator)
    text = json.dumps(document)
    if generator.randrange(10) == 0:
        at = generator.randrange(len(text))
        text = text[:at] + generator.choice(("", "{", "\\ud800", "\x00", "1e999", "[" * 100000, text)) + text[at + 1:]
    return text


def complaint(script, words):
    """Runs a script's main function; what is wrong with how it ended, or None."""
    error, began = io.StringIO(), time.process_time()
    sys.argv = [script.__name__, *map(str, words)]
    status = None
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
            command.run_main(script.__name__, script.main)
    except SystemExit as ended:
        status = ended.code
    except BaseException as other:  # noqa: BLE001  (whatever comes through is a finding)
        return f"{type(other).__name__}: {other}"
    text = error.getvalue()
    if status not in (0, 2):
        return f"status {status}: {text}"
    if status == 2 and (text.count("\n") != 1 or "Traceback" in text):
        return f"not one line: {text}"
    if any(ord(letter) < 32 and letter != "\n" for letter in text):
        return f"control characters: {text!r}"
    seconds = time.process_time() - began
    if seconds > LONGEST_SECONDS:
        return f"{seconds:.0f} seconds"
    return None


def check(path, folder, with_plots):
    """The complaints of every script about the file."""
    runs = [(front, ["report", path, "-o", folder / "report", *([] if with_plots else ["--no-plots"])])]
    if with_plots:
        runs += [(front, ["plot", kind, path, "-o", folder / "plot"]) for kind in ("miss-classes", "reuse")]
    for script, words in runs:
        what = complaint(script, words)
        if what is not None:
            yield f"{words[0]}: {what.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--artifacts", type=pathlib.Path, default=pathlib.Path("."), help="where findings go")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    os.environ["MPLBACKEND"] = "Agg"
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    generator = random.Random(options.seed)
    seeds = [support.result()]
    findings, runs, end = {}, 0, time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        damaged = folder / "result.json"
        queue = list(options.files)
        while queue or (not options.files and time.monotonic() < end):
            if options.files:
                text = queue.pop(0).read_text(encoding="utf-8", errors="surrogateescape")
            else:
                text = damaged_text(seeds, generator)
            damaged.write_text(text, encoding="utf-8", errors="surrogateescape")
            for what in check(damaged, folder, bool(options.files) or generator.randrange(100) == 0):
                if what not in findings:
                    findings[what] = options.artifacts / f"found-result-{hashlib.sha1(text.encode('utf-8', 'replace')).hexdigest()[:12]}.json"
                    findings[what].write_text(text, encoding="utf-8", errors="surrogateescape")
                    print(f"{findings[what]}: {what}", flush=True)
            runs += 1
    print(f"result_json: {runs} documents, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
