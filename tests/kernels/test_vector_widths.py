#!/usr/bin/env python3
"""Accesses to vectors: as many per thread as the machine code of nvcc 13.0 has.

vector_widths.csv has the loads and stores that NVIDIA's assembler left of each kernel; a kernel's name says what it does, and its source is
made from it (source_of). The OpenCL kernel of the same name must have as many. With a toolkit, nvcc is asked again, about these and about
more. `test_vector_widths.py --write` draws the names again (seed below) and writes the table; it needs nvcc.
"""
import csv
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tests"))
from captures import BIN  # noqa: E402

TABLE = pathlib.Path(__file__).with_suffix("").with_name("vector_widths.csv")
NVCC = shutil.which("nvcc") or ("/usr/local/cuda/bin/nvcc" if pathlib.Path("/usr/local/cuda/bin/nvcc").exists() else None)
SEED = 20261128
SCALARS = {"float": "float", "int": "int", "uchar": "unsigned char", "short": "short", "double": "double", "longlong": "long long"}
TYPES = ("float2", "float4", "int4", "uchar2", "uchar4", "short2", "short4", "double2", "longlong2")
# What is done with the components that the name lists.
CUDA_FORMS = {
    "read": "{T} v = p[i]; o[i] = {product};",
    "write": "{T} v = p[i]; {change} p[i] = v;",
    "member": "{T} v = q[i].b; {change} q[i].b = v;",
    "cast": "{T} v = *reinterpret_cast<{T} *>(s + {n} * i); {change} *reinterpret_cast<{T} *>(s + {n} * i) = v;",
    "loop": "{S} sum = 0;\n#pragma unroll 1\n  for (int k = 0; k < 64; ++k) {{ {T} v = p[64 * k + i]; sum += {product}; }} o[i] = sum;",
    "branch": "{T} v = p[i]; if (o[i]) o[i] = {product};",
    "copy": "p[i] = p[i + 64];",
    "fields": "{T} v = {{}}; {change} p[i] = v;",
    "tile": "__shared__ {T} t[64]; t[threadIdx.x] = p[i]; __syncthreads(); {T} v = t[threadIdx.x ^ 1]; o[i] = {product};",
    "aligned": "A v = a[i]; {change} a[i] = v;",
}
OPENCL_FORMS = {
    "read": CUDA_FORMS["read"], "write": CUDA_FORMS["write"], "branch": CUDA_FORMS["branch"], "copy": CUDA_FORMS["copy"],
    "cast": CUDA_FORMS["cast"].replace("reinterpret_cast<{T} *>", "(__global {T} *)"),
    "loop": CUDA_FORMS["loop"], "member": CUDA_FORMS["member"],
    "tile": "__local {T} t[64]; t[get_local_id(0)] = p[i]; barrier(1); {T} v = t[get_local_id(0) ^ 1]; o[i] = {product};",
}
WHOLE = ("copy", "fields")  # whatever components are listed, all are accessed


def parts_of(name):
    form, vector, components = name.split("_")
    scalar, n = re.fullmatch(r"([a-z]+)(\d)", vector).groups()
    return form, vector, SCALARS[scalar], int(n), components


def body_of(name, forms):
    form, vector, scalar, n, components = parts_of(name)
    return forms[form].format(T=vector, S=scalar, n=n, product=" * ".join(f"v.{c}" for c in components),
                              change=" ".join(f"v.{c} {'= i' if form == 'fields' else '*= 3'};" for c in components))


def cuda_source(names):
    text = ["#include <cuda_runtime.h>"]
    for name in names:
        _, vector, scalar, n, _ = parts_of(name)
        text.append(f"namespace {name}_ {{ struct Q {{ {vector} a, b; }}; struct __align__(sizeof({scalar}) * {n}) A "
                    f"{{ {scalar} {', '.join('xyzw'[:n])}; }};\n"
                    f"extern \"C\" __global__ void {name}({vector} *p, {scalar} *o, {scalar} *s, Q *q, A *a) {{\n"
                    f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  {body_of(name, CUDA_FORMS)}\n}} }}")
    return "\n".join(text) + "\n"


def opencl_source(names):
    text = []
    for name in names:
        _, vector, scalar, _, _ = parts_of(name)
        vector_here = vector.replace("longlong", "long")
        body = body_of(name, OPENCL_FORMS).replace("longlong", "long").replace("long long", "long")
        text.append(f"typedef struct {{ {vector_here} a, b; }} Q_{name};\n"
                    f"__kernel void {name}(__global {vector_here} *p, __global {scalar.replace('long long', 'long')} *o, "
                    f"__global {scalar.replace('long long', 'long')} *s, __global Q_{name} *q) {{\n"
                    f"  int i = get_global_id(0);\n  {body}\n}}")
    return "\n".join(text) + "\n"


def all_names():
    for form, vector in itertools.product(CUDA_FORMS, TYPES):
        n = int(vector[-1])
        for count in ([n] if form in WHOLE else range(1, n + 1)):
            for components in itertools.combinations("xyzw"[:n], count):
                yield f"{form}_{vector}_{''.join(components)}"


def drawn(seed, count):
    return sorted(random.Random(seed).sample(sorted(all_names()), count))


def our_counts(names, source, suffix):
    """Accesses of one lane: a site has one for each min(16, alignment) bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, f"kernels.{suffix}")
        path.write_text(source)
        subprocess.run([str(BIN / "compile-kernel"), str(path), "-o", folder], check=True, stdout=subprocess.DEVNULL)
        kernels = json.loads(pathlib.Path(folder, "kernels.json").read_text())
    counts = {}
    for kernel in kernels:
        counts[kernel["name"]] = tuple(sum(-(-site["width"] // min(16, site["alignment"], site["width"])) for site in kernel["sites"]
                                           if site["kind"] == kind) for kind in ("load", "store"))
    return {name: counts[name] for name in names}


def machine_counts(names, architecture):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernels.cu")
        path.write_text(cuda_source(names))
        subprocess.run([NVCC, "-O3", "-w", f"-arch={architecture}", "-cubin", "-o", f"{folder}/kernels.cubin", str(path)], check=True)
        text = subprocess.run([str(BIN / "machine-code"), f"{folder}/kernels.cubin", "--kernel", "all", "--plain"], capture_output=True,
                              text=True, check=True).stdout
    counts, name = {}, None
    for line in text.splitlines():
        if line.startswith("sm_"):
            name = line.split()[-1]
            counts[name] = [0, 0]
        elif found := re.search(r"\b(LDG|LDS|STG|STS)\b", line):
            counts[name][found[1][:2] == "ST"] += 1
    return {name: tuple(counts[name]) for name in names}


def table():
    with TABLE.open() as file:
        return {row["kernel"]: (int(row["loads"]), int(row["stores"])) for row in csv.DictReader(file)}


class VectorWidths(unittest.TestCase):
    maxDiff = None

    def test_cuda_kernels_access_as_machine_code_does(self):
        expected = table()
        self.assertEqual(our_counts(expected, cuda_source(expected), "cu"), expected)

    def test_opencl_kernels_access_as_machine_code_does(self):
        expected = {name: counts for name, counts in table().items() if name.split("_")[0] in OPENCL_FORMS}
        self.assertEqual(our_counts(expected, opencl_source(expected), "cl"), expected)

    @unittest.skipUnless(NVCC, "no nvcc")
    def test_machine_code_NeedsCudaToolkit(self):
        seed = random.randrange(1 << 32)
        print("seed", seed, file=sys.stderr)
        names = sorted({*table(), *drawn(seed, 60)})
        counts = machine_counts(names, "sm_90")
        self.assertEqual({name: counts[name] for name in table()}, table())
        self.assertEqual(our_counts(names, cuda_source(names), "cu"), counts)


def write():
    counts = machine_counts(drawn(SEED, 120), "sm_80")
    TABLE.write_text("kernel,loads,stores\n" + "".join(f"{name},{loads},{stores}\n" for name, (loads, stores) in sorted(counts.items())))


if __name__ == "__main__":
    write() if sys.argv[1:] == ["--write"] else unittest.main()
