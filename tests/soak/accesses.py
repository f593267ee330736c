"""A capture of 10^9 accesses through every tool: counts by arithmetic, at most 2 GiB each."""
import json
import math

from common import KERNELS, Failed, run

MOST_MEBIBYTES = 2048


def check(done, table, accesses):
    table.add("accesses", done.text(), accesses, done.seconds, done.mebibytes)
    if done.mebibytes > MOST_MEBIBYTES:
        raise Failed(f"{done.text()}: {done.mebibytes:.0f} MiB, expected at most {MOST_MEBIBYTES}")
    return done


def expect(what, value, expected):
    if value != expected:
        raise Failed(f"{what}: {value}, expected {expected}")


def soak(options, table, folder):
    # Naive multiplication of width n: every work-item loads 2 n elements and stores one.
    width = 16 * math.ceil((options.accesses / 2) ** (1 / 3) / 16)
    loads, stores = 2 * width ** 3, width ** 2
    accesses = loads + stores
    capture, stream, transactions, result = (folder / name for name in ("mm.wtrace", "mm.wsched", "mm.wtxn", "result.json"))
    bin_ = options.bin

    def step(*words):
        return check(run([bin_ / words[0], *words[1:]], cwd=folder), table, accesses)

    step("trace-kernel", KERNELS / "mm/mm.cl", "--global", f"{width},{width}", "-o", capture)
    expect("bytes per access", capture.stat().st_size <= 0.01 * accesses, True)
    step("trace-check", capture)
    summary = json.loads(step("trace-view", "--summary", "--json", capture).out)["launches"][0]
    expect("loads of the summary", summary["loads"], loads)
    expect("stores of the summary", summary["stores"], stores)
    step("warpsched", capture, "--policy", "warp", "--cores", "15", "-o", stream)
    step("cachesim", "coalesce", stream, "-o", transactions)
    lanes = set()
    for source, words in ((capture, ["--policy", "warp", "--cores", "15"]), (stream, []), (transactions, [])):
        step("cachesim", source, "16", "128", "4", "LRU", "WTNA", *words, "--json", result)
        total = json.loads(result.read_text())["total"]
        expect(f"lanes of {source.name}", (total["load"]["lanes"], total["store"]["lanes"]), (loads, stores))
        lanes.add(json.dumps(total, sort_keys=True))
    expect("different totals of capture, stream and transactions", len(lanes), 1)
    step("cachesim", "sweep", transactions, "--ways", "1-16", "--sets", "32,64", "--csv", folder / "sweep.csv")
    step("cachesim", "timed", capture, "--preset", "gtx480", "--json", result)
    timed = json.loads(result.read_text())["total"]
    expect("lanes of timed", (timed["load"]["lanes"], timed["store"]["lanes"]), (loads, stores))
    step("warpscope", "report", result, "-o", folder / "report")
