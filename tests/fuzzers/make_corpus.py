#!/usr/bin/env python3
"""Makes the fuzzers' seeds again: small files of every kind, from the kernels in benchmarks/ and by hand.

    tests/fuzzers/make_corpus.py [--tools build/release/bin] [--unpack build/asan-ubsan/test-bin/fuzz_unpack]

What long runs found is in corpus/NAME too, under names that begin with "found-", and stays.
"""
import argparse
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"

# Kernel and options: uniform loops, divergence with barriers, atomics, local memory, an order that was recorded, repeated
# work-groups.
CAPTURES = {
    "mm": ["--global", "8,8", "--local", "4,4", "--record-order"],
    "flow": ["--global", "32", "--local", "16"],
    "mergesort_block": ["--size", "small", "--work-groups", "0"],
    "histogram": ["--size", "small", "--work-groups", "0,1"],
    "reduction": ["--size", "small"],
    "mm-runs": ["--global", "32,32", "--local", "4,4"],
}

OBSERVATIONS = {
    "table": "# by hand\npattern,mask,step,places,rounds,hot,loads,load_misses,stores,store_misses,cycles\n"
             "chase,all,32,512,8,0,4096,512,,,\nchase,0x7c,1,32,2,4,,,,,250.5\nstore-load,all,32,64,1,0,64,64,64,0,\n",
    "percent": "pattern,step,places,rounds,miss_percent\nchase,128,129,4,12.5\nchase,128,130,4,25\n",
    "hw-profile": "# warpscope hardware counters, format 1\n"
                  "launch,a,b,c,counter,d,median,e,f\n"
                  "\"probe/probe.launch:medium:STEP=8,PLACES=64,ROUNDS=2\",,,,load.hits,,64,,\n"
                  "\"probe/probe.launch:medium:STEP=8,PLACES=64,ROUNDS=2\",,,,load.misses,,64,,\n"
                  "store_load/store_load.launch:medium:LOAD_FIRST=0,,,,store.hits,,1,,\n"
                  "store_load/store_load.launch:medium:LOAD_FIRST=0,,,,store.misses,,3,,\n",
}

SIM = "mm.cl\nmm\n8 8 1\n4 4 1\n<size=256 float fill=1.5>\n<size=256 uchar4 range=0:1:63>\n<size=64>\n" \
      "<size=4 uint hex>\n0x40\n<size=16 float>\n1 2 3 # a vector\n<size=12 noinit>\n"

LAUNCH_FILES = {
    "arguments": '{"kernel": "mm", "global": [64, "gx/2"], "local": [8, 8], "offset": [0, 1], // sizes\n'
                 ' "args": {"A": {"count": "width*gy", "fill": "random(1, 0, 9)"}, "B": {"bytes": 256, "fill": "range(0,1,7)"},'
                 ' "tile": {"local": "lx*ly"}, "width": "gx", "scale": "1, 2, 3", "shape": {"null": true}},'
                 ' "defines": {"N": 4}, "build_options": "-cl-fast-relaxed-math", "sizes": {"small": {"global": [8, 8]}}}\n',
}

MACHINE_FILES = ("tiny_none.fatbin", "tiny_size.fatbin", "tiny_speed.fatbin", "tiny.o")

PRESET_NAMES = ("gtx480", "h100", "gtx280")

LISTS = ["\0every:16", "\0000-63,128", "\0random:1%", "\0013,7-9", "\00216,32-48,8-64:8,8-256*2", "\3LRU,FIFO",
         "\4A=count=gx*gy,fill=random(1,0,9),type=float4", "\4w=1,2,3", "\5ceil_div(gx, 0x10) * (3 - 1.5f) % 7",
         "\5min(gx, max(2, 3)) / -1", "\0060\n14\n7\n"]

TEXT_STREAMS = {
    "lanes": "4 2\n0x10000000 R 0 0 M1\n0x10000004 R 0 0 M1\n0x1000 W 1 0 2\n",
    "digits": "32 1\n" + "".join(f"0x{0x10000000 + 4 * i:08x} R 0 0 M1\n" for i in range(64)),
}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"make_corpus.py: {' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()}")


def fresh(name):
    """The folder of a harness, with only the findings left in it."""
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if not old.name.startswith("found-"):
            old.unlink()
    return folder


def write_texts(name, texts):
    folder = fresh(name)
    for title, text in texts.items():
        (folder / title).write_bytes(text.encode("latin-1"))


def make_files(tools, work):
    """Captures, streams and transaction streams of a few kernels."""
    captures, streams, transactions = fresh("capture"), fresh("stream"), fresh("transactions")
    for name, options in CAPTURES.items():
        capture, kernel = work / f"{name}.wtrace", name.split("-")[0]
        run(tools / "trace-kernel", ROOT / f"benchmarks/kernels/{kernel}/{kernel}.cl", *options, "--threads", 1, "-o", capture)
        shutil.copy(capture, captures / name)
        if name in ("mm", "flow", "mergesort_block"):
            run(tools / "warpsched", capture, "--policy", "warp", "--cores", 2, "-o", streams / name)
            run(tools / "cachesim", "coalesce", capture, "--cores", 2, "-o", transactions / name)
    whole = (captures / "flow").read_bytes()
    (captures / "flow-cut").write_bytes(whole[:len(whole) * 2 // 3])
    text = work / "mm.txt"
    run(tools / "warpsched", work / "mm.wtrace", "--policy", "warp", "--format", "text", "-o", text)
    write_texts("text_stream", {**TEXT_STREAMS, "mm": text.read_text()[:4000]})
    trace = work / "mm.crawford"
    run(tools / "trace-view", work / "mm.wtrace", "--format", "crawford", "-o", trace)
    write_texts("crawford_trace", {"mm": trace.read_text()[:6000]})


def payloads(unpack, source, tag, work):
    """The payloads of a file's sections with this tag."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    run(unpack, source, tag, folder)
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def chunk_prefix(launch):
    """What the chunk harness wants before a chunk: how many sites, and which carry addresses. None if too many."""
    sites = json.loads(launch)["kernel"]["sites"]
    if len(sites) > 16:
        return None
    mask = sum(1 << number for number, site in enumerate(sites) if site["kind"] in ("load", "store", "atomic"))
    return bytes([len(sites)]) + mask.to_bytes(2, "little")


def make_payloads(unpack, work):
    """Single sections: chunks, and JSON headers."""
    chunks, headers = fresh("chunk"), fresh("json_header")
    for kernel in CAPTURES:
        launches = payloads(unpack, CORPUS / "capture" / kernel, "LNCH", work)
        (headers / f"launch-{kernel}").write_bytes(launches[0])
        prefix = chunk_prefix(launches[0])
        if prefix is not None:
            (chunks / kernel).write_bytes(prefix + payloads(unpack, CORPUS / "capture" / kernel, "CHNK", work)[0])
    (fresh("runs") / "mm").write_bytes(payloads(unpack, CORPUS / "capture/mm-runs", "RUNS", work)[0])
    for kind, tag in (("capture", "BUFF"), ("stream", "HEAD"), ("transactions", "HEAD"), ("transactions", "ORIG")):
        (headers / f"{kind}-{tag}").write_bytes(payloads(unpack, CORPUS / kind / "mm", tag, work)[0])


def sections_named(cubin, begin):
    """(name, bytes) of each section of a cubin whose name begins so."""
    start, = struct.unpack_from("<Q", cubin, 40)
    count, names = struct.unpack_from("<2xHH", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQ", cubin, start + 64 * number) for number in range(count)]
    for name, _, _, _, offset, size in sections:
        place = sections[names][4] + name
        text = cubin[place:cubin.index(b"\0", place)].decode()
        if text.startswith(begin):
            yield text, cubin[offset:offset + size]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--unpack", type=pathlib.Path, default=ROOT / "build/asan-ubsan/test-bin/fuzz_unpack")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        make_files(options.tools, work)
        make_payloads(options.unpack, work)
    cubins = fresh("cubin")
    for name in MACHINE_FILES:
        shutil.copy(ROOT / "tests/unit/machine/data" / name, cubins)
    cached = fresh("triton")
    for name in ("add_kernel.json", "pair_kernel.json", "add_kernel.ttir"):
        shutil.copy(ROOT / "tests/machine/triton" / name, cached)
    executed, texts = fresh("execute"), fresh("ptx_text")
    for name in ("sm_75/bitonic", "sm_75/reduction", "sm_90/histogram", "sm_90/search_sorted"):
        shutil.copy(ROOT / f"tests/unit/machine/data/kernels/{name}.cubin", executed / name.replace("/", "-"))
    for name in ("tests/machine/pairs/sums.ptx", "tests/fuzzers/shared.ptx"):
        shutil.copy(ROOT / name, texts)
    for harness, begin in (("nv_info", ".nv.info"), ("line_table", ".debug_line")):
        seeds = fresh(harness)
        for name, content in sections_named((ROOT / "tests/unit/machine/data/saxpy_sm90.cubin").read_bytes(), begin):
            (seeds / name.strip(".").replace(".", "_")).write_bytes(content)
    write_texts("observations", OBSERVATIONS)
    write_texts("launch_file", {**LAUNCH_FILES, "sim": SIM})
    write_texts("preset", {name: (ROOT / f"gpus/{name}.json").read_text() for name in PRESET_NAMES})
    write_texts("lists", {f"{number:02}": text for number, text in enumerate(LISTS)})
    total = sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file())
    print(f"{CORPUS.relative_to(ROOT)}: {total / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
