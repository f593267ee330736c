"""A Slurm of two nodes on this machine, without munge and without root: a context that starts it and ends it."""
import contextlib
import getpass
import os
import pathlib
import signal
import socket
import subprocess
import time

NODES = ("n1", "n2")
CONFIGURATION = """
ClusterName=warpscope
SlurmctldHost=localhost
SlurmctldPort={ports[0]}
AuthType=auth/none
AuthInfo=cred_expire=2
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=5
BatchStartTimeout=10
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
NodeName=n1 NodeHostname=localhost NodeAddr=localhost Port={ports[1]} CPUs=1
NodeName=n2 NodeHostname=localhost NodeAddr=localhost Port={ports[2]} CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """Ports of localhost that nobody listens at."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("localhost", 0))
        return [one.getsockname()[1] for one in sockets]


def processes(*words):
    """The processes whose command line has all these words."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            if all(word in line for word in words) and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
    return sorted(found)


def parent_of(process):
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return 0


def descendants(process):
    """A process and all that it started."""
    children = [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*") if parent_of(int(path.name)) == process]
    return [process, *(one for child in children for one in descendants(child))]


def kill(numbers):
    for number in numbers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


class Slurm:
    """`folder`: for its files; `environment`: of jobs."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, {**environment, "SLURM_CONF": str(folder / "slurm.conf")}
        self.daemons = {}

    def __enter__(self):
        self.folder.mkdir()
        (self.folder / "state").mkdir()
        text = CONFIGURATION.format(ports=free_ports(3), folder=self.folder, user=getpass.getuser())
        (self.folder / "slurm.conf").write_text(text, encoding="utf-8")
        try:
            self.start("slurmctld")
            for node in NODES:
                self.start(node)
            self.wait_for(lambda: self.output("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == "2", 60)
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, name):
        words = ["slurmctld"] if name == "slurmctld" else ["slurmd", "-N", name]
        path = f"/usr/sbin/{words[0]}"
        self.daemons[name] = subprocess.Popen([path, "-D", *words[1:], "-f", str(self.folder / "slurm.conf")], env=self.environment,
                                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.SubprocessError, OSError):
            self.output("scancel", "-u", getpass.getuser())
            self.wait_for(lambda: not self.output("squeue", "-h"), 20)
        steps = [one for node in NODES for one in self.of_node(node)]
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            daemon.wait(30)
        kill(steps)

    def output(self, *words):
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=30)
        if done.returncode:
            raise subprocess.SubprocessError(f"{words}: {done.stderr}{self.logs()}")
        return done.stdout

    def logs(self):
        return "".join(f"\n{path.name}:\n{path.read_text(encoding='utf-8', errors='replace')[-2000:]}" for path in self.folder.glob("*.log"))

    def wait_for(self, is_so, seconds):
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(subprocess.SubprocessError):
                if is_so():
                    return
            if time.monotonic() > end:
                raise AssertionError(f"waited {seconds} s in vain{self.logs()}")
            time.sleep(0.2)

    def of_node(self, node):
        """The processes of a node: its slurmd, and the steps with all that they started."""
        steps = [one for one in processes("slurmstepd") if self._has_node(one, node)]
        return [one for first in [self.daemons[node].pid, *steps] for one in descendants(first)] if node in self.daemons else []

    def _has_node(self, process, node):
        """A step belongs to this cluster's node if its slurmd started it, or it or its job says so."""
        for one in descendants(process):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{one}/environ").read_bytes().split(b"\0")
                if f"SLURMD_NODENAME={node}".encode() in words and f"SLURM_CONF={self.folder}/slurm.conf".encode() in words:
                    return True
        return False

    def lose(self, node):
        """All its processes end at once."""
        kill(self.of_node(node))
        self.daemons.pop(node).wait(30)
