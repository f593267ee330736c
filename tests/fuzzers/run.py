#!/usr/bin/env python3
"""Runs the fuzzers on the committed seeds, and longer where time is given.

    tests/fuzzers/run.py                     every file of corpus/ once, no mutations
    tests/fuzzers/run.py --seconds 60        then 60 seconds of mutations, shared by all harnesses
    tests/fuzzers/run.py --each 600          10 minutes of each harness; what is new is kept in --work
    tests/fuzzers/run.py stream chunk …      only these

A finding (a crash, a sanitizer's report, more than 10 seconds, more than 2 GiB) is left in --work; exit status 1.
Build them first: cmake --preset asan-ubsan && cmake --build --preset fuzz
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Name -> folder in corpus/. result_json is Python.
SEEDS = dict(re.findall(r"^HARNESS\((\w+), (\w+),", (HERE / "harnesses.def").read_text(), re.MULTILINE))
SEEDS["result_json"] = "result_json"
HARNESSES = tuple(SEEDS)
LIMITS = ("-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=2048", "-max_len=65536", "-print_final_stats=1", "-verbosity=0")
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=8:malloc_context_size=6",
               "UBSAN_OPTIONS": "print_stacktrace=1"}


def preset_keys():
    """The keys of presets as lines of a fuzzer's dictionary."""
    table = (ROOT / "gpus/preset_keys.def").read_text(encoding="utf-8")
    return "".join(f'"{name}"\n' for name in re.findall(r"^PRESET_KEY\(\w+, (\w+),", table, re.MULTILINE))


def command(name, seconds, options):
    """The harness on its seeds; with `seconds`, mutations for so long."""
    seeds = HERE / "corpus" / SEEDS[name]
    work = options.work / name
    work.mkdir(parents=True, exist_ok=True)
    if name == "result_json":
        files = sorted(seeds.iterdir()) if not seconds and seeds.is_dir() else []
        return ["/usr/bin/python3", HERE / "result_json.py", "--artifacts", work,
                *(("--seconds", f"{seconds}") if seconds else ()), *files]
    words = [options.fuzzer, f"--harness={name}", *LIMITS, f"-artifact_prefix={work}/", f"-seed={options.seed}"]
    if not seconds:
        return [*words, *sorted(seeds.iterdir())]
    dictionary = work / "words.dict"
    dictionary.write_text((HERE / "json.dict").read_text(encoding="utf-8") + preset_keys(), encoding="utf-8")
    new = work / "corpus"
    new.mkdir(exist_ok=True)
    return [*words, f"-max_total_time={max(1, round(seconds))}", f"-dict={dictionary}", new, seeds]


def run(name, seconds, options):
    """(name, status, runs, seconds, output) of one harness."""
    began = time.monotonic()
    words = [str(word) for word in command(name, seconds, options)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=ENVIRONMENT, cwd=options.work)
    counted = re.search(r"number_of_executed_units: (\d+)|result_json: (\d+) documents", done.stdout)
    runs = next(int(number) for number in counted.groups() if number) if counted else len(words)
    return name, done.returncode, runs, time.monotonic() - began, done.stdout


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="\n".join(__doc__.splitlines()[2:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness", nargs="*", help=", ".join(HARNESSES))
    parser.add_argument("--seconds", type=float, default=0, help="of mutations, shared by all harnesses")
    parser.add_argument("--each", type=float, default=0, help="seconds of mutations of each harness")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations; 0 = another in every run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="harnesses that run at once")
    parser.add_argument("--fuzzer", type=pathlib.Path, default=ROOT / "build/asan-ubsan/test-bin/fuzzer")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/asan-ubsan/fuzzing",
                        help="where new inputs and findings go")
    options = parser.parse_args()
    unknown = [name for name in options.harness if name not in HARNESSES]
    if unknown:
        sys.exit(f"run.py: {unknown[0]}: no such harness, expected {', '.join(HARNESSES)}")
    options.work.mkdir(parents=True, exist_ok=True)
    options.harness = options.harness or HARNESSES
    return options


def main():
    options = parse()
    seconds = options.each or options.seconds / len(options.harness)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rounds = [0, seconds] if seconds else [0]
        for name, status, runs, took, output in pool.map(lambda job: run(*job, options),
                                                         [(name, round) for round in rounds for name in options.harness]):
            print(f"{name:15} {runs:10} inputs  {took:6.1f} s  {'ok' if status == 0 else 'FINDING'}", flush=True)
            if status != 0:
                failed.append(name)
                print(output[-6000:], flush=True)
    if failed:
        print(f"findings of {', '.join(dict.fromkeys(failed))} are in {options.work}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
