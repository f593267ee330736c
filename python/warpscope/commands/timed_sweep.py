"""Many configurations of `cachesim timed` on one capture, side by side on all cores of this machine.

timed-sweep CAPTURE --gpu GPU[,GPU]... [--set KEY=VALUE[,VALUE]...]... [options of cachesim timed]
            [--threads N] [--csv FILE] [--json FILE [--resume]]

--preset is the same as --gpu; the default is $WARPSCOPE_GPU. Every option of `cachesim timed` that takes a value takes a list
here, separated by commas; every combination is simulated.
Each row is what `cachesim timed` gives for that combination alone, in order of the combinations, whatever the threads.

  --gpu GPU[,GPU]      names or .json files
  --set KEY=LIST       values for a key of the GPU; may be repeated
  --warp-scheduler LIST, --warp-limit LIST, --unroll LIST, --independent LIST, --launch LIST, --cores LIST, --registers LIST
                       and every other option of cachesim timed that takes a value
  --threads N          simulations at a time (default: the processors of this machine)
  --csv FILE           the rows as CSV
  --json FILE          the rows as JSON
  --resume             keep what is done in FILE.resume, next to --json FILE, and go on from there if it is there

Examples:
  timed-sweep mm.wtrace --gpu v100 --set l1_size_kib=32,64,128 --set l1_ways=64 --warp-scheduler lrr,gto,gty
  timed-sweep mm.wtrace --gpu gtx480,k40,h100 --csv gpus.csv
  timed-sweep mm.wtrace --gpu h100 --launch 0,1,2 --threads 2 --json launches.json
"""
import csv
import fcntl
import hashlib
import itertools
import json
import os
import pathlib
import sys
import threading

from warpscope.base import children, toolchain
from warpscope.base.command import run_main
from warpscope.base.errors import InputError, Stopped, printable_message, reason
from warpscope.base.options import no_value
from warpscope.result import counters
from warpscope.run import harness

LISTS = ("gpu", "preset", "set", "warp-scheduler", "active-warps", "warp-limit", "ccws-throttle", "ccws-base-score", "ccws-victim-sets",
         "unroll", "predicated", "independent", "l1-stages", "l2",
         "l2-set-index", "l2-slice-index", "assign", "max-workgroups",
         "registers", "cores", "warp-size", "launch", "seed", "reconvergence", "buffer-base", "buffer-align", "layout-seed")
FLAGS = ("allocate-on-fill", "ideal", "partial")
OUR_OWN = ("threads", "csv", "json")
RESUME = "resume"
KINDS = tuple(name for name in counters.KIND_COUNTERS if name != "lanes")
MOST = 10_000


class Lists:
    """What the command line says: lists to combine, flags for all, our own options."""

    def __init__(self, words):
        self.capture, self.lists, self.flags, self.own = None, [], [], {}
        queue = list(words)
        while queue:
            word = queue.pop(0)
            name, equals, value = word.removeprefix("--").partition("=")
            if not word.startswith("--"):
                if self.capture is not None:
                    raise InputError(f"'{word}': expected one capture, then options")
                self.capture = word
            elif name in FLAGS and not equals:
                self.flags.append(word)
            elif name == RESUME and not equals:
                self.own[RESUME] = True
            elif name in LISTS + OUR_OWN:
                if not equals and not queue:
                    raise no_value(word)
                self.take(name, value if equals else queue.pop(0))
            else:
                raise InputError(f"{word}: not an option here, expected those of cachesim timed that take a value, "
                                 + ", ".join(f"--{flag}" for flag in (*FLAGS, *OUR_OWN, RESUME)))
        if self.capture is None:
            raise InputError("no capture given, expected one; see --help")
        if RESUME in self.own and "json" not in self.own:
            raise InputError("--resume: what is done is kept next to the result, expected --json FILE as well")
        self.settle_gpu()

    def settle_gpu(self):
        given = [label for label, _ in self.lists if label in ("gpu", "preset")]
        if len(given) > 1:
            raise InputError("--gpu and --preset are two names of one option, expected one of them, once")
        if not given and toolchain.given_gpu():
            self.take("gpu", toolchain.given_gpu())

    def take(self, name, text):
        if name in OUR_OWN:
            self.own[name] = text
            return
        label, prefix = name, ""
        if name == "set":
            label, equals, text = text.partition("=")
            if not equals:
                raise InputError(f"--set {label}: expected KEY=VALUE, or KEY=VALUE,VALUE")
            prefix = f"{label}="
        values = text.split(",")
        if "" in values or len(set(values)) != len(values):
            raise InputError(f"--{name} {prefix}{text}: expected different values with commas between")
        self.lists.append((label, [(value, [f"--{name}", prefix + value]) for value in values]))

    def combinations(self):
        """Per configuration: {label: value}, and the words of its command line."""
        number = 1
        for _, values in self.lists:
            number *= len(values)
        if number > MOST:
            raise InputError(f"{number} combinations, expected at most {MOST}")
        for chosen in itertools.product(*(values for _, values in self.lists)):
            options = {label: value for (label, _), (value, _) in zip(self.lists, chosen)}
            yield options, [*self.flags, *(word for _, words in chosen for word in words)]


def content_hash(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def identity_of(given):
    """All that the rows depend on."""
    if not pathlib.Path(given.capture).is_file():
        raise InputError(f"--resume: {given.capture} cannot be read again, expected a capture in a file")
    lists = [[label, [words[-1] for _, words in values]] for label, values in given.lists]
    gpus = [value for label, values in given.lists if label in ("gpu", "preset") for value, _ in values]
    files = [value for label, values in given.lists if label == "assign" for value, _ in values if pathlib.Path(value).is_file()]
    return {"version": toolchain.output("cachesim", "--version").decode(), "capture": content_hash(given.capture),
            "options": [given.flags, lists], "GPU": [toolchain.output("cachesim", "--show-preset", gpu).decode() for gpu in gpus],
            "--assign": [content_hash(file) for file in files]}


class Finished:
    """Rows that are done, in a file: a line of what they depend on, then a line for each. A line begins with its checksum; what comes
    after a damaged one is done again."""

    def __init__(self, path, identity):
        self.path, self.rows, self._lock = path, {}, threading.Lock()
        try:
            self._file = open(path, "a+b", buffering=0)
        except OSError as error:
            raise InputError(f"{path}: cannot write: {reason(error)}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(f"{path}: another program is writing it; wait for its end, or choose another result") from error
        self._file.seek(0)
        content, begin = self._file.readall(), self._line(identity)
        if begin.startswith(content):  # nothing, or cut short
            self._file.truncate(0)
            self._append(begin)
        else:
            self._take(content.splitlines(keepends=True), identity)

    @staticmethod
    def _line(content):
        text = json.dumps(content).encode()
        return hashlib.blake2b(text, digest_size=8).hexdigest().encode() + b" " + text + b"\n"

    def _content(self, line):
        """Of a line, None where it is damaged."""
        try:
            content = json.loads(line.partition(b" ")[2])
        except ValueError:
            return None
        return content if self._line(content) == line else None

    def _take(self, lines, identity):
        known = self._content(lines[0])
        if not isinstance(known, dict):
            raise InputError(f"{self.path}: is damaged, or was not left by an interrupted run; remove it to begin anew")
        if known != identity:
            other = next((name for name in identity if known.get(name) != identity[name]), "command")
            raise InputError(f"{self.path}: is of a run with another {other}, expected one of this command; remove it to begin anew")
        size = len(lines[0])
        for line in lines[1:]:
            if (row := self._content(line)) is None:
                break
            self.rows[row["number"]] = row["row"]
            size += len(line)
        self._file.truncate(size)

    def _append(self, line):
        size, left = os.fstat(self._file.fileno()).st_size, memoryview(line)
        try:
            while left:
                left = left[self._file.write(left):]
        except OSError as error:
            self._file.truncate(size)
            raise InputError(f"{self.path}: cannot write: {reason(error)}") from error

    def add(self, number, row):
        with self._lock:
            self._append(self._line({"number": number, "row": row}))
            self.rows[number] = row

    def remove(self):
        pathlib.Path(self.path).unlink()


def threads(text):
    if text is None:
        return os.cpu_count()
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise InputError(f"--threads: '{text}', expected a whole number from 1 to 1024")
    return int(text)


def simulate(capture, words):
    return harness.simulate(capture, *words, "--threads", "1", timed=True)["total"]  # the sweep itself is parallel


def row_of(options, total):
    timing, load = total["timing"], total["load"]
    looked_up = load["transactions"] - load["bypasses"]
    row = {"options": options, "cycles": timing["cycles"],
           "warp_instructions_per_cycle": timing["warp_instructions_per_cycle"],
           "load_latency_cycles_mean": timing["load_latency_cycles_mean"],
           "load_hit_rate_percent": 100 * (load["hits"] + load["hits_pending"]) / looked_up if looked_up else None}
    for kind in ("load", "store", "atomic"):
        row[kind] = {key: total[kind][key] for key in KINDS}
    return row


def run_all(given, finished):
    """Rows in order of the combinations. The first combination that fails, in this order, ends the run. `finished`: where rows are kept,
    or None."""
    def run_one(number, options, words):
        if finished is not None and number in finished.rows:
            return finished.rows[number]
        row = row_of(options, simulate(given.capture, words))
        if finished is not None:
            finished.add(number, row)
        return row

    jobs = threads(given.own.get("threads"))
    work = list(given.combinations())
    with children.threads(jobs, given.capture) as pool:
        futures = [pool.submit(run_one, number, options, words) for number, (options, words) in enumerate(work)]
        return [future.result() for future in futures]


def flat(row, varied):
    number = row["load_hit_rate_percent"]
    latency = row["load_latency_cycles_mean"]
    return [*(row["options"][label] for label in varied), row["cycles"], f"{row['warp_instructions_per_cycle']:.4f}",
            "-" if latency is None else f"{latency:.1f}", "-" if number is None else f"{number:.3f}",
            row["load"]["misses"] + row["load"]["sector_misses"], row["load"]["reservation_fails"]]


def write_tables(given, rows):
    varied = [label for label, values in given.lists if len(values) > 1]
    header = [*varied, "cycles", "instructions_per_cycle", "load_latency", "load_hit_rate_percent", "load_misses",
              "reservation_fails"]
    cells = [header, *([str(cell) for cell in flat(row, varied)] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))
    best = min(rows, key=lambda row: row["cycles"])
    print(f"\n{len(rows)} configurations; fewest cycles: {best['cycles']}"
          + "".join(f", {label} {best['options'][label]}" for label in varied))
    if "csv" in given.own:
        with open(given.own["csv"], "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(cells)
    if "json" in given.own:
        text = json.dumps({"schema": 1, "kind": "timed sweep", "cells": rows}, indent=1)
        pathlib.Path(given.own["json"]).write_text(text + "\n", encoding="utf-8")


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) > 1 else 2
    given = Lists(sys.argv[1:])
    children.catch_signals()
    if RESUME not in given.own:
        write_tables(given, run_all(given, None))
        return 0
    finished = Finished(f"{given.own['json']}.{RESUME}", identity_of(given))
    try:
        write_tables(given, run_all(given, finished))
        finished.rows.clear()
    except Stopped:
        if finished.rows:
            print(printable_message(f"timed-sweep: interrupted; the same command goes on from {finished.path}"), file=sys.stderr)
        raise
    finally:
        if not finished.rows:  # it is complete, or nothing has been done
            finished.remove()
    return 0


def start():
    run_main("timed-sweep", main)
