#!/usr/bin/python3
"""Every benchmark kernel, small, simulated by one thread and by several under ThreadSanitizer: the same bytes, and no race.

    cmake --preset tsan && cmake --build --preset tsan --target thread_tests cachesim && tests/threads/suite_kernels.py

trace-kernel is that of build/release (or of $WARPSCOPE_BIN), cachesim that of build/tsan. Prints a line per kernel that fails; exit status 1 then.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "endtoend"))
sys.dont_write_bytecode = True
from support import BIN, kernel, kernels  # noqa: E402

CACHESIM = ROOT / "build" / "tsan" / "bin" / "cachesim"
GPUS = ("v100", "gtx480")
THREADS = (1, 2, 5)
WAYS = {"fixed order": (), "cycle by cycle": ("timed",)}  # words before the capture


def run(*words):
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1 exitcode=66"}
    return subprocess.run([str(word) for word in words], capture_output=True, stdin=subprocess.DEVNULL, env=environment, check=False)


def failures(name, capture):
    """What is wrong with one kernel, and how many simulations were asked."""
    found, runs = [], 0
    for gpu in GPUS:
        for way, before in WAYS.items():
            outputs = set()
            for threads in THREADS:
                done = run(CACHESIM, *before, capture, "--gpu", gpu, "--threads", threads, "--json", "-")
                runs += 1
                outputs.add(done.stdout)
                if done.returncode != 0:
                    found.append(f"{name}, {gpu}, {way}, {threads} threads: exit status {done.returncode}: {done.stderr.decode()[:2000].strip()}")
            if len(outputs) != 1:
                found.append(f"{name}, {gpu}, {way}: the results of {', '.join(map(str, THREADS))} threads differ")
    return found, runs


def main():
    if not CACHESIM.exists():
        sys.exit(f"{CACHESIM.relative_to(ROOT)} is missing: cmake --preset tsan && cmake --build --preset tsan --target cachesim")
    found, runs = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in kernels():
            capture = pathlib.Path(folder) / "kernel.wtrace"
            done = run(BIN / "trace-kernel", kernel(name), "--size", "small", "-o", capture)
            if done.returncode != 0:
                sys.exit(f"{name}: trace-kernel: {done.stderr.decode().strip()}")
            wrong, count = failures(name, capture)
            runs += count
            found += wrong
            print("\n".join(wrong) if wrong else f"{name}: the same with {', '.join(map(str, THREADS))} threads", flush=True)
    print(f"{len(kernels())} kernels, {runs} simulations, {len(found)} failures")
    sys.exit(1 if found else 0)


main()
