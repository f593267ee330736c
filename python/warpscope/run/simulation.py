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


def simulate(capture_file, request, result_file, quiet=False):
    """The fixed order: warpsched | cachesim, both at once, so that no stream is left behind. Repetitions need the capture again and
    again, so there cachesim makes the schedules. Returns 0, or 3 where launches do not fit the GPU and are left out. A `quiet`
    one says nothing about what it leaves out."""
    fixed, machine = request.fixed, request.machine_words()
    if fixed.repeat is not None:
        return _simulate_repeatedly(capture_file, request, result_file)
    schedule = toolchain.command("warpsched", capture_file, "--policy", fixed.policy, *request.gpu.words(), *request.chosen.words(), "-o", "-")
    cachesim = toolchain.command("cachesim", "-", *machine, "--reuse-histogram", "--json", result_file)
    first = children.start(schedule, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL if quiet else None)
    second = children.start(cachesim, stdin=first.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    first.stdout.close()
    messages = second.communicate()[1]
    status = first.wait()
    if status in FINE and second.returncode in FINE:
        return max(status, second.returncode)  # warpsched has named what it left out
    nothing_fits = status == EXIT_NOT_TRACEABLE and b"is empty" in messages
    if not quiet and (status in FINE and not nothing_fits or second.returncode != 0 and not messages):
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


def simulate_timed(capture_file, request, chosen, result_file, most_instructions=None):
    """cachesim timed over the launches that `chosen` (options) names. Returns 0 or 3; None where warps issue more than `most_instructions`, and
    then there is no result. What it prints is dropped unless it fails: fixed order has named the same launches."""
    words = toolchain.command("cachesim", "timed", capture_file, *request.gpu.words(), *chosen, *given(most_instructions=most_instructions),
                              "--json", result_file)
    done = children.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if most_instructions is not None and b"--most-instructions: launch " in done.stderr:
        return None
    if done.returncode not in FINE or not result_file.exists():
        sys.stderr.buffer.write(done.stderr)
        raise ToolFailed(done.returncode if done.returncode > 0 else 1)
    return done.returncode
