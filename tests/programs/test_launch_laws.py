"""Programs with several launches: what is counted of the whole is the sum of its launches, and the same from the capture as from
its stream, in one thread as in two, alone as in a sweep, and in the timed engine where it plays the fixed order."""
import csv
import json
import pathlib
import sys
import unittest

from support import BIN, SOURCE, TEST_BIN, ProgramTest
from support import load_third as load_tests  # noqa: F401

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
import generate  # noqa: E402  (with the other tests of random programs)

HOST = TEST_BIN / "programs_host"
KINDS = ("load", "store", "atomic")
# A preset for every coalescing rule, and the rule of Crawford 2014 with random replacement.
MACHINES = [("--preset", name) for name in ("8800gtx", "gtx280", "gtx480", "k40", "gtx980", "v100")]
MACHINES.append(("4", "128", "2", "Rand", "WBWA", "--coalescing", "crawford", "--cores", "3"))


def counters(part):
    """Every counter of a part of a result by the names that lead to it, but those that do not add up."""
    found = {}
    for name, value in part.items():
        if isinstance(value, dict) and name != "spread":
            found |= {(name, *rest): count for rest, count in counters(value).items()}
        elif isinstance(value, int) and not isinstance(value, bool) and name not in ("max_degree", "launch", "l1_kib", "carveout_kib"):
            found[(name,)] = value
    return found


# Not known (null) where a load bypasses the L1 and stages are not counted: then the sum is not known either.
READS = ("l1_to_l2_read_sectors", "lts__t_sectors_op_read.sum", "l2_l1_read_transactions", "l2_tex_read_transactions")


def added(parts):
    parts = list(parts)
    total = {}
    for part in parts:
        for name, count in counters(part).items():
            total[name] = total.get(name, 0) + count
    unknown = READS if any(part.get(READS[0], 0) is None for part in parts) else ()
    for name in ("gld_transactions", "gst_transactions", "l2_tex_write_transactions"):
        if any(name not in ((part.get("profiler") or {}).get("nvprof") or {}) for part in parts):
            unknown += (name,)  # Maxwell and Pascal, where private memory is used
    return {name: count for name, count in total.items() if count != 0 and name[-1] not in unknown}


def without_time(total):
    """Of the timed engine: cycles depend on what ran before in other ways than counters do."""
    memory = total.pop("timing")["memory"]
    return {**total, "memory": {name: value for name, value in memory.items() if isinstance(value, int)}}


def outcomes(part):
    """What both clocks count."""
    names = ("requests", "lanes", "transactions", "hits", "hits_pending", "sector_misses", "misses", "bypasses")
    return [part[kind][name] for kind in KINDS for name in names] + [part["evictions"], part["write_backs"]]


class Sums(ProgramTest):
    PROGRAM = """\
import hashlib, sys
import numpy, pyopencl
context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
source = "__kernel void dots(__global const float* a, __global const float* b, __global float* c, int n) {" \\
         " int i = get_global_id(0); float s = 0; for (int k = 0; k < n; k++) s += a[i * n + k] * b[k]; c[i] = s; }"
a, b, c = numpy.random.default_rng(3).random(128 * 50, numpy.float32), numpy.linspace(0, 1, 50, dtype=numpy.float32), numpy.zeros(128, numpy.float32)
buffers = [pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=numbers) for numbers in (a, b, c)]
pyopencl.Program(context, source).build(sys.argv[1:]).dots(queue, (128,), (64,), *buffers, numpy.int32(50))
pyopencl.enqueue_copy(queue, c, buffers[2])
print(hashlib.sha1(c.tobytes()).hexdigest())
"""

    def test_are_the_same_to_the_last_bit_or_a_line_says_that_they_may_not_be(self):
        (self.folder / "dots.py").write_text(self.PROGRAM)
        for option in ("", "-cl-mad-enable", "-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"):
            command = ("/usr/bin/python3", "dots.py", *option.split())
            plain, traced = self.plain(*command), self.traced(*command)
            relaxed = option.startswith(("-cl-fast", "-cl-unsafe"))
            self.assertEqual("may differ in the last bits" in traced.stderr, relaxed, (option, traced.stderr))
            if not relaxed:
                self.assertEqual(plain.stdout, traced.stdout, option)


class LaunchLaws(ProgramTest):
    def result(self, *words):
        done = self.plain(BIN / "cachesim", *words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_sum(self, words, launches, total=lambda result: result["total"]):
        """Whole = sum of the launches; returns the whole."""
        whole = self.result(*words)
        alone = [self.result(*words, "--launch", launch) for launch in range(launches)]
        self.assertEqual(added(map(total, alone)), added([total(whole)]))
        return whole

    def check_machine(self, machine, launches):
        words = ("x.wtrace", *machine)
        whole = self.assert_sum((*words, "--threads", "1"), launches)
        self.assertEqual(added(whole["launches"]), added([whole["total"]]))
        two = self.result(*words, "--threads", "2")
        self.assertEqual({**two, "context": None}, {**whole, "context": None})
        schedule = machine[-2:]  # --preset or --cores
        done = self.plain(BIN / "warpsched", "x.wtrace", "--policy", "warp", *schedule, "-o", "x.wsched")
        self.assertEqual(done.returncode, 0, done.stderr)
        stream = self.result("x.wsched", *(machine if machine[0] == "--preset" else machine[:-2]))
        self.assertEqual(added([stream["total"]]), added([whole["total"]]))

    def check_timed(self, preset, launches):
        words = ("x.wtrace", "--preset", preset)
        whole, fixed = self.result(*words), self.result("timed", *words, "--set", "ideal=fixed-order")
        for name in ("launches", "cores", "sites", "buffers"):
            self.assertEqual([outcomes(part) for part in fixed[name]], [outcomes(part) for part in whole[name]], name)
        self.assertEqual(outcomes(fixed["total"]), outcomes(whole["total"]))
        self.assert_sum(("timed", *words, "--set", "l2_keeps_content=false"), launches, lambda result: without_time(result["total"]))

    def check_program(self, *program):
        done = self.traced(*program)
        self.assertEqual(done.returncode, 0, done.stderr)
        launches = len(self.launches())
        self.assertGreater(launches, 1)
        for machine in MACHINES:
            with self.subTest(program=program[1], machine=machine):
                self.check_machine(machine, launches)
        for preset in ("gtx480", "v100"):
            with self.subTest(program=program[1], timed=preset):
                self.check_timed(preset, launches)

    def test_programs_of_ours(self):
        self.check_program(HOST, "rows_and_columns")
        self.check_program(HOST, "sub_buffers")
        self.check_program(HOST, "offsets_and_tasks")
        self.check_program(HOST, "constructs", SOURCE / "tests" / "programs" / "constructs.cl")

    @unittest.skipUnless((TEST_BIN / "fuzz_host").exists(), "needs the target fuzz_host")
    def test_a_random_program(self):
        (self.folder / "program.cl").write_text(generate.program(13, 8), encoding="ascii")
        self.check_program(TEST_BIN / "fuzz_host", "program.cl", "left.bin")


class RowsAndColumns(ProgramTest):
    """64 work-items in groups of 32 read a matrix of 64 x 64 ints, first along its rows, then along its columns: 2 warps times 64
    loads. 32 rows are 32 lines; 32 neighbours are one line of 128 bytes or four sectors."""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.traced(HOST, "rows_and_columns").returncode, 0)

    def transactions(self, *words):
        done = self.plain(BIN / "cachesim", *words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [launch["load"]["transactions"] for launch in json.loads(done.stdout)["launches"]]

    def test_every_reader_counts_the_second_kernel_by_its_own_lanes(self):
        for preset, columns in (("gtx480", 128), ("v100", 4 * 128)):
            self.assertEqual(self.transactions("x.wtrace", "--preset", preset), [32 * 128, columns])
            self.assertEqual(self.transactions("timed", "x.wtrace", "--preset", preset), [32 * 128, columns])
        self.plain(BIN / "cachesim", "coalesce", "x.wtrace", "--preset", "gtx480", "-o", "x.wtxn", check=True)
        self.assertEqual(self.transactions("x.wtxn", "16", "128", "4", "LRU", "WTNA"), [32 * 128, 128])

    def test_a_sweep_and_the_generations_count_both(self):
        self.plain(BIN / "cachesim", "sweep", "x.wtrace", "--ways", "4", "--sets", "32", "--csv", "x.csv", check=True)
        with open(self.folder / "x.csv", encoding="ascii") as file:
            (cell,) = csv.DictReader(file)
        self.assertEqual(int(cell["load_hits"]) + int(cell["load_misses"]), 32 * 128 + 128)
        self.plain(BIN / "cachesim", "x.wtrace", "--compare-generations", "--generations", "gtx480,v100", "--json", "x.json",
                   check=True)
        generations = json.loads((self.folder / "x.json").read_text())["generations"]
        self.assertEqual([one["load"]["transactions"] for one in generations], [32 * 128 + 128, 32 * 128 + 512])


if __name__ == "__main__":
    unittest.main()
