"""SIGKILL and SIGTERM at random moments of recording and simulating.

What must hold: nothing incomplete under the final name; what a capture held when it was cut off can be read; the next run of
the same command makes the same file; after SIGTERM no process and no temporary folder is left.
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import cases
from common import Failed, Progress, run

GRACE_SECONDS = 20


class Killing:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.generator = random.Random(options.seed)
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.temporary), "SOAK_MARK": f"{os.getpid()}"}
        cases.prepare(options.bin, folder)
        self.reference = {}
        for case in cases.cases(options.bin):
            began = time.monotonic()
            run(case.words, cwd=folder, env=self.environment)
            self.reference[case.name] = ((folder / case.output).read_bytes(), time.monotonic() - began)
            self.clean()
        self.tally = {"killed": 0, "already over": 0, "partial captures read": 0, "runs afterwards": 0}

    def clean(self):
        for path in self.folder.iterdir():
            if path.name.startswith("out"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in self.temporary.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def marked(self):
        """Processes that are ours, by the mark in their environment."""
        mark = f"SOAK_MARK={os.getpid()}".encode()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return [pid for pid in found if pid != os.getpid()]

    def wait_for_the_rest(self, case, number):
        """A traced program may outlive a killed trace-kernel for as long as it has work; after SIGTERM nothing does."""
        end = time.monotonic() + GRACE_SECONDS
        while self.marked():
            if time.monotonic() > end:
                for pid in self.marked():
                    os.kill(pid, signal.SIGKILL)
                raise Failed(f"{case.name}: {GRACE_SECONDS} s after {number.name}, processes are left")
            time.sleep(0.01)

    def once(self, case, number):
        content, seconds = self.reference[case.name]
        process = subprocess.Popen(case.words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.generator.uniform(0, seconds))
        over = process.poll() is not None
        if not over:
            process.send_signal(number)
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise Failed(f"{case.name}: still running {GRACE_SECONDS} s after {number.name}") from error
        self.wait_for_the_rest(case, number)
        self.tally["already over" if over else "killed"] += 1
        self.check(case, number, content)

    def check(self, case, number, content):
        output = self.folder / case.output
        part = self.folder / (case.output + ".part")
        if output.exists() and output.read_bytes() != content:
            # A traced program that was ended has launched less; what it launched is all there.
            if not (case.name == "trace-kernel --" and run([*case.check, output], (0, 2)).status == 0):
                raise Failed(f"{case.name}: after {number.name} an incomplete {case.output}")
        if part.exists() and case.output.endswith(".wtrace"):
            self.read_part(case, part)
        left = [path.name for path in self.temporary.iterdir()]
        if number == signal.SIGTERM and left:
            raise Failed(f"{case.name}: SIGTERM leaves {', '.join(left)} in the temporary folder")
        if self.generator.randrange(10) == 0:
            run(case.words, cwd=self.folder, env=self.environment)
            if output.read_bytes() != content:
                raise Failed(f"{case.name}: the run after {number.name} gives another {case.output}")
            self.tally["runs afterwards"] += 1
        self.clean()

    def read_part(self, case, part):
        done = run([*case.check, "--partial", part], (0, 2))
        if done.status == 0:
            self.tally["partial captures read"] += 1
        elif done.err.count("\n") != 1 or not any(
                word in done.err for word in ("nothing in it is usable", "is empty", "not a capture", "cut short")):
            raise Failed(f"{case.name}: its .part cannot be read: {done.out}{done.err}")


def soak(options, table, folder):
    killing = Killing(options, folder)
    all_cases = cases.cases(options.bin)
    progress = Progress("kills", options.kills)
    began = time.monotonic()
    for count in range(options.kills):
        killing.once(all_cases[count % len(all_cases)], killing.generator.choice((signal.SIGKILL, signal.SIGTERM)))
        progress.update(count + 1)
    for what, count in killing.tally.items():
        table.add("kills", what, count, time.monotonic() - began)
