"""The commands that are killed, and run on a full disk: every tool that writes a file."""
from common import KERNELS, ROOT, run


class Case:
    """A command; `output` is its file in the folder that it runs in; `check` reads it: a command, or None."""

    def __init__(self, name, words, output, check=None):
        self.name, self.words, self.output, self.check = name, [str(word) for word in words], output, check


def prepare(bin_, folder):
    """The inputs that the cases read."""
    run([bin_ / "trace-kernel", KERNELS / "mm/mm.cl", "--global", "64,64", "-o", "in.wtrace"], cwd=folder)
    run([bin_ / "warpsched", "in.wtrace", "--policy", "warp", "--cores", "2", "-o", "in.wsched"], cwd=folder)


def cases(bin_):
    cache = ("16", "128", "4", "LRU", "WTNA")
    return [
        Case("trace-kernel", [bin_ / "trace-kernel", KERNELS / "mm/mm.cl", "--global", "96,96", "-o", "out.wtrace"],
             "out.wtrace", [bin_ / "trace-check"]),
        Case("trace-kernel --", [bin_ / "trace-kernel", "-o", "out.wtrace", "--", "/usr/bin/python3",
                                 ROOT / "tests/soak/many_launches.py", "300"], "out.wtrace", [bin_ / "trace-check"]),
        Case("warpsched", [bin_ / "warpsched", "in.wtrace", "--policy", "warp", "-o", "out.wsched"], "out.wsched",
             [bin_ / "cachesim", *cache]),
        Case("warpsched --format text", [bin_ / "warpsched", "in.wtrace", "--policy", "warp", "--format", "text", "-o", "out.txt"],
             "out.txt"),
        Case("trace-view crawford", [bin_ / "trace-view", "in.wtrace", "--format", "crawford", "-o", "out.txt"], "out.txt"),
        Case("cachesim coalesce", [bin_ / "cachesim", "coalesce", "in.wsched", "-o", "out.wtxn"], "out.wtxn",
             [bin_ / "cachesim", *cache]),
        Case("cachesim", [bin_ / "cachesim", "in.wtrace", *cache, "--policy", "warp", "--json", "out.json"], "out.json"),
        Case("cachesim sweep", [bin_ / "cachesim", "sweep", "in.wsched", "--ways", "1-16", "--sets", "32,64", "--csv", "out.csv"],
             "out.csv"),
        Case("cachesim timed", [bin_ / "cachesim", "timed", "in.wtrace", "--preset", "gtx480", "--json", "out.json"], "out.json"),
    ]
