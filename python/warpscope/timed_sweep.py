"""Many configurations of `cachesim timed` on one capture, side by side on all cores of this machine.

timed-sweep CAPTURE --gpu GPU[,GPU]... [--set KEY=VALUE[,VALUE]...]... [options of cachesim timed]
            [--threads N] [--csv FILE] [--json FILE]

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

Examples:
  timed-sweep mm.wtrace --gpu v100 --set l1_size_kib=32,64,128 --set l1_ways=64 --warp-scheduler lrr,gto,gty
  timed-sweep mm.wtrace --gpu gtx480,k40,h100 --csv gpus.csv
  timed-sweep mm.wtrace --gpu h100 --launch 0,1,2 --threads 2 --json launches.json
"""
import concurrent.futures
import csv
import itertools
import json
import os
import pathlib
import sys

from warpscope import counters, harness, toolchain
from warpscope.errors import InputError, run_main

LISTS = ("gpu", "preset", "set", "warp-scheduler", "active-warps", "warp-limit", "ccws-throttle", "ccws-base-score", "ccws-victim-sets",
         "unroll", "predicated", "independent", "l1-stages", "l2",
         "l2-set-index", "l2-slice-index", "assign", "max-workgroups",
         "registers", "cores", "warp-size", "launch", "seed", "reconvergence", "buffer-base", "buffer-align", "layout-seed")
FLAGS = ("allocate-on-fill", "ideal", "partial")
OUR_OWN = ("threads", "csv", "json")
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
            elif name in LISTS + OUR_OWN:
                if not equals and not queue:
                    raise InputError(f"{word}: has no value, expected one behind it")
                self.take(name, value if equals else queue.pop(0))
            else:
                raise InputError(f"{word}: not an option here, expected those of cachesim timed that take a value, "
                                 + ", ".join(f"--{flag}" for flag in FLAGS + OUR_OWN))
        if self.capture is None:
            raise InputError("no capture given, expected one; see --help")
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


def run_all(given):
    """Rows in order of the combinations. The first combination that fails, in this order, ends the run."""
    work = list(given.combinations())
    with concurrent.futures.ThreadPoolExecutor(threads(given.own.get("threads"))) as pool:
        futures = [pool.submit(simulate, given.capture, words) for _, words in work]
        try:
            return [row_of(options, future.result()) for (options, _), future in zip(work, futures)]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


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
    write_tables(given, run_all(given))
    return 0


def start():
    run_main("timed-sweep", main)
