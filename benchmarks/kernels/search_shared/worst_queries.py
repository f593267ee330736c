#!/usr/bin/env python3
"""Worst queries of the plain binary search: every lane of a warp in one bank, in every step that has a node for each of them.

    worst_queries.py FILE [--keys 1024] [--queries 262144]

Writes uint32 values for `--arg query=file:FILE`. The keys are 1, 3, 5, … as in search_shared.launch. Lane t looks for the key of number
t · N/32 + c, one c per warp: the lanes part in the first five steps, and from then on their places are multiples of N/32 apart, which are
multiples of 32 words if 1024 divides N. Karsin 2018, section 6.2.
"""
import argparse
import array
import sys

WARP = 32


def queries(keys, count):
    """`count` queries; `keys` a power of two from 1024 on."""
    step = keys // WARP
    return array.array("I", (2 * (k % WARP * step + k // WARP % step) + 1 for k in range(count)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--keys", type=int, default=1024)
    parser.add_argument("--queries", type=int, default=262144)
    options = parser.parse_args()
    if options.keys < WARP * WARP or options.keys & (options.keys - 1) or options.queries < 1:
        sys.exit(f"worst_queries.py: --keys {options.keys}: expected a power of two from {WARP * WARP} on, and at least one query")
    with open(options.file, "wb") as file:
        queries(options.keys, options.queries).tofile(file)


if __name__ == "__main__":
    main()
