"""Runs the two engines over a capture: the fixed order (warpsched | cachesim) and cachesim timed."""
import os
import subprocess
import sys

from warpscope.base import children, toolchain
from warpscope.base.errors import ToolFailed
from warpscope.run.request import given

EXIT_NOT_TRACEABLE = 3
FINE = (0, EXIT_NOT_TRACEABLE)


def check_options(words, **options):
    """Whether cachesim takes the options; it says why not. Raises ToolFailed."""
    toolchain.run("cachesim", "-", *words, "--check-options", **options)


def _run(words, result_file):
    """Runs cachesim; its messages are shown where it fails, leaves launches out, or took a part for a budget."""
    done = children.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0 or any(word in done.stderr for word in (b"; --sample-", b"; --waves ", b"; nothing of it can be left out")):
        sys.stderr.buffer.write(done.stderr.replace(f"{result_file.parent}{os.sep}".encode(), b""))
        sys.stderr.flush()
    if done.returncode not in FINE or not result_file.exists():
        raise ToolFailed(done.returncode if done.returncode > 0 else 1)
    return done.returncode


def simulate_in(more, capture_file, request, result_file):
    """As simulate(), by cachesim alone, with more options: --budget (two words), with which it chooses launches or cores, and names what
    repeats the choice."""
    return _run(toolchain.command("cachesim", capture_file, *request.machine_words(), "--policy", request.fixed.policy,
                                  *request.chosen.words(), *more, "--reuse-histogram", "--json", result_file), result_file)


def simulate_timed_in(budget, capture_file, request, result_file):
    """As simulate_timed() of all that was chosen, with --budget and other options."""
    return _run(toolchain.command("cachesim", "timed", capture_file, *request.gpu.words(), *request.chosen.words(), *budget, "--json", result_file),
                result_file)


def simulate(capture_file, request, result_file, seconds=None):
    """The fixed order: warpsched | cachesim, both at once, so that no stream is left behind. Repetitions need the capture again and
    again, so there cachesim makes the schedules. Returns 0, or 3 where launches do not fit the GPU and are left out. With `seconds` it
    is a trial: it is stopped after them, returns None then, and says nothing about what it leaves out."""
    fixed, machine = request.fixed, request.machine_words()
    if fixed.repeat is not None:
        return _simulate_repeatedly(capture_file, request, result_file)
    schedule = toolchain.command("warpsched", capture_file, "--policy", fixed.policy, *request.gpu.words(), *request.chosen.words(), "-o", "-")
    cachesim = toolchain.command("cachesim", "-", *machine, "--reuse-histogram", "--json", result_file)
    first = children.start(schedule, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=None if seconds is None else subprocess.DEVNULL)
    second = children.start(cachesim, stdin=first.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    first.stdout.close()
    try:
        messages = second.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        for child in (second, first):
            child.kill()
            child.wait()
        result_file.unlink(missing_ok=True)
        return None
    status = first.wait()
    if status in FINE and second.returncode in FINE:
        return max(status, second.returncode)  # warpsched has named what it left out
    nothing_fits = status == EXIT_NOT_TRACEABLE and b"is empty" in messages
    if seconds is None and (status in FINE and not nothing_fits or second.returncode != 0 and not messages):
        sys.stderr.buffer.write(messages)
    if status in FINE and not nothing_fits or second.returncode != 0 and not messages:
        status = second.returncode
    raise ToolFailed(status if status > 0 else 1)


def _simulate_repeatedly(capture_file, request, result_file):
    done = subprocess.run(toolchain.command("cachesim", capture_file, *request.machine_words(), "--policy", request.fixed.policy,
                                            *request.chosen.words(), "--repeat", request.fixed.repeat, "--json", result_file), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if done.returncode not in FINE or not result_file.exists():
        raise ToolFailed(done.returncode if done.returncode > 0 else 1)
    return done.returncode


def simulate_timed(capture_file, request, chosen, result_file, seconds=None):
    """cachesim timed over the launches that `chosen` (options) names. Returns 0 or 3; None where it was stopped after `seconds`
    (None: no limit) and left nothing. What it prints is dropped unless it fails: fixed order has named the same launches."""
    words = toolchain.command("cachesim", "timed", capture_file, *request.gpu.words(), *chosen, "--json", result_file)
    child = children.start(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        messages = child.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        result_file.unlink(missing_ok=True)
        return None
    if child.returncode not in FINE or not result_file.exists():
        sys.stderr.buffer.write(messages)
        raise ToolFailed(child.returncode if child.returncode > 0 else 1)
    return child.returncode
