"""A full disk at every write: the first, the second, … write of a command to its folder fails, and all after it.

The folder holds the output, and the temporary files of ours; PoCL's cache is elsewhere: an untraced program, too, ends when that
disk is full.
"""
import os
import time

import cases
from common import Failed, Progress, run

HERE = os.path.dirname(os.path.abspath(__file__))


def run_with_full_disk(case, at, folder, library):
    """(how it ended, how many writes it tried)."""
    counter = folder / "counter"
    counter.write_bytes(bytes(8))
    work = folder / "work"
    environment = {**os.environ, "LD_PRELOAD": str(library), "SOAK_FAIL_AT": str(at), "SOAK_COUNTER": str(counter),
                   "SOAK_FOLDER": str(work), "TMPDIR": str(work / "tmp")}
    done = run(case.words, None, cwd=work, env=environment)
    return done, int.from_bytes(counter.read_bytes(), "little")


def check(case, at, done, content, folder):
    """What must hold when write number `at` found the disk full."""
    output = folder / "work" / case.output
    where = f"{case.name}, full disk at write {at}"
    if done.status < 0 or done.status not in (0, 2, 3):
        raise Failed(f"{where}: status {done.status}, expected 2: {done.err[-300:]}")
    if done.status == 0 and (not output.exists() or output.read_bytes() != content):
        raise Failed(f"{where}: status 0 without a whole {case.output}")
    if done.status != 0 and output.exists() and output.read_bytes() != content:
        raise Failed(f"{where}: an incomplete {case.output}")
    if done.status != 0 and (not done.err.strip() or "Traceback" in done.err or "terminate called" in done.err):
        raise Failed(f"{where}: status {done.status} with the message '{done.err[-300:]}'")


def soak(options, table, folder):
    library, work = folder / "full_disk.so", folder / "work"
    (work / "tmp").mkdir(parents=True)
    run(["cc", "-O1", "-shared", "-fPIC", "-o", library, f"{HERE}/full_disk.c", "-ldl"])
    cases.prepare(options.bin, work)
    for case in cases.cases(options.bin):
        began = time.monotonic()
        done, writes = run_with_full_disk(case, 1 << 62, folder, library)
        if done.status != 0:
            raise Failed(f"{case.name}: status {done.status} on a disk with room: {done.err[-300:]}")
        content = (work / case.output).read_bytes()
        (work / case.output).unlink()
        places = range(1, writes + 1, max(1, writes // options.writes))
        progress, refused = Progress(f"disk, {case.name}", len(places)), 0
        for count, at in enumerate(places):
            done, _ = run_with_full_disk(case, at, folder, library)
            check(case, at, done, content, folder)
            refused += done.status != 0
            for path in work.glob("out*"):
                path.unlink()
            progress.update(count + 1)
        table.add("disk", f"{case.name}: {writes} writes, {refused} of the runs refused", len(places), time.monotonic() - began)
