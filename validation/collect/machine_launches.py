"""Launches that a GPU counted (CSVs of hw-profile), to be executed here as the machine code that ran there."""
import json
import os
import pathlib
import re
import subprocess
import sys

from collect import convolutions, family_launches, group_classes, host_program, measurements, programs, suite_launches
from warpscope.base import cuda_tools
from warpscope.base.source import SOURCE
from warpscope.result import counter_names

KERNELS = SOURCE / "benchmarks" / "kernels"
FAMILIES = SOURCE / "validation" / "hardware" / "families" / "launches.csv"
LEAST_REGISTERS = 16
REGISTERS = "launch__registers_per_thread"


def measured(paths, only=""):
    """{name of a launch: {ncu's name of a counter: (lowest, median, highest)}}; counters of several files are those of the first that has them."""
    found = {}
    for path in paths:
        for one in measurements.read(path)[1]:
            if only not in one.launch:
                continue
            counters = found.setdefault(one.launch, {})
            for name, (median, lowest, highest) in one.counters.items():
                choices = counter_names.BY_NAME[name].choices("ncu") if name in counter_names.BY_NAME else ()
                if choices:
                    counters.setdefault(" + ".join(choices[0]), (lowest, median, highest))
    return found


class Launches:
    """By their names: suite and families."""

    def __init__(self, work):
        self.work = work
        self.rows = {row["launch"]: row for row in family_launches.rows(FAMILIES)}
        for name, values in convolutions.variants().items():
            row = convolutions.row_of(name, values)
            self.rows.setdefault(row["launch"], row)

    def find(self, name):
        """None: it is not a launch of today."""
        if suite_launches.is_of_suite(name):
            return suite_launches.launch_named(name, KERNELS)
        return family_launches.Launch(self.rows[name], self.work) if name in self.rows else None


def run(name, *words, cache="", limit=None):
    """Standard output of a program of ours; None if it did not end with 0. Raises subprocess.TimeoutExpired after `limit` seconds."""
    done = subprocess.run([pathlib.Path(os.environ["WARPSCOPE_BIN"]) / name, *map(str, words)], cwd=SOURCE, capture_output=True, text=True, check=False,
                          timeout=limit, env={**os.environ, "WARPSCOPE_CACHE": str(cache)})
    if done.returncode == 0:
        return done.stdout
    print(f"  {name} ended with {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}", file=sys.stderr)
    return None


def described(launch):
    """A launch file with numbers only. A cubin says how large a variable is, and not of what type. Of a convolution nothing depends on the pixels, and
    zeros are made in a fifth of the time."""
    arguments = {}
    types = {name: word for word, name in re.findall(r"__constant__ (\w+) (\w+)\[", launch.source.read_text(encoding="utf-8"))}
    for name, one in launch.arguments.items():
        said = {"type": one.type or types.get(name), "count": one.count, "bytes": one.bytes}
        said = {key: value for key, value in said.items() if value is not None}
        if launch.folder == "convolution" and not one.values:
            said["fill"] = "zero"
        elif one.fill:
            word, numbers = one.fill
            said["fill"] = f"{word}({','.join(map(str, numbers))})" if numbers else word
        arguments[name] = one.values[0] if one.values else said
    return {"kernel": launch.kernel, "global": launch.global_size, "local": launch.local_size, "args": arguments}


def compiled(launch, architecture, folder):
    """The words of trace-kernel for the machine code of a family's OpenCL kernel: its CUDA counterpart by nvcc with hw-profile's options."""
    defines = [f"-D{name}={value}" for name, value in sorted(launch.defines.items())]
    code = folder / "kernel.cubin"
    words = [cuda_tools.look("nvcc"), "-cubin", "-w", *programs.compiler_options(architecture, []), *defines, "-o", code, launch.source]
    subprocess.run(words, check=True, capture_output=True)
    # Parameters have no names in a cubin. trace-kernel looks for the file with most lines of the code, first next to it: of a short kernel the header.
    kernel = host_program.choose(host_program.kernels_in(programs.preprocessed(launch.source, defines)), launch.kernel, launch.source)
    parameters = ", ".join(f"int {name}" for name in kernel.parameters)
    for name in (launch.file.name, family_launches.HEADER.name):
        (folder / name).write_text(f"__global__ void {kernel.name}({parameters}) {{}}\n", encoding="utf-8")
    (folder / "launch.json").write_text(json.dumps(described(launch)), encoding="utf-8")
    return [code, "--launch-file", folder / "launch.json"]


def words_of(launch, architecture, folder):
    """Of trace-kernel: for the launch as machine code, and through our clang."""
    options = [*launch.options]
    if "--work-groups" in options:
        del options[options.index("--work-groups"):options.index("--work-groups") + 2]
    source = [launch.file, "--launch-file", launch.path, *options]
    if launch.file.suffix == ".cl":
        return compiled(launch, architecture, folder), source
    return [*source, f"--machine={architecture}"], source


def simulated(words, parts, gpu, folder):
    """Counter -> value, each part of the launch as often as it stands for others; empty where it failed. With those that a cache gives."""
    capture, result = folder / "launch.wtrace", folder / "result.json"

    def one(*which):
        if run("trace-kernel", *words, *which, "-o", capture, cache=folder / "cache") is None:
            return None
        if run("cachesim", capture, "--gpu", gpu, "--no-classes", "--json", result) is None:
            return None
        content = json.loads(result.read_text(encoding="utf-8"))
        capture.unlink()
        return content["total"]["profiler"]["ncu"], content["context"]["schedule"]["residency"][0]["registers"]

    return summed(parts, one)


def counted(words, parts, gpu, folder):
    """The same of machine code, without those that a cache gives: nothing is recorded."""
    result = folder / "counters.json"

    def one(*which):
        if run("trace-kernel", *words, *which, "--gpu", gpu, "--counters", result, cache=folder / "cache") is None:
            return None
        content = json.loads(result.read_text(encoding="utf-8"))
        return content["profiler"]["ncu"], content["registers"]

    return summed(parts, one)


def summed(parts, one):
    """`one`: counters and registers of the work-groups that these words of trace-kernel choose; None: it failed."""
    counters = {}
    for weight, groups in parts.items():
        found = one(*(["--work-groups", group_classes.as_text(groups), "--skip-others"] if parts.keys() != {1} else []))
        if found is None:
            return {}
        for name, value in found[0].items():
            counters[name] = counters.get(name, 0) + weight * value
        # An H100 reports 16 where ptxas says 14 or 15.
        counters[REGISTERS] = max(LEAST_REGISTERS, found[1])
    return counters
