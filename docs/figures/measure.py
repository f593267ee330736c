"""What the pictures show: captures and results of our own tools."""
import functools
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "benchmarks/kernels"
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", ROOT / "build/release/bin"))
LINE, LANES, WORD = 128, 32, 4  # bytes of a line, lanes of a warp, bytes of a float

_folder = tempfile.TemporaryDirectory(prefix="warpscope-figures-")
FOLDER = pathlib.Path(_folder.name)


def run(tool, *arguments):
    """The standard output of a tool."""
    if not (BIN / tool).exists():
        raise SystemExit(f"regenerate: {BIN / tool}: not there; build it, or set WARPSCOPE_BIN to the folder of the tools")
    environment = {name: value for name, value in os.environ.items() if name != "WARPSCOPE_GPU"}
    done = subprocess.run([BIN / tool, *map(str, arguments)], cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{tool} {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


@functools.lru_cache(None)
def capture(kernel, *options):
    """A capture of a kernel of benchmarks/kernels, or of a file with OpenCL C."""
    source = pathlib.Path(kernel) if str(kernel).endswith(".cl") else KERNELS / kernel / f"{kernel}.cl"
    path = FOLDER / f"{len(list(FOLDER.glob('*.wtrace')))}.wtrace"
    run("trace-kernel", source, *options, "-o", path)
    return path


def page_kernel(page, name):
    """The OpenCL C that a page of docs/ saves as NAME with `cat > NAME`."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    begin = lines.index(f"    $ cat > {name} <<'END'") + 1
    end = lines.index("    > END", begin)
    path = FOLDER / name
    path.write_text("".join(line.removeprefix("    > ") + "\n" for line in lines[begin:end]), encoding="utf-8")
    return path


def changed(path, *changes):
    """The capture with another layout."""
    out = FOLDER / f"{len(list(FOLDER.glob('*.wtrace')))}.wtrace"
    run("trace-change", path, *changes, "-o", out)
    return out


def simulate(path, *options):
    """result.json of `cachesim` with these options."""
    words = [*options]
    timed = words and words[0] == "timed"
    return json.loads(run("cachesim", *(["timed", path, *words[1:]] if timed else [path, *words]), "--json", "-"))


def warp_accesses(path, *options):
    """Loads of a capture in scheduled order: a list of lanes' addresses per warp access. Only captures of full warps, one launch."""
    lines = run("warpsched", path, "--format", "text", "-o", "-", *options).splitlines()[1:]
    loads = [int(line.split()[0], 16) for line in lines if line.split()[1] == "R"]
    assert len(loads) % LANES == 0
    return [loads[at:at + LANES] for at in range(0, len(loads), LANES)]


def local_loads(path, lanes=LANES):
    """Addresses in local memory of the first such load of each of the first work-items."""
    found = []
    for item in range(lanes):
        accesses = run("trace-view", "--work-item", f"0:{item}", path).splitlines()
        words = next(line.split() for line in accesses if line.split()[3:5] == ["load", "local"])
        found.append(int(words[5], 16))
    return found
