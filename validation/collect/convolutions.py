"""Variants of the 15 x 15 convolution of 4096 x 4096 pixels (validation/hardware/families/convolution): their names, lists of them for hw-profile, and
what a GPU counted of them as launches for `validation/accuracy --add`."""
import csv
import itertools
import json
import math
import pathlib
import tempfile

from collect import family_launches, measurements, one_file
from warpscope.base import toolchain
from warpscope.base.source import SOURCE
from warpscope.explore.judge import costs

DRAWN_BY = "rtx2080ti"  # a part of every name, so that all GPUs get the same variants
KERNEL = SOURCE / "validation" / "hardware" / "families" / "convolution" / "convolution.cl"
FILTER, SIDE, MOST_LOCAL = 15, 4096, 48 * 1024
PARAMETERS = ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "use_padding", "read_only")


def variants():
    """{name: values of PARAMETERS} of all that a GPU can run: at most 1,024 work-items, a warp at least, 48 KiB of local memory."""
    found = {}
    for x in (1, 2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128):
        for y in (1, 2, 4, 8, 16, 32):
            for wide in range(1, 9):
                for high in range(1, 9):
                    local = 4 * (x * wide + FILTER - 1) * (y * high + FILTER - 1)
                    if not 32 <= x * y <= 1024 or wide * high >= 30 or local > MOST_LOCAL:
                        continue
                    for padding in (0, 1):
                        for read_only in (0, 1):
                            name = f"{DRAWN_BY}/convolution/{x}x{y}-t{wide}x{high}-p{padding}-ro{read_only}"
                            found[name] = (x, y, wide, high, padding, read_only)
    return found


def row_of(name, values):
    """A variant as a line of a list of launches for hw-profile."""
    macros = " ".join(f"-D {key}={value}" for key, value in zip(PARAMETERS, values))
    return dict(zip(family_launches.COLUMNS, (name.partition("/")[2], str(KERNEL.relative_to(SOURCE)), macros,
                                              "--address-space global,local --work-groups every:33")))


def write_list(path, chosen):
    """The variants, {name: values}, as launches for hw-profile."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, family_launches.COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row_of(name, values) for name, values in chosen.items())


def hit_rate(counted):
    """Of all sectors of loads and stores, in percent, as ncu's l1tex__t_sector_hit_rate.pct; None where spilled registers have some and
    their hits were not counted."""
    if (whole := counted.median("l1.hit_rate_percent")) is not None:
        return whole
    if counted.median("private_load.sectors") or counted.median("private_store.sectors"):
        return None
    return 100 * sum(counted.median(f"{kind}.hits") for kind in ("load", "store")) / sum(counted.median(f"{kind}.sectors") for kind in ("load", "store"))


def write_launches(path, paths):
    """The variants that a GPU counted, in `paths` of hw-profile's CSVs, as `validation/accuracy --add` reads them: those whose hit rate is known."""
    everything, counters = variants(), {}
    for context, launches in map(measurements.read, paths):
        for one in launches:
            if one.median("load.sectors") and (rate := hit_rate(one)) is not None:
                counters[one.launch] = [(one.launch, "", "", "", "l1.hit_rate_percent", 1, rate, rate, rate),
                                        (one.launch, "", "", "", "registers", 1, *[one.median("registers")] * 3)]
    names = sorted(counters)
    with tempfile.TemporaryDirectory() as folder:
        write_list(pathlib.Path(folder) / "list.csv", {f"{DRAWN_BY}/{name}": everything[f"{DRAWN_BY}/{name}"] for name in names})
        found = family_launches.find(pathlib.Path(folder) / "list.csv", folder)
    one_file.write(path, context, [row for name in names for row in counters[name]], found)


def tau(some, others):
    """Kendall's rank correlation: of all pairs, those in the same order less those in the other."""
    signs = [(a > b) - (a < b) for at, a in enumerate(some) for b in some[:at]], [(a > b) - (a < b) for at, a in enumerate(others) for b in others[:at]]
    return sum(a * b for a, b in zip(*signs)) / math.sqrt(sum(map(abs, signs[0])) * sum(map(abs, signs[1])))


def registers(chosen, gpu, path):
    """{name: registers of a work-item} as the capture of one work-group says, of variants {name: values}; kept in a file."""
    found = dict(csv.reader(path.read_text(encoding="utf-8").splitlines())) if path.exists() else {}
    with open(path, "a", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for name in chosen.keys() - found.keys():
            macros = [word for key, value in zip(PARAMETERS, chosen[name]) for word in ("-D", f"{key}={value}")]
            toolchain.output("trace-kernel", KERNEL, *macros, "--addresses-only", "--work-groups", "0", "--skip-others", "-o", f"{folder}/one.wtrace", quiet=True)
            counted = json.loads(toolchain.output("cachesim", f"{folder}/one.wtrace", "--gpu", gpu, "--assign", "round-robin", "--json", "-", quiet=True))
            found[name] = counted["context"]["schedule"]["residency"][0]["registers"]
            print(name, found[name], sep=",", file=file, flush=True)
    return {name: int(found[name]) for name in chosen}


def judged(simulated, measured, unknown):
    """(pairs, those that `warpscope judge` answers, those of them that it has right), by cycles of each launch. `unknown`: of each, whether it may spill."""
    pairs = [(costs.speedup(*({"cycles": cycles, "unmeasured": "spills" if spills else None} for cycles, _, spills in two))["says"], two[0][1] > two[1][1])
             for two in itertools.combinations(zip(simulated, measured, unknown), 2) if two[0][1] != two[1][1]]
    answers = [(says == "faster") == is_faster for says, is_faster in pairs if says != costs.CANNOT]
    return len(pairs), len(answers), sum(answers)
