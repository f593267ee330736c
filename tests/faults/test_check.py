"""warpscope check: faults that were planted are found under their names, and clean kernels have none."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import BIN, SOURCE, ToolTest  # noqa: E402
from support import load_quarter as load_tests  # noqa: F401,E402

SIZES = {"part": "count=256,fill=zero", "count": "count=1,fill=zero", "flag": "count=256,fill=zero", "in": "count=256", "out": "count=256"}
IN_OPENCL_FILES = ("planted.cl", "planted_programs.cl")
IN_CUDA = ("--grid", 4, "--block", 64)
IN_OPENCL = ("--global", 256, "--local", 64)
NOT_OF_MACHINE = re.compile(r"race_warp|race_in_step")  # the order within a warp is that of the code


def kernels(path):
    """{name: its parameters as text} of a file."""
    return dict(re.findall(r"void (\w+)\(([^)]*)\)", path.read_text()))


def arguments(parameters):
    words = [f"{name}={SIZES[name]}" for name in re.findall(r"\*(\w+)", parameters)]
    words += [f"{name}=3" for name in re.findall(r"int (\w+)(?=,|$)", parameters)]
    return [word for argument in words for word in ("--arg", argument)]


def expected(name):
    """The code in the name of a planted kernel; "" of a clean one."""
    codes = ("out_of_bounds", "misaligned", "race_local", "race_warp", "race_in_step", "store_together", "race_global", "unordered_read", "same_value", "uninitialised",
             "divergent_barrier", "early_exit", "deadlock", "clean")
    code = next(code for code in codes if name.startswith(code))
    return "" if code == "clean" else code.replace("_", "-")


class Planted(ToolTest):
    def check(self, *words, status=None):
        done = self.call("warpscope", "check", *words, "--json", "faults.json")
        self.assertIn(done.returncode, (0, 4) if status is None else (status,), done.stderr.decode())
        return done, json.loads((self.folder / "faults.json").read_text()) if done.returncode in (0, 4) else {}

    def all_of(self, path, size, *more, left_out=None):
        for name, parameters in kernels(path).items():
            if left_out and left_out.search(name):
                continue
            with self.subTest(kernel=name):
                extra = ("--dynamic-shared", 256) if name == "clean_dynamic" else ()
                done, report = self.check(path, "--kernel", name, *size, *arguments(parameters), *more, *extra)
                found = {fault["code"] for fault in report["faults"]}
                errors = {fault["code"] for fault in report["faults"] if fault["level"] == "error"}
                self.assertEqual(done.returncode, 4 if errors else 0)
                if not expected(name):
                    self.assertEqual(found - {"ended-lanes"}, set())
                elif "invalid-address" in found:  # what stops machine code
                    self.assertEqual(expected(name), "out-of-bounds")
                else:
                    self.assertIn(expected(name), found)

    def test_of_opencl(self):
        for name in IN_OPENCL_FILES:
            self.all_of(FOLDER / name, IN_OPENCL)

    def test_of_cuda(self):
        self.all_of(FOLDER / "planted.cu", IN_CUDA)

    def test_named_barriers(self):
        """What order barriers for parts of a block make: named_sm90.cubin is named.cu by nvcc 13.0 -cubin -arch=sm_90."""
        for name, parameters in kernels(FOLDER / "named.cu").items():
            with self.subTest(kernel=name):
                n = ("--arg", "param_1=6") if "int n" in parameters else ()
                done, report = self.check(FOLDER / "named_sm90.cubin", "--kernel", name, "--grid", 2, "--block", 128, "--arg", "param_0=bytes=1024", *n)
                found = {fault["code"] for fault in report["faults"]}
                self.assertEqual(found, {expected(name)} - {""}, done.stdout.decode())
                self.assertEqual(done.returncode, 4 if found else 0)

    def test_NeedsCudaToolkit_of_machine_code(self):
        self.all_of(FOLDER / "planted.cu", IN_CUDA, "--machine=sm_90", left_out=NOT_OF_MACHINE)

    def test_oclgrind_agrees(self):
        """An interpreter with values, and other code. It does not know that a fence and an atomic order what other groups did (clean_last_group)."""
        said = {"out-of-bounds": "Invalid (read|write)", "misaligned": "not aligned", "race-local": "race", "race-global": "race",
                "uninitialised": "Uninitialized", "divergent-barrier": "divergence"}
        found = {}
        for path in (FOLDER / name for name in IN_OPENCL_FILES):
            (self.folder / path.name).write_text(path.read_text())
            found |= {name: (path.name, parameters) for name, parameters in kernels(path).items()}
        for name, (file, parameters) in found.items():
            if name == "clean_last_group" or expected(name) not in ("", *said):
                continue
            lines = [file, name, "256 1 1", "64 1 1", ""]
            for parameter in parameters.split(","):
                size = 4 if parameter.endswith("count") else 1024
                lines.append(f"<size={size} {'char' if 'char' in parameter else 'int'} fill=0>")
            (self.folder / "k.sim").write_text("\n".join(lines) + "\n")
            done = subprocess.run(["oclgrind-kernel", "--data-races", "--uninitialized", "k.sim"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  check=True)
            text = done.stderr.decode(errors="replace")
            with self.subTest(kernel=name):
                if expected(name):
                    self.assertRegex(text, f"(?i){said[expected(name)]}")
                else:
                    self.assertEqual(text.strip(), "")

    def test_writes_that_captures_do_not_have(self):
        """Other work-groups of a cluster, and copies in bulk, write what is read here."""
        for cubin, name, *words in (("clusters_sm90", "everyone", "--grid", "6,4", "--block", 64, "--arg", "param_0=bytes=6144", "--arg", "param_1=bytes=6144"),
                                    ("hopper_sm90", "bulk", "--grid", 2, "--block", 128, "--arg", "param_0=bytes=65536", "--arg", "param_1=bytes=65536", "--arg", "param_2=4")):
            _, report = self.check(SOURCE / "tests/unit/machine/data/executed" / f"{cubin}.cubin", "--kernel", name, *words, status=0)
            self.assertEqual(report["faults"], [])

    def test_the_suite_is_clean(self):
        """What several groups of bfs store is one value."""
        for name in ("bfs", "bitonic", "histogram", "mm_tiled", "mt_padded", "reduction", "scan", "spmv_csr", "multiway_merge", "search_shared"):
            with self.subTest(kernel=name):
                folder = SOURCE / "benchmarks" / "kernels" / name
                _, report = self.check(folder / f"{name}.cl", "--size", "small", status=0)
                self.assertEqual([fault["code"] for fault in report["faults"] if fault["code"] != "same-value"], [])
                self.assertGreater(report["checked"]["accesses"], 0)


class Outputs(ToolTest):
    def racing(self, *more):
        """One pair of accesses: work-items of two groups store to byte 0 and on."""
        (self.folder / "k.cl").write_text("kernel void k(global int *out) {\n  out[get_local_id(0)] = get_group_id(0);\n}\n")
        return self.call("warpscope", "check", "k.cl", "--global", 128, "--local", 64, "--arg", "out=count=128", *more)

    def test_in_words(self):
        done = self.racing()
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stdout.decode().splitlines(), [
            "error[race-global] k.cl:2:24: kernel k: store and store of out by work-items of two work-groups, in no order",
            "    work-item 0 of work-group 0 and work-item 0 of work-group 1, byte 0 of out, launch 0; 64 times",
            "    use an atomic, or two launches",
            "1 error, 0 warnings, 0 information; checked: 1 launch, 2 work-groups, 128 accesses"])

    def test_levels_and_tools(self):
        self.assertEqual(self.racing("--fail-on", "never").returncode, 0)
        self.assertEqual(self.racing("--tools", "memcheck,initcheck").returncode, 0)
        (self.folder / "flag.cl").write_text("kernel void flag(global int *out) { *out = 1; }\n")
        flag = ("flag.cl", "--global", 64, "--local", 64, "--arg", "out=count=1")
        for level, status in (("error", 0), ("warning", 0), ("information", 4)):
            self.assertEqual(self.call("warpscope", "check", *flag, "--fail-on", level).returncode, status, level)

    def test_same_bytes(self):
        texts = []
        for threads in ((), (), ("--threads", 2)):
            self.racing("--json", "r.json", *threads)
            texts.append((self.folder / "r.json").read_bytes())
        self.assertEqual(len(set(texts)), 1)

    def test_sarif(self):
        self.racing("--sarif", "r.sarif")
        log = json.loads((self.folder / "r.sarif").read_text())
        self.assertEqual(log["version"], "2.1.0")
        (run,) = log["runs"]
        (result,) = run["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("race-global", "error"))
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"]["uri"], place["region"]), ("k.cl", {"startLine": 2, "startColumn": 24}))
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]], ["race-global"])

    def test_a_capture_is_what_was_recorded(self):
        self.racing("--json", "of_kernel.json")
        self.run_tool("trace-kernel", "k.cl", "--global", 128, "--local", 64, "--arg", "out=count=128", "-o", "k.wtrace")
        self.assertEqual(self.call("warpscope", "check", "k.wtrace", "--json", "of_capture.json").returncode, 4)
        self.assertEqual((self.folder / "of_capture.json").read_text(), (self.folder / "of_kernel.json").read_text())
        self.assertEqual(self.call("trace-view", "--faults", "k.wtrace").returncode, 4)

    def test_from_python(self):
        self.racing("--json", "of_kernel.json")
        self.run_tool("trace-kernel", "k.cl", "--global", 128, "--local", 64, "--arg", "out=count=128", "-o", "k.wtrace")
        script = "import json, warpscope\nprint(json.dumps(warpscope.Capture('k.wtrace').faults()['faults']))"
        done = subprocess.run(["/usr/bin/python3", "-c", script], cwd=self.folder, stdout=subprocess.PIPE, check=True,
                              env={**os.environ, "PYTHONPATH": str(SOURCE / "python"), "WARPSCOPE_BIN": str(BIN)})
        self.assertEqual(json.loads(done.stdout), json.loads((self.folder / "of_kernel.json").read_text())["faults"])

    def test_a_null_pointer(self):
        (self.folder / "k.cu").write_text("__global__ void k(int *a) {\n  a[threadIdx.x] = 1;\n}\n")
        done = self.call("warpscope", "check", "k.cu", "--grid", 1, "--block", 32, "--arg", "a=null")
        self.assertEqual(done.returncode, 4, done.stderr.decode())
        self.assertRegex(done.stdout.decode(), r"^error\[invalid-address\] k\.cu:2:\d+: kernel 'k' faulted .* null pointer")

    def test_a_wild_pointer_of_a_program(self):
        (self.folder / "wild.cu").write_text("__global__ void k(int *a, long long where) {\n  ((int *)where)[threadIdx.x] = a[threadIdx.x];\n}\nint main() {\n  int *a;\n"
                                             "  cudaMalloc(&a, 256);\n  cudaMemset(a, 0, 256);\n  k<<<1, 64>>>(a, 0x7ff4dead0000);\n  cudaDeviceSynchronize();\n  cudaFree(a);\n}\n")
        self.assertEqual(self.call("warpscope-nvcc", "wild.cu", "-o", "wild").returncode, 0)
        done = self.call("warpscope", "check", "--", "./wild")
        self.assertEqual(done.returncode, 4, done.stderr.decode())
        self.assertRegex(done.stdout.decode(), r"error\[invalid-address\] wild\.cu:2:\d+: kernel 'k', .*wild pointer")

    def test_memory_that_was_freed(self):
        (self.folder / "freed.cu").write_text("__global__ void k(int *a) {\n  a[threadIdx.x] = 1;\n}\nint main() {\n  int *a;\n  cudaMalloc(&a, 256);\n  cudaFree(a);\n"
                                              "  k<<<1, 64>>>(a);\n  cudaDeviceSynchronize();\n}\n")
        self.assertEqual(self.call("warpscope-nvcc", "freed.cu", "-o", "freed").returncode, 0)
        done = self.call("warpscope", "check", "--", "./freed")
        self.assertEqual(done.returncode, 4, done.stderr.decode())
        errors = [line for line in done.stdout.decode().splitlines() if line.startswith("error")]
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], r"^error\[use-after-free\] freed\.cu:2:\d+: kernel 'k', .* of 256 bytes, which was freed")

    def test_atomics_with_an_order(self):
        """OpenCL 2.0: a flag that is released and acquired orders; a relaxed one does not, nor one of the scope of a work-group."""
        flag = "(volatile global atomic_int *)flag"
        (self.folder / "k.cl").write_text(
            "kernel void k(global int *data, global int *flag, global int *out) {\n  if (get_local_id(0) != 0) return;\n  if (get_group_id(0) == 0) {\n    *data = 7;\n"
            f"    atomic_store_explicit({flag}, 1, memory_order_OUT, memory_scope_FROM);\n  }} else {{\n"
            f"    while (atomic_load_explicit({flag}, memory_order_IN, memory_scope_TO) == 0);\n    out[get_group_id(0)] = *data;\n  }}\n}}\n")
        text = (self.folder / "k.cl").read_text()
        for out, into, start, to, status in (("release", "acquire", "device", "device", 0), ("relaxed", "relaxed", "device", "device", 4),
                                             ("release", "acquire", "work_group", "device", 4), ("release", "acquire", "device", "work_group", 4)):
            (self.folder / "k.cl").write_text(text.replace("OUT", out).replace("IN", into).replace("FROM", start).replace("TO", to))
            done = self.call("warpscope", "check", "k.cl", "--global", 256, "--local", 64, "--build-options", "-cl-std=CL2.0", "--arg", "data=count=1",
                             "--arg", "flag=count=1,fill=zero", "--arg", "out=count=4")
            self.assertEqual(done.returncode, status, done.stdout.decode() + done.stderr.decode())

    def test_fences_with_a_scope(self):
        """OpenCL 2.0: a fence of the scope of a work-group orders nothing for another one."""
        for scope, status in (("device", 0), ("work_group", 4), ("work_item", 4)):
            (self.folder / "k.cl").write_text(
                "kernel void k(global int *part, global int *count, global int *out) {\n  if (get_local_id(0) != 0) return;\n  part[get_group_id(0)] = 1;\n"
                f"  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_{scope});\n"
                "  if (atomic_inc(count) == 3) out[0] = part[0] + part[1] + part[2] + part[3];\n}\n")
            done = self.call("warpscope", "check", "k.cl", "--global", 256, "--local", 64, "--build-options", "-cl-std=CL2.0", "--arg", "part=count=4",
                             "--arg", "count=count=1,fill=zero", "--arg", "out=count=1")
            self.assertEqual(done.returncode, status, done.stdout.decode() + done.stderr.decode())

    def test_sizes_that_were_inferred(self):
        (self.folder / "k.cl").write_text("kernel void k(global int *out) { out[get_global_id(0) + 1] = 2; }\n")
        done = self.call("warpscope", "check", "k.cl", "--global", 64, "--local", 64)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("note: bounds of out are not checked: their sizes were taken from their accesses", done.stdout.decode())

    def test_bad_input(self):
        self.racing()
        for words, said in ((("k.cl", "--fail-on", "fatal"), "--fail-on fatal: expected one of information, warning, error, never"),
                            (("k.cl", "--tools", "racecheck,leak"), "--tools: 'leak', expected some of memcheck"),
                            (("k.cl", "--work-groups", "0"), "--work-groups: all work-groups and accesses are looked at"),
                            (("--tools", "memcheck"), "expected a kernel file or a capture first"),
                            (("--",), "--: expected a program"),
                            (("none.cl",), "none.cl: No such file")):
            with self.subTest(words=words):
                done = self.call("warpscope", "check", *words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr.decode())
                self.assertEqual(len(done.stderr.decode().splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
