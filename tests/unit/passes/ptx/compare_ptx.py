#!/usr/bin/env python3
"""Static accesses of our optimised bitcode against the PTX that clang-15 makes of the same kernel.

The kernels were written for this test; the recipe of compilation was not adjusted to them. Every kernel must agree,
except those in the table "Compilation" of DEVIATIONS.md, which must differ exactly as stated there.

A .cu file is compiled by clang's CUDA mode for NVPTX: another mode than ours, another target, the same headers.

usage: compare_ptx.py COMPILE_KERNEL DEVIATIONS.md KERNEL.cl|KERNEL.cu... [--table]
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

# What clang's NVPTX code generator names a space, and the letter used here.
PTX_SPACES = {"global": "g", "shared": "l", "local": "p", "const": "c"}
OUR_SPACES = {"global": "g", "local": "l", "private": "p", "constant": "c", "generic": "x"}
PTX_ACCESS = re.compile(
    r"^\s*(?:@\S+\s+)?(ld|st)(?:\.volatile)?\.?(global|shared|local|const|param)?(\.nc)?(?:\.(v2|v4))?\.[a-z]+(8|16|32|64)\s")


def pieces(width, alignment):
    """Accesses of one lane: ceil(width / min(16, alignment)) of min(16, alignment) bytes, narrower ones as they are."""
    size = min(16, alignment, 1 << (width - 1).bit_length())
    return math.ceil(width / size), size


def show(counts):
    """'g:2x4 l:1x16 / g:1x4': loads / stores, count x bytes per space."""
    halves = []
    for kind in ("load", "store"):
        spaces = []
        for letter in "glpcx":
            sizes = sorted((size, n) for (k, s, size), n in counts.items() if k == kind and s == letter)
            if sizes:
                spaces.append(letter + ":" + "+".join(f"{n}x{size}" for size, n in sizes))
        halves.append(" ".join(spaces) or "-")
    return " / ".join(halves)


def ours(compile_kernel, source, directory):
    subprocess.run([compile_kernel, str(source), "-o", directory], check=True, stdout=subprocess.DEVNULL)
    counts = Counter()
    (kernel,) = json.loads(pathlib.Path(directory, "kernels.json").read_text())
    for site in kernel["sites"]:
        if site["kind"] in ("load", "store"):
            number, size = pieces(site["width"], site["alignment"])
            counts[site["kind"], OUR_SPACES[site["space"]], size] += number
    return counts


OPENCL = ["-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", "sm_70",
          "-Xclang", "-finclude-default-header"]
CUDA = ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib", "-fdeclspec",
        "--cuda-path=/dev/null", "-Wno-unknown-assumption"]


def ptx(source, compile_kernel, directory):
    target = pathlib.Path(directory, "kernel.ptx")
    headers = pathlib.Path(compile_kernel).resolve().parents[1] / "share" / "warpscope" / "cuda"
    language = OPENCL if source.suffix == ".cl" else [*CUDA, "-isystem", str(headers), "-include", "cuda_runtime.h"]
    subprocess.run(
        ["clang-15", *language, "-O3", "-mllvm", "-unroll-runtime=false", "-mllvm", "-unroll-allow-partial=false", "-S",
         str(source), "-o", str(target)],
        check=True)
    counts = Counter()
    # Device functions are next to the kernels that they are inlined in.
    kernels = "".join(re.findall(r"^\.visible \.entry .*?^}", target.read_text(), re.M | re.S))
    for line in kernels.splitlines():
        found = PTX_ACCESS.match(line)
        if found and found[2] != "param":
            size = int(found[5]) // 8 * int((found[4] or "v1")[1:])
            counts[{"ld": "load", "st": "store"}[found[1]], PTX_SPACES.get(found[2], "x"), size] += 1
    return counts


def known_deviations(path):
    """Rows '| `kernel` | ours | PTX | reason |' of the section 'Compilation'."""
    section = pathlib.Path(path).read_text().split("## Compilation", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| `([^`]+)` \| ([^|]+) \|$", section, re.M)
    return {kernel: (mine, theirs) for kernel, mine, theirs, _ in rows}


def main():
    table = "--table" in sys.argv
    arguments = [a for a in sys.argv[1:] if a != "--table"]
    compile_kernel, deviations, sources = arguments[0], arguments[1], [pathlib.Path(a) for a in arguments[2:]]
    known = known_deviations(deviations)
    failed = []
    for source in sources:
        with tempfile.TemporaryDirectory() as directory:
            mine, theirs = show(ours(compile_kernel, source, directory)), show(ptx(source, compile_kernel, directory))
        name = source.stem
        expected = known.pop(name, None)
        good = (mine, theirs) == expected if expected else mine == theirs
        if table and mine != theirs:
            print(f"| `{name}` | `{mine}` | `{theirs}` |  |")
        print(f"{'ok  ' if good else 'FAIL'} {name}: ours {mine}" + ("" if mine == theirs else f", PTX {theirs}"))
        if not good:
            failed.append(name)
            print(f"     expected {'equal counts' if not expected else 'ours %s, PTX %s' % expected}")
    if known:
        print("in the table of deviations, but not a kernel here: " + ", ".join(sorted(known)))
    return 1 if failed or known else 0


if __name__ == "__main__":
    sys.exit(main())
