"""The tools and programs that a script starts end with it: SIGINT, SIGTERM and SIGHUP reach them, and nothing is left."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from warpscope.base.errors import Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 5  # for a child to end by itself; a traced program's capture is finished meanwhile
_running = []
_SETPRIV = shutil.which("setpriv")  # of util-linux, which every Debian has


def _stop(number, _frame):
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # once is enough, and tidying up is not to be interrupted
    raise Stopped(number)


def catch_signals():
    """From here on a signal raises Stopped; those that the caller has switched off (nohup) stay so."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def _ending_with_us(words):
    """The command line of a child that gets SIGTERM when the thread that starts it has ended, which SIGKILL may do. A Python function between
    fork and exec would do the same, but not with threads."""
    can_be_found = os.path.isabs(words[0]) and os.access(words[0], os.X_OK)
    return [_SETPRIV, "--pdeathsig", "TERM", *words] if _SETPRIV and can_be_found else words


def start(words, **options):
    """As subprocess.Popen; the child is ended by end_all(), and ends where we are killed."""
    child = subprocess.Popen(_ending_with_us(words), **options)
    _running.append(child)
    return child


def forget(child):
    """That a child of start() has ended, and need not be looked after."""
    if child in _running:
        _running.remove(child)


def run(words, **options):
    """As subprocess.run, with a child that is ended by end_all()."""
    child = start(words, **options)
    try:
        output, messages = child.communicate()
    except BaseException:
        end_all()
        raise
    return subprocess.CompletedProcess(words, child.returncode, output, messages)


def _descendants(process):
    found = []
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *_descendants(int(child))]
    return found


def _kill(processes, number):
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _is_running(process):
    with contextlib.suppress(OSError):
        return "State:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
    return False


def _wait(processes, end):
    """Waits for their end; those that still run."""
    left = [process for process in processes if _is_running(process)]
    while left and time.monotonic() < end:
        time.sleep(0.02)
        for child in _running:
            child.poll()
        left = [process for process in left if _is_running(process)]
    return left


def end_all():
    """Asks every child that still runs to end, then what it started; after some seconds ends what is left."""
    children = [child.pid for child in _running if child.poll() is None]
    others = [process for child in children for process in _descendants(child)]
    end = time.monotonic() + GRACE_SECONDS
    _kill(children, signal.SIGTERM)
    left = _wait(children, end)
    others = [process for process in others if _is_running(process)]
    _kill(others, signal.SIGTERM)
    left += _wait(others, end)
    _kill(left, signal.SIGKILL)
    for child in _running:
        child.wait()
