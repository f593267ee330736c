#!/usr/bin/python3
"""Registers that Warpscope assumes of kernels which its clang compiled, against NVIDIA's compiler for every architecture that it knows.

    validation/truth/estimates/registers.py          writes validation/notes/registers.md of registers.csv
    validation/truth/estimates/registers.py --run    compiles the kernels of benchmarks/kernels both ways first; needs nvcc
    validation/truth/estimates/registers.py --fit    the coefficients of gpus/registers.cpp

The fit is least squares over the registers for sm_75, where they bind least. For the page every family is left out of the fit that judges it.
"""
import csv
import dataclasses
import functools
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(SOURCE / "validation"), str(SOURCE / "python")]
from collect.comparison import table  # noqa: E402
from truth.errors import SUITE  # noqa: E402
from warpscope.base import presets, toolchain  # noqa: E402
from warpscope.base.command import ArgumentParser, run_main  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TABLE, PAGE = HERE / "registers.csv", SOURCE / "validation" / "notes" / "registers.md"
GPUS = {"75": "t4", "80": "a100", "86": "rtx3090", "89": "rtx4090", "90": "h100", "100": "b200", "120": "rtx5090"}
OLDER = ("gtx480", "k40", "gtx1080")  # which nvcc 13.0 does not compile for
COLUMNS = ("kernel", "work_items", "static_local", "live", "unrolled", *(f"sm_{version}" for version in GPUS))
MORE = {"vectors": ("atax", "bicg", "gemver", "gesummv", "mvt"), "streams": ("bandwidth", "copy", "load_pattern", "stride"), "chase": ("chase", "chase_random", "working_set"),
        "sorting": ("merge_path", "multiway_merge", "mergesort_block", "bitonic"), "stencils": ("conv2d",), "reduction": ("reduction",)}
FAMILIES = {**SUITE, **{name: family for family, names in MORE.items() for name in names}}
BODY = 50     # of gpus/registers.cpp: instructions of a loop that was unrolled
LEAST = 8     # registers
FIRST = "sm_75"


@dataclasses.dataclass
class Kernel:
    """A line of registers.csv. `counted`: architecture -> registers."""
    name: str
    work_items: int
    static_local: int
    live: int
    unrolled: int
    counted: dict[str, int]

    @property
    def family(self):
        return FAMILIES.get(self.name, self.name)


of_gpu = functools.cache(presets.value_of)


def read(path=TABLE):
    with open(path, newline="", encoding="utf-8") as file:
        return [Kernel(row["kernel"], *(int(row[name]) for name in COLUMNS[1:5]), {name: int(row[name]) for name in COLUMNS[5:]}) for row in csv.DictReader(file)]


def unrolled(kernel):
    """Whether one of the loops in a kernel of kernels.json is unrolled by NVIDIA's compiler, by the rule of gpus/registers.cpp."""
    for loop in kernel["loops"]:
        block = kernel["blocks"][loop["header"]]
        kinds = [kernel["sites"][site]["kind"] for site in block.get("sites", [])]
        if loop.get("counted", True) and loop["header"] in block["successors"] and "load" in kinds and "barrier" not in kinds \
                and block["instructions"] - block["mix"].get("phi", 0) <= BODY:
            return True
    return False


def _compiled(source, defines, folder):
    """{architecture: registers} of a source with one kernel, and its static local memory in bytes."""
    code = [word for version in GPUS for word in ("-gencode", f"arch=compute_{version},code=sm_{version}")]
    done = subprocess.run(["nvcc", "-std=c++17", "-w", "-fatbin", "-Xptxas", "-v", "-I", source.parent, "-I", SOURCE / "benchmarks", *defines, *code,
                           "-o", folder / "x.fatbin", source], capture_output=True, text=True, check=True)
    found = re.findall(r"Compiling entry function '\S+' for '(sm_\d+)'.*?Used (\d+) registers([^\n]*)", done.stdout + done.stderr, re.DOTALL)
    local = {int((re.findall(r"(\d+) bytes smem", rest) or [0])[0]) for *_, rest in found}
    return {architecture: int(count) for architecture, count, _ in found}, max(local)


def compile_all():
    """The Kernels of the suite, each with the defines and the work-group of its launch file."""
    for source in sorted((SOURCE / "benchmarks" / "kernels").glob("*/*.cu")):
        said = json.loads(toolchain.output("launch-file", source.with_suffix(".launch")))
        defines = [f"-D{name}={value}" for name, value in said["defines"].items()]
        print(source.stem, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            toolchain.output("compile-kernel", source, "-o", folder, "--", *defines)
            ours = next(one for one in json.loads((pathlib.Path(folder) / "kernels.json").read_text()) if one["name"].startswith(said["kernel"]))
            counted, local = _compiled(source, defines, pathlib.Path(folder))
        yield Kernel(source.stem, math.prod(said["local"]), local, ours["registers_estimate"], int(unrolled(ours)), counted)


def write(kernels, path=TABLE):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((one.name, one.work_items, one.static_local, one.live, one.unrolled, *(one.counted[name] for name in COLUMNS[5:])) for one in kernels)


def fit(kernels):
    """(least, per live value, of an unrolled loop): least squares over what sm_75 has, by the normal equations."""
    rows = [((1, one.live, one.unrolled), one.counted[FIRST]) for one in kernels]
    matrix = [[sum(x[i] * x[j] for x, _ in rows) for j in range(3)] + [sum(x[i] * y for x, y in rows)] for i in range(3)]
    for i in range(3):
        matrix[i] = [value / matrix[i][i] for value in matrix[i]]
        for j in range(3):
            if j != i:
                matrix[j] = [a - matrix[j][i] * b for a, b in zip(matrix[j], matrix[i])]
    return tuple(row[3] for row in matrix)


def estimate(kernel, coefficients, gpu):
    """As gpus/registers.cpp."""
    least, each, loop = coefficients
    wanted = max(LEAST, math.ceil(least + each * kernel.live + loop * kernel.unrolled))
    spared = float(of_gpu(gpu, "compute_capability")) >= 7
    most = of_gpu(gpu, "registers_per_core") // of_gpu(gpu, "max_work_items_per_core") // 8 * 8 if spared else wanted
    return max(kernel.live, min(wanted, most))


def resident(gpu, kernel, registers):
    """Work-groups of a core, for registers that warps get one by one (compute capability 2.0 and later), by NVIDIA's rules."""
    def of(key):
        return of_gpu(gpu, key)

    warps, unit = math.ceil(kernel.work_items / 32), of("register_allocation_unit")
    parts = of("register_partitions") or 1
    held = of("registers_per_core") // parts // (math.ceil(min(registers, of("max_registers_per_work_item")) * 32 / unit) * unit) * parts
    limits = [of("max_work_groups_per_core"), of("max_warps_per_core") // warps, held // warps]
    local = kernel.static_local + (of("local_reserved_bytes_per_work_group") or 0)
    if local:
        unit = of("local_allocation_unit_bytes")
        limits.append(of("local_bytes_per_core") // (math.ceil(local / unit) * unit))
    return min(limits)


def left_out(kernels):
    """{name: coefficients of a fit to the other families}."""
    of = {family: fit([one for one in kernels if one.family != family]) for family in {one.family for one in kernels}}
    return {one.name: of[one.family] for one in kernels}


def predictors(kernels):
    """{name: function of (kernel, GPU)}."""
    others, shipped = left_out(kernels), fit(kernels)
    return {"live values": lambda one, gpu: one.live, "24": lambda one, gpu: 24, "32": lambda one, gpu: 32,
            "fitted, family left out": lambda one, gpu: estimate(one, others[one.name], gpu), "fitted to all": lambda one, gpu: estimate(one, shipped, gpu)}


def _cells(pairs, kernels, predict):
    """Shares of (GPU, column) with as many work-groups, and with at most one more or less; |error| of the registers."""
    same, within_one, errors = [], [], []
    for one in kernels:
        for gpu, column in pairs:
            ours, theirs = (resident(gpu, one, max(1, registers)) for registers in (predict(one, gpu), one.counted[column]))
            same.append(ours == theirs)
            within_one.append(abs(ours - theirs) <= 1)
            errors.append(abs(predict(one, gpu) - one.counted[column]))
    shares = [f"{100 * sum(one) / len(one):.0f}" for one in (same, within_one)]
    return [*shares, f"{statistics.median(errors):g}", f"{sorted(errors)[int(0.9 * len(errors))]:g}"]


def page(kernels):
    known, older = [(gpu, f"sm_{version}") for version, gpu in GPUS.items()], {gpu: [(gpu, FIRST)] for gpu in OLDER}
    bound = sum(resident(gpu, one, one.counted[name]) < resident(gpu, one, 1) for one in kernels for gpu, name in known)
    lines = []
    for name, predict in predictors(kernels).items():
        lines.append((name, *_cells(known, kernels, predict), *(" / ".join(_cells(pairs, kernels, predict)[:2]) for pairs in older.values())))
    heads = ("registers of a work-item", "as many work-groups, %", "one more or less, %", "error, median", "90 %", *(f"{gpu}: as many / one more or less, %" for gpu in OLDER))
    multiplication = next(one for one in kernels if one.name == "mm")
    values = dict(zip(("least", "each", "loop"), ("{:.1f} {:.2f} {:.1f}".format(*fit(kernels))).split()))
    return (HERE / "registers_page.txt").read_text(encoding="utf-8").format(
        kernels=len(kernels), families=len({one.family for one in kernels}), bound=bound, of=len(kernels) * len(known), table=table(heads, lines),
        mm=predictors(kernels)["fitted, family left out"](multiplication, "gtx480"), **values)


def main():
    parser = ArgumentParser(__doc__)
    parser.add_argument("--run", action="store_true", help="compile first")
    parser.add_argument("--fit", action="store_true", help="print the coefficients")
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build" / "release" / "bin")
    options = parser.parse_args()
    os.environ["WARPSCOPE_BIN"] = str(options.bin)
    if options.run:
        write(list(compile_all()))
    if options.fit:
        print("{:.3f} {:.3f} {:.3f}".format(*fit(read())))
    else:
        PAGE.write_text(page(read()), encoding="utf-8")


if __name__ == "__main__":
    run_main("registers", main)
