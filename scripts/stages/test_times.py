#!/usr/bin/python3
"""Where the time of scripts/test went: the ten slowest tests and stages, and whether they took more CPU time than they may.

    scripts/stages/test_times.py --calibrate                    how many times slower than the reference this machine is, at least 1
    scripts/stages/test_times.py build/test-times.csv 1.3 1.4   prints the table; the numbers are calibrations, before and after the run

With calibrations the sum is compared with what CI may take: above WARN minutes there is a warning, above FAIL the exit status is 4. A
slow machine gets so much more as it needs for a small fixed piece of work. The packages' installation does not count.
"""
import csv
import hashlib
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from warpscope.base.command import ArgumentParser, run_main  # noqa: E402
from warpscope.base.errors import InputError  # noqa: E402

WARN, FAIL = 80, 110  # CPU minutes
EXIT_BROKEN = 4
REFERENCE = 0.022  # CPU seconds of work() on the reference: two quiet cores of the machine on which WARN and FAIL were chosen
SLOWEST = 10
NOT_OURS = ("packages",)


def work():
    """CPU seconds of a fixed piece of work: half interpreter, half arithmetic on a buffer that fits in no L1."""
    began = time.process_time()
    digest, block = hashlib.sha256(), bytes(range(256)) * 4096
    for number in range(12):
        digest.update(block)
        sum(one * number % 7 for one in range(20000))
    return time.process_time() - began


def calibration():
    """The best of several tries: what else runs meanwhile only makes it slower."""
    return max(1.0, min(work() for _ in range(9)) / REFERENCE)


def read(path):
    """Rows of stage, test (empty: the whole stage), wall and CPU seconds."""
    try:
        with open(path, encoding="utf-8") as file:
            return [(row["stage"], row["test"], float(row["wall_seconds"]), float(row["cpu_seconds"])) for row in csv.DictReader(file)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: cannot be read, expected the table that scripts/test writes: {error}") from None


def table(rows):
    """Lines of the stages and of the slowest tests."""
    stages = [row for row in rows if not row[1]]
    tests = sorted((row for row in rows if row[1]), key=lambda row: -row[3])[:SLOWEST]
    lines = ["", "stage                                    wall s    CPU s"]
    lines += [f"{stage:<36} {wall:>10.0f} {cpu:>8.0f}" for stage, _, wall, cpu in stages]
    if tests:
        lines += ["", f"the {len(tests)} slowest tests                     wall s    CPU s"]
        lines += [f"{f'{stage}: {test}':<36} {wall:>10.1f} {cpu:>8.1f}" for stage, test, wall, cpu in tests]
    return lines


def verdict(rows, slower):
    """(exit status, line) of the sum on a machine that is that many times slower than the reference."""
    minutes = sum(cpu for stage, test, _, cpu in rows if not test and stage not in NOT_OURS) / 60
    said = f"{minutes:.1f} CPU minutes; this machine is {slower:.2f} times slower than the reference, so {minutes / slower:.1f} there"
    if minutes / slower > FAIL:
        return EXIT_BROKEN, f"{said}: more than {FAIL}, which fails. Move something to scripts/test --long"
    if minutes / slower > WARN:
        return 0, f"warning: {said}: more than {WARN}, and from {FAIL} on this fails"
    return 0, said


def main():
    parser = ArgumentParser(__doc__)
    parser.add_argument("table", nargs="?", type=pathlib.Path)
    parser.add_argument("calibrations", nargs="*", type=float)
    parser.add_argument("--calibrate", action="store_true")
    given = parser.parse_args()
    if given.calibrate:
        print(f"{calibration():.3f}")
        return 0
    if given.table is None:
        raise InputError("no table given, expected build/test-times.csv")
    rows = read(given.table)
    print("\n".join(table(rows)))
    if not given.calibrations:
        return 0
    status, said = verdict(rows, max(1.0, sum(given.calibrations) / len(given.calibrations)))
    print(f"\n{said}")
    return status


if __name__ == "__main__":
    run_main("test_times", main)
