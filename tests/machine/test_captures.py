"""Captures of machine code: what nvcc's instructions do, as all tools read it."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests"), str(SOURCE / "python")]
from support import BIN, load_third as load_tests  # noqa: F401,E402
from warpscope.base import cuda_tools  # noqa: E402

KERNELS = SOURCE / "benchmarks" / "kernels"
NVCC = cuda_tools.look("nvcc")
# Kernels whose accesses do not depend on the compiler: tiles, trees with early ends, dynamic shared arrays, atomics, guarded stores.
SAME = ("mm", "mm_tiled", "reduction", "bitonic", "scan", "histogram", "search_sorted", "conv2d")


def run(name, *words, folder, status=0):
    done = subprocess.run([BIN / name, *map(str, words)], cwd=folder, capture_output=True, text=True, env={**os.environ, "WARPSCOPE_CACHE": ""})
    if done.returncode != status:
        raise AssertionError(f"{name} ended with {done.returncode}: {done.stderr}")
    return done


def facts(capture, folder):
    """(Whose values flow into the addresses of global memory, by line and kind of access; lines of loads that branches depend on)."""
    launch = json.loads(run("trace-view", "--sites", "--json", capture, folder=folder).stdout)["launches"][0]
    graph = json.loads(run("trace-view", "--cfg", "--json", capture, folder=folder).stdout)["launches"][0]
    line_of = [int(site["locations"][0].split(":")[1]) for site in launch["sites"]]
    found = {}
    for number, site in enumerate(launch["sites"]):
        if site["space"] != "global" or site["kind"] == "barrier":
            continue
        sources = site["address_from"]
        own = found.setdefault((line_of[number], site["kind"]), {"work_item": set(), "argument": set(), "value": set(), "part": set(), "choice": set()})
        own["work_item"].add(sources.get("work_item", False))
        own["argument"].add(site["object"]["index"])
        for how in ("value", "part", "choice"):
            own[how].update(line_of[source] for source in sources.get(how, ()))
    return found, {line_of[site] for block in graph["blocks"] for site in block.get("branch_from", ())}


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def simulated(self, capture, gpu="h100"):
        run("cachesim", capture, "--gpu", gpu, "--json", "result.json", folder=self.folder)
        return json.loads((self.folder / "result.json").read_text())


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class CapturesNeedsCudaToolkit(WithFolder):
    def test_neighbours_that_one_access_reaches_are_one_object(self):
        """ptxas merges both stores, and both loads, of low and high; tile is as before. Of one variable there is nothing to merge."""
        text = ("__global__ void k(const float* in, float* o) {\n  __shared__ float low, high;\n  __shared__ float tile[64];\n  tile[threadIdx.x] = in[threadIdx.x];\n"
                "  if (threadIdx.x == 0) { low = in[0]; high = in[1]; }\n  __syncthreads();\n  o[threadIdx.x] = tile[63 - threadIdx.x] + low * high;\n}\n")
        for source, names in ((text, {"low+high", "tile"}), (text.replace(" high = in[1];", "").replace("* high", "* low").replace(", high", ""), {"low", "tile"})):
            (self.folder / "k.cu").write_text(source)
            run("trace-kernel", "k.cu", "--machine", "--grid", 1, "--block", 64, "--arg", "in=count=64", "--arg", "o=count=64", "-o", "k.wtrace", folder=self.folder)
            run("trace-check", "k.wtrace", folder=self.folder)
            self.assertEqual(set(re.findall(r"buffer \d+: (\S+), \d+ bytes, local", run("trace-view", "k.wtrace", folder=self.folder).stdout)), names)

    def test_counts_are_those_of_the_source(self):
        """Two compilers and two ways to execute, one cache."""
        for name in SAME:
            with self.subTest(kernel=name):
                words = [KERNELS / name / f"{name}.cu", *(["--size", "small"] if '"small"' in (KERNELS / name / f"{name}.launch").read_text() else [])]
                run("trace-kernel", *words, "--machine", "-o", "machine.wtrace", folder=self.folder)
                run("trace-kernel", *words, "-o", "source.wtrace", folder=self.folder)
                run("trace-check", "machine.wtrace", folder=self.folder)
                totals = [self.simulated(capture)["total"] for capture in ("machine.wtrace", "source.wtrace")]
                for kind in ("load", "store", "atomic"):
                    for what in ("requests", "transactions", "hits"):
                        self.assertEqual(totals[0][kind][what], totals[1][kind][what], f"{kind} {what}")

    def test_dependences_are_those_of_the_source(self):
        """What two compilers make of a line differs, but not which loads, arguments and work-item numbers its addresses and branches depend on."""
        for name, architecture in (("spmv_csr", "sm_75"), ("bfs", "sm_90"), ("search_sorted", "sm_75"), ("gather", "sm_90"), ("histogram", "sm_90")):
            with self.subTest(kernel=name):
                for option, capture in (((f"--machine={architecture}",), "machine.wtrace"), ((), "source.wtrace")):
                    run("trace-kernel", KERNELS / name / f"{name}.cu", "--size", "small", *option, "-o", capture, folder=self.folder)
                self.assertEqual(facts("machine.wtrace", self.folder), facts("source.wtrace", self.folder))

    def issued_where_executed(self, result, capture):
        """Each instruction is issued as often as the executor's warps executed it, and what warps did at all of them is what they did."""
        (stalls,) = result["instruction_stalls"]
        (launch,) = json.loads(run("trace-view", capture, "--instructions", "--json", folder=self.folder).stdout)["launches"]
        executed = {16 * place: one["warps"] for place, one in enumerate(launch["machine_code"]["instructions"]) if one["warps"]}
        self.assertGreater(len(executed), 10)
        self.assertEqual({row["address"]: row["warp_stalls"]["selected"] for row in stalls["instructions"]}, executed)
        sums = collections.Counter()
        for row in stalls["instructions"]:
            sums.update(row["warp_stalls"])
        self.assertEqual(sums, {reason: cycles for reason, cycles in result["total"]["timing"]["warp_stalls"].items() if cycles})

    def test_what_was_executed_issues(self):
        """Loops, guards, lanes that part, barriers: the timed engine issues each instruction as often as the executor did, makes the accesses of the fixed
        order, and accounts for every cycle of every warp once."""
        for name in ("search_sorted", "flow", "bfs", "reduction", "conv2d", "histogram"):
            with self.subTest(kernel=name):
                run("trace-kernel", KERNELS / name / f"{name}.cu", "--size", "small", "--machine=sm_90", "-o", "k.wtrace", folder=self.folder)
                fixed = self.simulated("k.wtrace")["total"]
                run("cachesim", "timed", "k.wtrace", "--gpu", "h100", "--json", "k.json", folder=self.folder)
                result = json.loads((self.folder / "k.json").read_text())
                timed = result["total"]
                own = timed["timing"]
                self.issued_where_executed(result, "k.wtrace")
                self.assertEqual(own["warp_instructions"], fixed["profiler"]["ncu"]["smsp__inst_executed.sum"])
                self.assertEqual(own["warp_stalls"]["selected"], own["warp_instructions"])
                # Warps of a work-group start one after the other; from its start on they count as resident.
                self.assertLess(abs(sum(own["warp_stalls"].values()) / own["resident_warp_cycles"] - 1), 0.02)
                for kind in ("load", "store", "atomic"):
                    for counter in ("requests", "transactions", "lanes"):
                        self.assertEqual(timed[kind][counter], fixed[kind][counter])
                for kind in ("load", "store"):
                    own, other = (total["outside_l1"]["local"][kind] for total in (timed, fixed))
                    self.assertEqual((own["requests"], own["lanes"]), (other["requests"], other["lanes"]))

    def test_widths_and_guards(self):
        """By hand: of 128 work-items 28 end before they load, as nvcc orders it. 4 warps load float4 at once, 100 · 16 bytes = 50 sectors; they store 400
        bytes = 12.5 sectors."""
        (self.folder / "k.cu").write_text("__global__ void k(const float4 *in, float *out, int n) {\n"
                                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float4 v = in[i];\n"
                                          "  if (i < n) out[i] = v.x + v.y + v.z + v.w;\n}\n")
        words = ("k.cu", "--grid", 1, "--block", 128, "--arg", "in=count=128", "--arg", "out=count=128", "--arg", "n=100")
        for architecture in ("sm_80", "sm_90"):
            run("trace-kernel", *words, f"--machine={architecture}", "-o", "k.wtrace", folder=self.folder)
            total = self.simulated("k.wtrace")["total"]
            self.assertEqual((total["load"]["requests"], total["load"]["transactions"]), (4, 50))
            self.assertEqual((total["store"]["requests"], total["store"]["transactions"]), (4, 13))

    def test_instructions_are_counted(self):
        """Without guards each warp that issues a load makes a request, and a lane an access; everything adds up to what trace-kernel says."""
        words = [KERNELS / "mm" / "mm.cu", "--size", "small", "--machine=sm_90", "-o", "mm.wtrace"]
        said = run("trace-kernel", *words, folder=self.folder).stderr
        shown = json.loads(run("trace-view", "--instructions", "--json", "mm.wtrace", folder=self.folder).stdout)
        code = shown["launches"][0]["machine_code"]["instructions"]
        self.assertIn(f"{sum(one['warps'] for one in code)} instructions of warps", said)
        run("cachesim", "mm.wtrace", "--gpu", "h100", "--json", "result.json", folder=self.folder)
        total = json.loads((self.folder / "result.json").read_text())["total"]
        ncu = total["profiler"]["ncu"]
        self.assertEqual(ncu["smsp__inst_executed.sum"], sum(one["warps"] for one in code))
        self.assertEqual(ncu["smsp__inst_executed.sum"], sum(count for name, count in ncu.items() if "_inst_executed_pipe_" in name))  # each has one
        loads = [one for one in code if one["text"].startswith("LDG")]
        self.assertEqual(sum(one["warps"] for one in loads), total["load"]["requests"])
        self.assertEqual(sum(one["guarded"] for one in loads), total["load"]["lanes"])
        self.assertEqual(ncu["smsp__inst_executed_op_global_ld.sum"], total["load"]["requests"])
        # By hand: 32 multiply-adds per result, of 1,024 results.
        self.assertEqual(ncu["smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"], 32 * 1024)
        run("cachesim", "timed", "mm.wtrace", "--gpu", "h100", "--json", "timed.json", folder=self.folder)
        timed = json.loads((self.folder / "timed.json").read_text())["total"]["profiler"]["ncu"]
        executed = [name for name in ncu if "inst_executed" in name]
        self.assertEqual([timed.get(name) for name in executed], [ncu[name] for name in executed])
        text = run("trace-view", "--instructions", "mm.wtrace", folder=self.folder).stdout
        self.assertIn("EXIT", text)
        run("trace-kernel", KERNELS / "mm" / "mm.cu", "--size", "small", "-o", "source.wtrace", folder=self.folder)
        self.assertIn("no machine code: expected a capture made with trace-kernel --machine",
                      run("trace-view", "--instructions", "source.wtrace", folder=self.folder).stdout)

    def test_parts(self):
        """Work-groups that are not recorded change nothing, whether they run or not. Two parts are the whole, instruction by instruction."""
        words = [KERNELS / "spmv_csr" / "spmv_csr.cu", "--size", "small", "--machine=sm_90"]
        counted = []
        for part in ((), ("--work-groups", "0,2-3"), ("--work-groups", "0,2-3", "--skip-others"), ("--work-groups", "1", "--skip-others")):
            run("trace-kernel", *words, *part, "-o", "k.wtrace", folder=self.folder)
            run("trace-check", "k.wtrace", folder=self.folder)
            code = json.loads(run("trace-view", "--instructions", "--json", "k.wtrace", folder=self.folder).stdout)["launches"][0]["machine_code"]
            counted.append(([[one[key] for key in ("warps", "lanes", "guarded")] for one in code["instructions"]], self.simulated("k.wtrace")["total"]))
        (whole, _), others, skipped, (one, _) = counted
        self.assertEqual(others, skipped)
        self.assertGreater(sum(warps for warps, _, _ in one), 0)
        self.assertEqual(whole, [[sum(values) for values in zip(*pair)] for pair in zip(others[0], one)])
        self.assertEqual(skipped[1]["profiler"]["ncu"]["smsp__inst_executed.sum"], sum(warps for warps, _, _ in skipped[0]))

    def test_a_barrier_behind_a_guard(self):
        """Lanes whose guard does not hold make no barrier: 16 of 64 make one."""
        (self.folder / "k.cu").write_text("__global__ void k(int *out) {\n  __shared__ int a[64];\n  a[threadIdx.x] = threadIdx.x;\n"
                                          "  if (threadIdx.x < 16) __syncthreads();\n  out[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x];\n}\n")
        run("trace-kernel", "k.cu", "--machine=sm_90", "--grid", 2, "--block", 64, "--arg", "out=count=128", "-o", "k.wtrace", folder=self.folder)
        run("trace-check", "k.wtrace", folder=self.folder)
        run("warpsched", "k.wtrace", "--self-check", "-o", "k.wstream", folder=self.folder)
        result = self.simulated("k.wtrace")["total"]
        self.assertEqual(result["store"]["lanes"], 128)
        launch = json.loads(run("trace-view", "--summary", "--json", "k.wtrace", folder=self.folder).stdout)["launches"][0]
        self.assertEqual(launch["barriers"], 2 * 16)

    def test_other_work_groups_need_another_capture(self):
        """Nor does anything guess what a compiler did to its loops."""
        words = ("k.cu", "--machine=sm_90", "--grid", 8, "--block", 256, "--arg", "in=count=262144", "--arg", "out=count=2048")
        (self.folder / "k.cu").write_text("__global__ void k(const int *in, int *out) {\n  int at = blockIdx.x * 256 + threadIdx.x, sum = 0;\n"
                                          "  for (int i = 0; i < 128; ++i) sum += in[i * 2048 + at];\n  out[at] = sum;\n}\n")
        run("warpscope", *words, "--gpu", "h100", "--no-plots", "-o", "out", folder=self.folder)  # advice would try other work-groups
        self.assertIn("machine code", json.loads((self.folder / "out" / "result.json").read_text())["unrolled"]["why_not"])
        said = run("warpscope", "what-if", "out/k.wtrace", "--work-group", 128, "--gpu", "h100", folder=self.folder, status=2).stderr
        self.assertIn("--work-group 128: its machine code was executed", said)
        self.assertIn("trace-kernel --block", said)

    def test_others_do_not_run(self):
        """Work-group 2 writes behind the end."""
        (self.folder / "k.cu").write_text("__global__ void k(int *out) {\n  out[(blockIdx.x == 2 ? 4096 : 0) + blockIdx.x * 64 + threadIdx.x] = 1;\n}\n")
        words = ("k.cu", "--machine=sm_90", "--grid", 4, "--block", 64, "--arg", "out=count=256", "--work-groups", "0,3", "-o", "k.wtrace")
        self.assertIn("behind the end", run("trace-kernel", *words, folder=self.folder, status=3).stderr)
        said = run("trace-kernel", *words, "--skip-others", folder=self.folder).stderr
        self.assertIn("work-groups", said)
        self.assertEqual(self.simulated("k.wtrace")["total"]["store"]["lanes"], 128)

    def test_replay_is_what_was_executed(self):
        """A loop that is entered in its middle: lanes meet where BSYNC says so, not where all their ways do. The capture's hashes are of the execution."""
        for name in ("flow", "bfs"):
            run("trace-kernel", KERNELS / name / f"{name}.cu", "--size", "small", "--machine=sm_90", "-o", "k.wtrace", folder=self.folder)
            run("trace-check", "k.wtrace", folder=self.folder)
            run("warpsched", "k.wtrace", "--self-check", "-o", "k.wstream", folder=self.folder)
            code = json.loads(run("trace-view", "--instructions", "--json", "k.wtrace", folder=self.folder).stdout)["launches"][0]["machine_code"]["instructions"]
            loads = sum(one["warps"] for one in code if one["text"].startswith("LDG"))  # guarded ones are "@P0 LDG"
            guarded = sum(one["warps"] for one in code if one["text"].startswith("@") and " LDG" in one["text"])
            requests = self.simulated("k.wtrace")["total"]["load"]["requests"]
            self.assertLessEqual(loads, requests)
            self.assertLessEqual(requests, loads + guarded)
        said = run("warpsched", "k.wtrace", "--warp-size", 16, "-o", "k.wstream", folder=self.folder, status=2).stderr
        self.assertIn("is of machine code, whose warps have 32 lanes", said)
        for option in (("--formation", "dynamic"), ("--reconvergence", "loops")):
            said = run("warpsched", "k.wtrace", *option, "-o", "refused.wstream", folder=self.folder, status=2).stderr
            self.assertIn(f"{option[0]}: launch 0 is of machine code, which says itself where its lanes meet", said)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertFalse((self.folder / "refused.wstream").exists())

    def test_summary_says_whose_code_it_is(self):
        shown = run("warpscope", KERNELS / "mm" / "mm.cu", "--size", "small", "--machine", "--gpu", "a100", folder=self.folder).stdout
        self.assertRegex(shown.splitlines()[2], r"^machine code: sm_80, nvcc [0-9.]+, with -lineinfo$")

    def test_counters_of_instructions(self):
        """By hand, of a transposition of 32 x 32 by one block of 32 x 8: each of 8 warps makes four loads of 4 sectors, and four stores to a column of the tile without
        padding, 32 wavefronts each where one would do; those of global memory go to 32 lines of the output where 4 sectors would do."""
        (self.folder / "k.cu").write_text("__global__ void k(const float *in, float *out) {\n  __shared__ float tile[32][32];\n  const int x = threadIdx.x, y = threadIdx.y;\n"
                                          "  for (int k = 0; k < 32; k += 8) tile[x][y + k] = in[(y + k) * 32 + x];\n  __syncthreads();\n"
                                          "  for (int k = 0; k < 32; k += 8) out[x * 32 + y + k] = tile[x][y + k];\n}\n")
        words = ("k.cu", "--grid", 1, "--block", "32,8", "--arg", "in=count=1024", "--arg", "out=count=1024", "--machine", "--gpu", "h100", "--no-plots", "-o", "r", "--advice-budget", 0)
        run("warpscope", *words, folder=self.folder)
        result = json.loads((self.folder / "r" / "result.json").read_text())
        (code,) = result["instructions"]
        self.assertEqual((code["kernel"], code["architecture"], code["launch"]), ("k", 90, 0))
        of_line = {4: {}, 6: {}}
        for one in code["instructions"]:
            for name, value in one.items():
                if name.startswith("memory_") and one["line"] in of_line:
                    of_line[one["line"]][name] = of_line[one["line"]].get(name, 0) + value
        self.assertEqual(of_line[4], {"memory_l1_tag_requests_global": 32, "memory_l2_theoretical_sectors_global": 128, "memory_l2_theoretical_sectors_global_ideal": 128,
                                      "memory_l1_wavefronts_shared": 1024, "memory_l1_wavefronts_shared_ideal": 32})
        self.assertEqual(of_line[6], {"memory_l1_tag_requests_global": 32, "memory_l2_theoretical_sectors_global": 1024, "memory_l2_theoretical_sectors_global_ideal": 128,
                                      "memory_l1_wavefronts_shared": 1024, "memory_l1_wavefronts_shared_ideal": 32})
        self.assertEqual({one["inst_executed"] for one in code["instructions"] if one["kind"] in ("global_load", "shared_store")}, {8})
        self.assertEqual(sum(one["inst_executed"] for one in code["instructions"]), result["total"]["profiler"]["ncu"]["smsp__inst_executed.sum"])
        exported = run("warpscope", "export", "r/k.wtrace", "--gpu", "h100", "--clock", "fixed", "--format", "csv", folder=self.folder).stdout
        self.assertEqual(sum(float(row.split(",")[-2]) for row in exported.splitlines() if ",memory_l1_wavefronts_shared," in row), 2048)
        page = (self.folder / "r" / "report.html").read_text()
        self.assertIn('"memory_l1_wavefronts_shared_ideal"', page)

    def test_padding_equals_the_padded_source(self):
        """Bank conflicts of what-if --pad on machine code are those of the machine code of the source with longer rows."""
        source = (KERNELS / "mt_tiled" / "mt_tiled.cu").read_text()
        (self.folder / "padded.cu").write_text(source.replace("tile[TILE][TILE]", "tile[TILE][TILE + 1]"))
        launch = ("--launch-file", KERNELS / "mt_tiled" / "mt_tiled.launch", "--size", "small", "--machine=sm_75")
        run("trace-kernel", KERNELS / "mt_tiled" / "mt_tiled.cu", *launch, "-o", "k.wtrace", folder=self.folder)
        run("trace-kernel", "padded.cu", *launch, "-o", "padded.wtrace", folder=self.folder)
        run("warpscope", "what-if", "k.wtrace", "--pad", "tile=+1", "--gpu", "t4", "--clock", "fixed", "-o", "changed.wtrace", folder=self.folder)
        found = [self.simulated(capture, "t4")["total"]["outside_l1"]["local"] for capture in ("k.wtrace", "changed.wtrace", "padded.wtrace")]
        self.assertEqual(found[1], found[2])
        self.assertGreater(found[0]["load"]["conflicts"], found[1]["load"]["conflicts"])

    def test_ctrl_c_within_a_work_group(self):
        (self.folder / "k.cu").write_text("__global__ void k(float *a, int n) {\n  float s = 0;\n  for (int i = 0; i < n; ++i) s = s * 1.5f + a[(i + threadIdx.x) & 1023];\n"
                                          "  a[threadIdx.x] = s;\n}\n")
        words = ["k.cu", "--machine", "--grid", "1", "--block", "32", "--arg", "a=count=1024", "--arg", "n=2000000000", "-o", "k.wtrace"]
        running = subprocess.Popen([BIN / "trace-kernel", *words], cwd=self.folder, stderr=subprocess.PIPE, text=True, env={**os.environ, "WARPSCOPE_CACHE": ""})
        while not list(self.folder.glob("k.wtrace.part")) and running.poll() is None:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGINT, said)
        self.assertIn("interrupted after 0 of 1 work-groups", said)

    def test_another_program(self):
        """Results of two compilers are of two programs; a baseline has to be of the same."""
        for option, name in (((), "source"), (("--machine=sm_90",), "machine"), (("--machine=sm_80",), "older")):
            run("trace-kernel", KERNELS / "mm" / "mm.cu", "--size", "small", *option, "-o", f"{name}.wtrace", folder=self.folder)
        said = run("warpscope", "diff", "source.wtrace", "machine.wtrace", "--gpu", "h100", "--clock", "fixed", folder=self.folder).stdout
        self.assertIn("Another program: compiled by Warpscope's clang -> machine code: sm_90, nvcc\n", said)
        said = run("warpscope", "diff", "older.wtrace", "machine.wtrace", "--gpu", "h100", "--clock", "fixed", folder=self.folder).stdout
        self.assertIn("Another program: machine code: sm_80, nvcc -> machine code: sm_90, nvcc\n", said)
        self.assertNotIn("Another program", run("warpscope", "diff", "older.wtrace", "older.wtrace", "--gpu", "h100", "--clock", "fixed", folder=self.folder).stdout)
        words = ("--gpu", "h100", "--clock", "fixed", "--no-plots", "--advice-budget", 0)
        run("warpscope", "source.wtrace", *words, "-o", "source", folder=self.folder)
        done = run("warpscope", "machine.wtrace", *words, "-o", "machine", "--baseline", "source/result.json", folder=self.folder, status=2)
        self.assertIn("program: compiled by Warpscope's clang, and machine code: sm_90, nvcc here", done.stderr)

    def test_the_command_for_machine_code_is_proposed(self):
        """On standard error, where the compiler is: no answer depends on it."""
        words = [KERNELS / "mm" / "mm.cu", "--size", "small", "--clock", "fixed", "--no-plots", "--advice-budget", 0]
        done = run("warpscope", *words, "-o", "r", folder=self.folder)
        self.assertEqual(done.stderr.splitlines()[-1], f"nvcc was found; for the GPU's own instructions: warpscope {' '.join(map(str, words))} -o r --machine")
        self.assertIn("\ncompiled by Warpscope's clang: instructions and registers are estimates\n", done.stdout)
        for more in (["--machine"], ["--gpu", "gtx1080"]):
            self.assertNotIn("was found", run("warpscope", *words, *more, "-o", "r", folder=self.folder).stderr)

    def test_what_a_kernel_does_wrong_is_named(self):
        (self.folder / "k.cu").write_text("__global__ void k(int *out) {\n  out[threadIdx.x * 64] = 1;\n}\n"
                                          "__global__ void wait(volatile int *out) {\n  while (out[0] == 0)\n    ;\n  out[1] = 1;\n}\n")
        said = run("trace-kernel", "k.cu", "--machine", "--kernel", "k", "--grid", 1, "--block", 32, "--arg", "out=count=1024", "-o", "k.wtrace",
                   folder=self.folder, status=3).stderr
        self.assertIn("work-item (16, 0, 0)", said)
        self.assertIn("behind the end of buffer 1 (4096 bytes)", said)
        self.assertFalse((self.folder / "k.wtrace").exists())
        said = run("trace-kernel", "k.cu", "--machine", "sm_90", "--kernel", "wait", "--grid", 2, "--block", 32, "--arg", "out=count=64", "-o", "k.wtrace",
                   folder=self.folder, status=3).stderr
        self.assertRegex(said, r"does not go on; work-group \d: warp 0, lanes 0xffffffff read an unchanged value in a loop at '.*LDG.*' \(k\.cu:5\); work-group")


class Refused(WithFolder):
    def test_options(self):
        (self.folder / "k.cl").write_text("kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n")
        for words, message in ((("--machine", "--verify"), "--machine: not together with --verify"), (("--machine=sm_60",), "expected sm_70 to sm_90"),
                               (("--machine=nonsense",), "--machine nonsense: expected sm_NN"), (("--machine", "--offset", "1"), "--machine: not together with --offset")):
            done = run("trace-kernel", "k.cl", "--global", 64, "--arg", "a=count=64", *words, folder=self.folder, status=2)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
