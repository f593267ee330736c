"""Whose turn it is: launches in an order such that a run that is stopped has some of every GPU and family."""
import collections
import math
import re

from truth import tables
from truth.parts import selection

LOADS = ("gld_request", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "gld_transactions")
SHARED_LOADS = ("shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")


def recorded_share(launch):
    """Roughly which part of a launch its command records."""
    options, (x, y, z) = launch.command.options, launch.block
    share = 1.0
    for place, word in enumerate(options):
        if word == "--global":
            share = math.prod(int(size) for size in options[place + 1].split(",")) / (launch.groups * x * y * z)
    every = re.match(r"every(?:-core)?:(\d+)", selection(options) or "")
    return min(1.0, share) / (int(every[1]) if every else 1)


def cost(launch):
    """Roughly how long a launch takes, in warp accesses: measured requests and wavefronts of shared memory, else warps, of the part
    that is recorded."""
    measured, (x, y, z) = launch.measured, launch.block
    warps = launch.groups * -(-x * y * z // 32)
    global_loads = next((measured[name] for name in LOADS if name in measured), warps)
    shared_loads = next((measured[name] for name in SHARED_LOADS if name in measured), 0)
    return max(warps, global_loads + shared_loads) * recorded_share(launch)


def weight(launches):
    """By how much less the launches of a (GPU, family) tell than variants, of which many are to be ranked."""
    if launches[0].family in tables.VARIANTS:
        return 1
    return 2 if any(name in one.measured for one in launches for name in tables.HIT_RATES) else 8


class FairShare:
    """Launches in turn such that every (GPU, family) has had about the same time, whenever a run is stopped. In each the cheap launches
    come first; launches of one command are taken together."""

    def __init__(self, launches, seconds, wanted=lambda launch: True):
        """`seconds`: of a launch, what was spent on it before; `wanted`: whether it is to be run."""
        self._spent = {}
        self._queues = {}
        self._weights = {}
        families = {}
        for launch in sorted(launches, key=lambda one: (cost(one), one.name)):
            families.setdefault((launch.gpu, launch.family), []).append(launch)
        for family, ones in families.items():
            commands = {}
            for launch in filter(wanted, ones):
                commands.setdefault((launch.command.file, launch.command.options), []).append(launch)
            self._queues[family] = collections.deque(commands.values())
            self._spent[family] = math.fsum(map(seconds, ones))
            self._weights[family] = weight(ones)

    def __len__(self):
        return sum(map(len, self._queues.values()))

    def take(self):
        """(family, launches of one command) to be run next; None at the end."""
        waiting = [family for family, queue in self._queues.items() if queue]
        if not waiting:
            return None
        family = min(waiting, key=lambda one: (self._spent[one] * self._weights[one], one))
        return family, self._queues[family].popleft()

    def add(self, family, seconds):
        self._spent[family] += seconds
