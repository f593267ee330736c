"""Runs the small kernels of benchmarks/advice: each with one planted problem, its repaired twin, and good ones."""
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDER = SOURCE / "benchmarks" / "advice"
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))
os.environ["WARPSCOPE_BIN"] = str(BIN)
sys.path.insert(0, str(SOURCE / "python"))
from warpscope.result import machine, measures as measures_of, results  # noqa: E402
from warpscope.show.summary import advised  # noqa: E402

# Counters that follow from addresses alone: equal in the what-if and in the repaired kernel.
MACHINE = ("--set", "--carveout", "--registers")
EXACT = ("requests", "transactions", "sectors", "l1_wavefronts", "local_wavefronts", "local_conflicts")


def table(name):
    """The rows of planted.json or good.json."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def run(*words, folder):
    done = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def capture(row, folder, kind, repaired=False):
    """Captures a kernel of a row into `folder`; the name of the capture."""
    name = f"{row['name']}{'-repaired' if repaired else ''}.wtrace"
    args = {**row["args"], **(row.get("repaired_args", {}) if repaired else {})}
    row = {**row, **(row.get("repaired_launch", {}) if repaired else {})}
    size = [word for option in ("global", "local") for word in (f"--{option}", ",".join(map(str, row[option])))]
    run(BIN / "trace-kernel", FOLDER / kind / f"{row.get('file', row['name'])}.cl", "--kernel", row.get("kernel", row["name"]), *size,
        *(word for item in args.items() for word in ("--arg", "=".join(item))), *(["-D", "REPAIRED=1"] if repaired else []), "-o", name,
        folder=folder)
    return name


def simulate(name, gpu, folder, *options, budget="10G"):
    """(result.json of warpscope, what it prints)."""
    words = ["--no-plots", "-o", f"{name}.out", "--advice-budget", budget, *options]
    text = run(BIN / "warpscope", name, "--gpu", gpu, *words, folder=folder)
    return results.load(pathlib.Path(folder) / f"{name}.out" / "result.json"), text


def findings(result):
    """The findings of a result as the summary shows them."""
    return advised.of_result(result, machine.busy(result, result.get("timed")))[0]


def compare(row, folder):
    """A row of planted.json tried: {"first": Finding, "advice": its advice or None, "result", "repaired": result, "repaired_options"}."""
    options = row.get("options", [])
    result, text = simulate(capture(row, folder, "planted"), row["gpu"], folder, *options)
    found = findings(result)
    advice = found[0].advice if found else None
    machine_words = [word for pair in zip(advice["change"][::2], advice["change"][1::2]) if pair[0] in MACHINE for word in pair] if advice else []
    repaired, _ = simulate(capture(row, folder, "planted", repaired=True), row["gpu"], folder, *options,
                           *row.get("repaired_options", machine_words), budget=0)
    return {"first": found[0] if found else None, "advice": advice, "result": result, "repaired": repaired, "text": text}


def measures(result):
    """Both clocks of a result: what a what-if measures."""
    return measures_of.fixed(result), measures_of.timed(result["timed"]) if "timed" in result else None
