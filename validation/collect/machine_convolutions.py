"""The first waves of convolutions as machine code, cycle by cycle: for convolution-study --machine."""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from collect import convolutions, family_launches, machine_launches, measurements
from warpscope.base import presets
from warpscope.base.errors import InputError
from warpscope.base.source import SOURCE

COLUMNS = ("launch", "cycles", "instructions", "transactions", "hit_rate_percent")  # of the whole launch, as the first waves have them
PUBLISHED = SOURCE / "validation" / "truth" / "measured.csv"


def _work_groups(values):
    x, y, wide, high = values[:4]
    return -(-convolutions.SIDE // (x * wide)) * -(-convolutions.SIDE // (y * high))


def _simulated(name, values, gpu, waves, folder):
    """A line of COLUMNS; None where the variant does not compile or does not fit the GPU."""
    row = convolutions.row_of(name, values)
    launch = family_launches.Launch({**row, "part": ""}, folder)
    version = presets.value_of(gpu, "compute_capability").replace(".", "")
    capture, result = folder / "launch.wtrace", folder / "result.json"
    try:
        words = machine_launches.compiled(launch, f"sm_{version}", folder)
    except subprocess.CalledProcessError as error:
        print(f"  {name}: {error.stderr.decode(errors='replace').strip().splitlines()[-1]}", file=sys.stderr)
        return None
    if machine_launches.run("trace-kernel", *words, "--gpu", gpu, "--work-groups", f"waves:{waves}", "--skip-others", "-o", capture, cache=folder / "cache") is None or \
            machine_launches.run("cachesim", "timed", capture, "--gpu", gpu, "--json", result) is None:
        return None
    content = json.loads(result.read_text(encoding="utf-8"))
    ran = sum(core["timing"]["work_groups"] for core in content["cores"])
    total, times = content["total"], _work_groups(values) / ran
    return {"launch": name, "cycles": round(total["timing"]["cycles"] * times), "instructions": round(total["timing"]["warp_instructions"] * times),
            "transactions": round(sum(total[kind]["transactions"] for kind in ("load", "store")) * times),
            "hit_rate_percent": f"{100 * total['load']['hits'] / max(1, total['load']['transactions']):.3f}"}


def simulate(chosen, gpu, waves, path):
    """{name: line of COLUMNS} of variants {name: values}; what `path` has is not simulated again, and each is written when it is done. Variants that cannot run have
    empty values there, and are not returned."""
    known = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            known = {row["launch"]: row for row in csv.DictReader(file)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not known:
            writer.writeheader()
        for number, (name, values) in enumerate(chosen.items(), 1):
            if name in known:
                continue
            print(f"{number} of {len(chosen)}: {name}", file=sys.stderr)
            with tempfile.TemporaryDirectory() as folder:
                known[name] = _simulated(name, values, gpu, waves, pathlib.Path(folder)) or {**dict.fromkeys(COLUMNS, ""), "launch": name}
            writer.writerow(known[name])
            file.flush()
    return {name: known[name] for name in chosen if known[name]["cycles"]}


def measured(gpu, paths):
    """{name: cycles} that a GPU counted, in `paths` of hw-profile; without any {name: ns} of published measurements of this GPU. Raises InputError where there are none."""
    if paths:
        found = {f"{convolutions.DRAWN_BY}/{one.launch}": one.median("cycles.elapsed") for path in paths for one in measurements.read(path)[1] if one.median("cycles.elapsed")}
    else:
        with PUBLISHED.open(encoding="utf-8", newline="") as file:
            found = {f"{convolutions.DRAWN_BY}/{row['launch'].partition('/')[2]}": float(row["value"]) for row in csv.DictReader(file)
                     if row["launch"].startswith(f"{gpu}/convolution/") and row["counter"] == "gpu__time_duration.sum"}
    if not convolutions.variants().keys() & found.keys():
        raise InputError(f"{', '.join(map(str, paths or [f'--gpu {gpu}']))}: no measured convolutions, expected those of hw-profile (--measured CSV), or a GPU with published times: rtx2080ti, rtx3090")
    return found


def report(found, took, counts_cycles):
    """Prints in which order the variants are, next to that of measured times; of measured cycles also how far they are off."""
    names = sorted(set(found) & set(took))
    if len(names) < 2:
        raise InputError(f"{len(names)} variants were simulated and measured, expected two or more to be in an order: --variants N; those that do not run are named above")
    times = [took[name] for name in names]
    best = min(times)
    if counts_cycles:
        off = sorted(math.log(int(found[name]["cycles"]) / took[name]) for name in names)
        print(f"{len(names)} variants: mean |ln(simulated / measured)| {sum(map(abs, off)) / len(off):.3f}; simulated / measured {math.exp(off[len(off) // 2]):.2f} at the median, "
              f"{math.exp(off[len(off) // 10]):.2f} to {math.exp(off[len(off) * 9 // 10]):.2f} for eight of ten")
    print(f"{len(names)} variants; the median one is {100 * sorted(times)[len(times) // 2] / best - 100:.0f} % slower than the best; in the order of")
    for measure in ("cycles", "instructions", "transactions"):
        values = [int(found[name][measure]) for name in names]
        order = sorted(range(len(names)), key=values.__getitem__)
        firsts = ", ".join(f"best of the first {count} {100 * min(times[at] for at in order[:count]) / best - 100:.0f} %" for count in (1, 5, 10))
        print(f"  {measure}: Kendall τ {convolutions.tau(values, times):.2f}; slower than the best: {firsts}")
