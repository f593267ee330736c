"""Stand-ins for nvcc, the GPU's programs, ncu and nvprof, so that hw-profile can be tested without any of them.

The profilers' output follows NVIDIA's documentation and published output of users; no GPU has been asked.
"""
import contextlib
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from support import SOURCE, VALIDATION

from collect import bundle

PACKAGE = SOURCE / "python" / "warpscope"

# "Compiles" by writing a program that knows the launches of the generated source. $CALLS collects what was called.
NVCC = r"""#!{python} -SE
import os, pathlib, re, stat, sys
words = sys.argv[1:]
if "--version" in words:
    print("Cuda compilation tools, release 12.4, V12.4.131"); sys.exit()
source, target = pathlib.Path(words[-1]), pathlib.Path(words[words.index("-o") + 1])
if "-arch=" + os.environ.get("UNKNOWN_ARCH", "-") in words:
    arch = os.environ["UNKNOWN_ARCH"].replace("sm_", "compute_")
    print(f"nvcc fatal   : Unsupported gpu architecture '{{arch}}'", file=sys.stderr); sys.exit(1)
open(os.environ["CALLS"], "a").write(f"nvcc {{source.name}}\n")
if os.environ.get("BROKEN", "-") in source.name:
    print(f"{{source.name}}(7): error: identifier \"x\" is undefined", file=sys.stderr); sys.exit(2)
entries = re.findall(r'^    \{{"([^"]+)", dim3\((.*?)\), dim3\((.*?)\)', source.read_text(), re.M)
target.write_text(pathlib.Path(os.environ["PROGRAM"]).read_text().replace("ENTRIES", repr(entries)))
target.chmod(0o755)
"""

PROGRAM = r"""#!{python} -SE
import json, os, sys, time
entries = ENTRIES
words = sys.argv[1:]
if not entries:
    if os.environ.get("NO_GPU"):
        print("no GPU: no CUDA-capable device is detected", file=sys.stderr); sys.exit(1)
    print(json.dumps({{"name": "NVIDIA Test 1", "compute_capability": os.environ.get("CC", "9.0"), "cores": 4,
                      "pci_bus": "0000:07:00.0"}})); sys.exit()
mode, options = words[0], dict(zip(words[1::2], words[2::2]))
open(os.environ["CALLS"], "a").write(f"{{mode}} {{entries[0][0]}}\n")
if f"{{mode}} {{entries[0][0]}}".startswith(os.environ.get("SLOW", "-")): time.sleep(60)
resources = {{"registers": 32, "static_shared_bytes": 0, "dynamic_shared_bytes": 0, "private_bytes": 0, "resident_groups": 8}}
for name, grid, block in entries:
    if options.get("--launch", name) != name: continue
    groups = 1
    for size in grid.split(","): groups *= int(size)
    line = {{"launch": name}}
    if mode == "timed": line.update(resources, milliseconds=[0.5, 0.25, 1.0])
    if mode == "placement": line.update(resources, core=[i % 4 for i in range(groups)], start_ns=[32 * i for i in range(groups)])
    print(json.dumps(line))
"""

# Values: a counter's position in the list of metrics times 10, plus the repeat; sectors above a thousand.
NCU = r"""#!{python} -SE
import os, pathlib, re, sys, time
words = sys.argv[1:]
open(os.environ["CALLS"], "a").write("ncu " + " ".join(words[:3]) + "\n")
if "--version" in words:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2024.1.1.0 (build 33998838) (public-release)"); sys.exit()
if "--query-metrics" in words:
    print("Device NVIDIA Test 1 (TE100)\n------- -------\nMetric Name            Metric Unit  Metric Description")
    for name in ("l1tex__t_requests_pipe_lsu_mem_global_op_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld",
                 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit", "smsp__inst_executed",
                 *os.environ.get("LISTED", "").split()):
        print(f"{{name:60}} Counter      request    # of things")
    sys.exit()
at = next(i for i, word in enumerate(words) if not word.startswith("-") and os.access(word, os.X_OK) and "/" in word)
if os.environ.get("DENIED"):
    print("==PROF== Connected to process 1 (x)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA "
          "GPU Performance Counters on the target device 0. For instructions on enabling permissions and to get more "
          "information see https://developer.nvidia.com/ERR_NVGPUCTRPERM"); sys.exit(1)
if os.environ.get("UNUSABLE"):
    print("==ERROR== Failed to initialize the profiler: LibraryNotLoaded"); sys.exit(1)
metrics = words[words.index("--metrics") + 1].split(",")
log = pathlib.Path(words[words.index("--log-file") + 1]) if "--log-file" in words else pathlib.Path("/dev/stdout")
gone = [name for name in metrics if name.split(".")[0] in os.environ.get("GONE", "launch__shared_mem_config_size").split(",")]
if gone:  # as it was seen to word it: a name, or a pattern; else without a name
    stem = gone[0].split(".")[0]
    log.write_text({{"name": f"==ERROR== Failed to find metric {{gone[0]}}\n", "silent": "==ERROR== An error was reported\n",
                    "pattern": f"==ERROR== Failed to find metric regex:^{{stem}}\\.(sum|min|max|avg|pct|ratio|max_rate)$\n"}}
                   [os.environ.get("WORDING", "name")]); sys.exit(1)
if words[at + 1] == "probe": sys.exit()
repeats = int(words[words.index("--repeats") + 1])
if repeats > int(os.environ.get("MOST_REPEATS", "9")): time.sleep(60)
entries = eval(re.search(r"entries = (.*)", pathlib.Path(words[at]).read_text())[1])
lines = ["==PROF== Connected to process 12 (x)"]
head = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
lines.append(head + "".join(f',"{{name}}"' for name in metrics))
lines.append(",".join(['""'] * 11) + "".join(',"sector"' for _ in metrics))
number = 0
for name, grid, block in entries:
    for repeat in range(repeats):
        values = "".join(f',"{{1000 * (i + 1) + repeat:,}}"' for i in range(len(metrics)))
        lines.append(f'"{{number}}","12","x","127.0.0.1","kernel(float *)","1","7","({{block}})","({{grid}})","0","9.0"' + values)
        number += 1
lines.append("==PROF== Disconnected from process 12")
log.write_text("\n".join(lines) + "\n")
"""

# Summary mode: lowest, highest, average and total over the launches of one kernel; fractions and percent as nvprof prints them.
NVPROF = r"""#!{python} -SE
import os, pathlib, re, sys
words = sys.argv[1:]
open(os.environ["CALLS"], "a").write("nvprof " + " ".join(words[:3]) + "\n")
if "--version" in words:
    print("nvprof: NVIDIA (R) Cuda command line profiler\nCopyright (c) 2012 - 2019 NVIDIA Corporation\n"
          "Release version 10.1.168 (21)"); sys.exit()
listed = {{"--query-metrics": ("gld_transactions", "global_hit_rate", "achieved_occupancy", "inst_executed"),
          "--query-events": ("shared_ld_bank_conflict", "active_cycles")}}
for option, names in listed.items():
    if option in words:
        print("Available things:\n                            Name   Description\nDevice 0 (GeForce Test 2):")
        for name in names: print(f"{{name:>32}}:  What it is: a thing per thing")
        print(); sys.exit()
options = dict(zip(words, words[1:]))
if options["--metrics"] == "inst_executed" and "--log-file" not in words:
    if os.environ.get("DENIED"):
        print("==7== Warning: The user does not have permission to profile on the target device.", file=sys.stderr); sys.exit(1)
    sys.exit()
repeats = int(options["--repeats"])
lines = ["==7== NVPROF is profiling process 7, command: x", "==7== Profiling result:", "==7== Event result:",
         '"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"']
row = f'"GeForce Test 2 (0)","kernel(float const *, int)",{{repeats}},'
lines += [row + f'"{{name}}",10,30,20,{{20 * repeats}}' for name in options["--events"].split(",")]
lines += ["==7== Metric result:", '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"']
printed = {{"global_hit_rate": "25.000000%,75.000000%,50.000000%", "achieved_occupancy": "0.250000,0.750000,0.500000"}}
lines += [row + f'"{{name}}","What it is",' + printed.get(name, "100,300,200") for name in options["--metrics"].split(",")]
pathlib.Path(options["--log-file"]).write_text("\n".join(lines) + "\n")
"""


class StandInTest(unittest.TestCase):
    """A checkout in a folder of its own, with two kernels; its hw-profile runs with the stand-ins on PATH."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.checkout = self.folder / "checkout"
        (self.checkout / "validation").mkdir(parents=True)
        shutil.copy(VALIDATION / "hw-profile", self.checkout / "validation")
        package = self.checkout / "python" / "warpscope"
        shutil.copytree(VALIDATION / "collect", self.checkout / "validation" / "collect", ignore=shutil.ignore_patterns("__pycache__"))
        for name in bundle.FOR_GPU_MACHINES:
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PACKAGE / f"{name}.py", package / f"{name}.py")
        (self.checkout / "validation" / "hardware").mkdir(parents=True)
        for name in ("harness.cuh", "launcher.cuh", "opencl.cuh", "device.cu", "README.md"):
            shutil.copy(SOURCE / "validation" / "hardware" / name, self.checkout / "validation" / "hardware")
        (self.checkout / "validation" / "hardware" / "variants.json").write_text("{}")
        for name in ("mm", "reduction"):
            shutil.copytree(SOURCE / "benchmarks" / "kernels" / name, self.checkout / "benchmarks" / "kernels" / name)
        # The numbers below do not depend on the suite's own launch files.
        for path in self.checkout.glob("benchmarks/kernels/*/*.launch"):
            path.unlink()
        self.launch("mm/mm.launch", kernel="mm", extent=([64, 32], [16, 16]), arguments={
            "A": {"count": "width*height", "fill": "random(1)"}, "B": {"count": "width*width", "fill": "random(2)"},
            "C": {"count": "width*height", "fill": "zero"}, "width": "gx", "height": "gy"})
        self.launch("reduction/reduction.launch", kernel="reduction", extent=([512], [256]), arguments={
            "in": {"count": "gx*per_item", "fill": "random(1)"}, "out": {"count": "gx/lx", "fill": "zero"},
            "scratch": {"local": "lx*4"}, "per_item": 4})
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        self.tool("nvcc", NVCC)
        self.tool("ncu", NCU)
        (self.tools / "program").write_text(PROGRAM.format(python=sys.executable))
        self.calls = self.folder / "calls"
        self.calls.touch()

    def launch(self, name, kernel, extent, arguments, **more):
        path = self.checkout / "benchmarks" / "kernels" / name
        path.write_text(json.dumps({"kernel": kernel, "global": extent[0], "local": extent[1], "args": arguments, **more}))
        return path

    def tool(self, name, text):
        path = self.tools / name
        path.write_text(text.format(python=sys.executable))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def kernel(self, name):
        """Another kernel of the suite in the checkout."""
        shutil.copytree(SOURCE / "benchmarks" / "kernels" / name, self.checkout / "benchmarks" / "kernels" / name)

    @contextlib.contextmanager
    def environment(self, **values):
        """For what runs in this process."""
        with unittest.mock.patch.dict(os.environ, {name: str(value) for name, value in values.items()}):
            yield

    def call(self, *words, **environment):
        """Words and environment of a call of the checkout's hw-profile."""
        path = environment.pop("PATH", f"{self.tools}:/usr/bin:/bin")
        words = ["--out", self.folder / "out", "--date", "2026-01-02", "--jobs", "2", "--check", "none", *words]
        return [sys.executable, "-SB", self.checkout / "validation" / "hw-profile", *map(str, words)], {
            **os.environ, "PATH": path, "CALLS": str(self.calls), "PROGRAM": str(self.tools / "program"), **environment}

    def profile(self, *words, **environment):
        """Runs the checkout's hw-profile and returns what subprocess.run does; output is text."""
        command, environment = self.call(*words, **environment)
        return subprocess.run(command, text=True, capture_output=True, env=environment)

    def called(self, word):
        return sum(line.startswith(word) for line in self.calls.read_text().splitlines())
