"""A made-up installation: a compile-kernel that writes plain text, headers that hold what clang's launches need, and a runtime that
prints what is registered. So the driver's own work is seen from outside: which commands, which bytes arrive in the program."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "python"))

COMPILE_KERNEL = """#!/usr/bin/python3
import pathlib, sys
words = sys.argv[1:]
at = words.index("--") if "--" in words else len(words)
own = words[:at]
out = pathlib.Path(own[own.index("-o") + 1])
parts = [own[i + 1] for i, word in enumerate(own) if word == "--cuda-parts"]
name = own[0]
text = "".join(pathlib.Path(part).read_text() for part in parts) if parts else pathlib.Path(name).read_text()
if "DEVICE_ERROR" in text:
    print(f"{pathlib.Path(name).name}:1:1: error: of the device part", file=sys.stderr)
    sys.exit(2)
if "SAME_WARNING" in text:
    print("shared.h:3:7: warning: said by both parts\\n  the line", file=sys.stderr)
label = text if parts else "<" + pathlib.Path(name).name + " " + own[own.index("--cuda-arch") + 1] + ">"
names = ["front_end.bc"] if "--cuda-part" in own else ["optimised.bc", "instrumented.bc", "kernels.json", "signatures.json"]
for file in names:
    (out / file).write_text(label if file == "front_end.bc" else file.split(".")[0] + label)
sys.exit(3 if "UNTRACEABLE" in text else 0)
"""
HEADER = """#pragma once
#ifdef __CUDACC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, struct CUstream_st * = nullptr);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, struct CUstream_st *);
#endif
"""
RUNTIME = r"""#include <stdio.h>
#include <string.h>
static void show(const char *what, const char *data) {
  unsigned long long size, directory;
  memcpy(&size, data + 8, 8), memcpy(&directory, data + 16, 8);
  printf("%s %.8s", what, data);
  fwrite(data + 24 + directory, 1, size - 24 - directory, stdout);
  puts("");
}
void __warpscopeRegisterLinked(const void *data) { show("linked", data); }
void **__cudaRegisterFatBinary(const int *wrapper) {
  printf("wrapper %x\n", wrapper[0]);
  show("object", *(const char **)(wrapper + 2));
  return (void **)wrapper;
}
void __cudaRegisterFatBinaryEnd(void **handle) { puts("end"); }
void __cudaUnregisterFatBinary(void **handle) {}
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name) { printf("kernel %s\n", name); }
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name) { printf("variable %s\n", name); }
unsigned __cudaPushCallConfiguration(void) { return 0; }
unsigned __cudaPopCallConfiguration(void) { return 0; }
int cudaLaunchKernel(void) { return puts("launch"), 0; }
"""


def make_installation(folder):
    """bin/, cuda/ and share/ as in a prefix; gives bin/."""
    for name in ("bin", "cuda/include", "cuda/lib64", "share/warpscope/gpus"):
        (folder / name).mkdir(parents=True)
    (folder / "bin" / "compile-kernel").write_text(COMPILE_KERNEL)
    (folder / "bin" / "compile-kernel").chmod(0o755)
    (folder / "cuda" / "include" / "cuda_runtime.h").write_text(HEADER)
    (folder / "share" / "warpscope" / "gpus" / "turing.json").write_text('{"compute_capability": {"value": "7.5", "source": "this test"}}')
    (folder / "runtime.c").write_text(RUNTIME)
    library = folder / "cuda" / "lib64"
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", folder / "libruntime.so", folder / "runtime.c"], check=True)
    for name in ("libcudart.so", "libcudart_static.a", "libcudadevrt.a"):
        (library / name).write_text(f"INPUT({folder}/libruntime.so)\n")
    return folder / "bin"


class WithInstallation(unittest.TestCase):
    """One made-up installation for the class, and an empty folder to work in for each test."""

    @classmethod
    def setUpClass(cls):
        cls.prefix = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="nvcc-test-"))).resolve()
        cls.bin = make_installation(cls.prefix)

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="nvcc-test-")))
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def nvcc(self, *words, status=0, folder=".", **variables):
        """Runs the driver: (standard output, standard error). No temporary file may be left."""
        environment = {**os.environ, "WARPSCOPE_BIN": str(self.bin), "PYTHONPATH": str(SOURCE / "python"), "TMPDIR": str(self.temporary),
                       **{name.upper(): value for name, value in variables.items()}}
        done = subprocess.run([sys.executable, "-B", "-c", "from warpscope.commands.nvcc import start; start()", *map(str, words)],
                              cwd=self.folder / folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return done.stdout, done.stderr

    def program(self, name="a.out"):
        """What a program that the driver linked prints, line by line."""
        return subprocess.run([self.folder / name], capture_output=True, text=True, check=True).stdout.splitlines()
