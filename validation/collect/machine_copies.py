"""Loads and registers of convolutions that `validation/hardware/micro/phases.cu copies` ran on a GPU, and their machine code executed here."""
import csv
import pathlib
import re
import shutil
import subprocess
import tempfile

from collect import group_classes, machine_launches
from collect.comparison import table
from warpscope.base import cuda_tools
from warpscope.base.source import SOURCE

MICRO = SOURCE / "validation" / "hardware" / "micro"
HEAD = "variant,load.requests,"
COUNTERS = {"load.requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "load.sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "registers": machine_launches.REGISTERS}
SIZE, PITCH, MORE_ROWS, FILTER_BYTES = 4096, 4110, 256, 900
PHASES_BYTES = 40  # of a warp


def _executed(variant, gpu, folder):
    """Counter -> value of a variant such as 4x32-t7x1-free."""
    wide, high, tile_x, tile_y = map(int, re.fullmatch(r"(\d+)x(\d+)-t(\d+)x(\d+)(?:-free)?", variant).groups())
    grid = [-(-SIZE // (wide * tile_x)), -(-SIZE // (high * tile_y)), 1]
    defines = {"SIZE": SIZE, "block_size_x": wide, "block_size_y": high, "tile_size_x": tile_x, "tile_size_y": tile_y}
    # Stores have a condition in all of them.
    rules = tuple((period, (0, 1)) for period, _ in group_classes.convolution(defines))
    guarded = str(not variant.endswith("-free")).lower()
    warps = grid[0] * grid[1] * -(-wide * high // 32)
    words = [folder / "phases.cubin", "--kernel", f"convolve<{wide}, {high}, {tile_x}, {tile_y}, {guarded}>", "--grid", f"{grid[0]},{grid[1]}",
             "--block", wide * high, "--arg", f"in=count={(PITCH + MORE_ROWS) * PITCH},fill=zero", "--arg", f"out=count={SIZE * SIZE},fill=zero",
             "--arg", f"phases=bytes={warps * PHASES_BYTES}", "--arg", f"filter=bytes={FILTER_BYTES},fill=zero"]
    return machine_launches.counted(words, group_classes.classes(grid, rules), gpu, folder)


def is_of_copies(path):
    with path.open(encoding="utf-8") as file:
        return file.readline().startswith(HEAD)


def compared(path, gpu, architecture):
    """Text: measured and executed values of each variant of a file."""
    lines, exact = [], 0
    with tempfile.TemporaryDirectory() as name, path.open(encoding="utf-8") as file:
        folder = pathlib.Path(name)
        shutil.copy(MICRO / "phases.cu", folder)  # trace-kernel looks for the parameters' names next to the code
        subprocess.run([cuda_tools.look("nvcc"), "-cubin", "-w", "-O3", "-std=c++17", f"-arch={architecture}", "-I", MICRO, "-o", folder / "phases.cubin",
                        folder / "phases.cu"], check=True)
        for row in csv.DictReader(file):
            found = _executed(row["variant"], gpu, folder)
            values = [(int(row[counter]), found.get(ncu)) for counter, ncu in COUNTERS.items()]
            exact += sum(measured == ours for measured, ours in values)
            lines.append([row["variant"], *(value for pair in values for value in pair)])
    header = ["variant", *(title for counter in COUNTERS for title in (counter, "executed"))]
    return f"{table(header, lines)}\n\n{exact} of {len(lines) * len(COUNTERS)} exact"
