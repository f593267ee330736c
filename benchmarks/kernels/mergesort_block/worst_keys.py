#!/usr/bin/python3
"""Keys whose merges conflict: in each round half of the work-items begin a power of two apart in one of the two lists.

    worst_keys.py FILE [--items 128] [--per-item 15] [--blocks 1]

Writes uint32 values for `--arg in=file:FILE`: blocks of items * per-item different keys. Of its E outputs a work-item of the first half takes
P from the first list and E - P from the second, P the largest power of two that is not above E; one of the second half the other way round.
So neighbours begin P words apart in one list, gcd(P, 32) = P of them in each bank. The sorted block is divided so round by round, the last
one first. Karsin 2018, section 7.4, has such keys and does not say how they are made.
"""
import argparse
import array
import sys


def unmerged(keys, items, per_item):
    """What `items` work-items, each with per_item keys, must hold so that their merges end in the sorted `keys`."""
    if items == 1:
        return keys
    most = 1 << per_item.bit_length() - 1
    first, second = [], []
    for item in range(items):
        own = keys[item * per_item:(item + 1) * per_item]
        taken = most if item < items // 2 else per_item - most
        first += own[:taken]
        second += own[taken:]
    return unmerged(first, items // 2, per_item) + unmerged(second, items // 2, per_item)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--items", type=int, default=128)
    parser.add_argument("--per-item", type=int, default=15)
    parser.add_argument("--blocks", type=int, default=1)
    options = parser.parse_args()
    if options.items < 1 or options.items & (options.items - 1) or options.per_item < 1 or options.blocks < 1:
        sys.exit(f"worst_keys.py: --items {options.items}: expected a power of two, and at least one key per work-item and one block")
    block = unmerged(list(range(options.items * options.per_item)), options.items, options.per_item)
    with open(options.file, "wb") as file:
        array.array("I", block * options.blocks).tofile(file)


if __name__ == "__main__":
    main()
