"""A program with 200,000 launches: captured, and through every tool in 1 GB."""
import json
import pathlib
import sys

from common import Failed, run

MOST_MEBIBYTES = 1024
HERE = pathlib.Path(__file__).resolve().parent


def soak(options, table, folder):
    capture, result = folder / "many.wtrace", folder / "result.json"
    count = options.launches

    def step(*words, limit=MOST_MEBIBYTES):
        done = run([options.bin / words[0], *words[1:]], cwd=folder)
        table.add("launches", done.text(), count, done.seconds, done.mebibytes)
        if done.mebibytes > limit:
            raise Failed(f"{done.text()}: {done.mebibytes:.0f} MiB, expected at most {limit}")
        return done

    step("trace-kernel", "-o", capture, "--", "/usr/bin/python3", HERE / "many_launches.py", count)
    step("trace-check", capture)
    step("trace-view", "--summary", capture)
    for words in (["cachesim", capture, "--preset", "gtx480"], ["cachesim", "timed", capture, "--preset", "gtx480"]):
        step(*words, "--json", result)
        # In a process of its own: what a process held before exec() counts as memory of the program that it becomes.
        run([sys.executable, __file__, result, count])
    step("cachesim", "sweep", capture, "--preset", "gtx480", "--ways", "4", "--sets", "32", "--csv", folder / "sweep.csv")


def check(result, count):
    """Launch i has 32 (1 + i mod 4) work-items; each loads and stores one element."""
    accesses = sum(32 * (1 + number % 4) for number in range(count))
    document = json.loads(pathlib.Path(result).read_text())
    total = document["total"]
    found = (total["load"]["lanes"], total["store"]["lanes"], len(document["launches"]))
    if found != (accesses, accesses, count):
        sys.exit(f"{found} lanes loaded, stored, and launches, expected {(accesses, accesses, count)}")
    sums = [sum(launch[kind]["transactions"] for launch in document["launches"]) for kind in ("load", "store")]
    if sums != [total["load"]["transactions"], total["store"]["transactions"]]:
        sys.exit(f"launches add up to {sums} transactions, which is not the total")


if __name__ == "__main__":
    check(sys.argv[1], int(sys.argv[2]))
