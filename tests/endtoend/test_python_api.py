"""import warpscope: the numbers of the commands, byte by byte; data frames that add up; addresses by arithmetic; errors."""
import contextlib
import doctest
import os
import pathlib
import pkgutil
import shutil
import subprocess
import sys
import unittest
import warnings

from support import KINDS, SOURCE, ToolTest, kernel

sys.path.insert(0, str(SOURCE / "python"))

import numpy  # noqa: E402

import warpscope  # noqa: E402

N = 64  # mm multiplies N x N matrices; TILE x TILE work-items in a group
TILE = 16
BASE = 0x10000000


class OneCapture(ToolTest):
    """A multiplication, captured once."""

    @classmethod
    def setUpClass(cls):
        cls.capture = warpscope.capture(kernel("mm"), global_size=(N, N), local_size=(TILE, TILE))

    def json_of(self, *words):
        return self.run_tool("cachesim", *words, "--json", "-").decode()


class SameAsTheCommands(OneCapture):
    def test_a_capture_is_the_commands(self):
        self.run_tool("trace-kernel", kernel("mm"), "--global", f"{N},{N}", "--local", f"{TILE},{TILE}", "-o", "mm.wtrace")
        self.assertEqual((self.folder / "mm.wtrace").read_bytes(), self.capture.path.read_bytes())
        kept = warpscope.capture(kernel("mm"), size="small", output=self.folder / "kept.wtrace")
        self.assertEqual(kept.summary()["launches"][0]["work_items"], 32 * 32)

    def test_simulations(self):
        path = self.capture.path
        self.assertEqual(self.capture.simulate(gpu="h100", settings={"l1_size_kib": 64}, policy="rr").text,
                         self.json_of(path, "--gpu", "h100", "--set", "l1_size_kib=64", "--policy", "rr"))
        timed = self.capture.timed(gpu="v100", options=["--warp-scheduler", "lrr"])
        self.assertEqual(timed.text, self.json_of("timed", path, "--gpu", "v100", "--warp-scheduler", "lrr"))
        self.assertEqual(timed.cycles, timed["total"]["timing"]["cycles"])

    def test_a_cell_of_a_sweep_is_the_single_simulation(self):
        sweep = self.capture.sweep(gpu="gtx480", ways=(1, 4), sets=32, index="linear")
        cell = sweep.cells().query("ways == 4").iloc[0]
        alone = warpscope.simulate(self.capture, gpu="gtx480", settings={"l1_size_kib": 16, "l1_ways": 4, "l1_set_index": "linear"})
        self.assertEqual((cell["load.hits"], cell["load.misses"]), (alone.total["load"]["hits"], alone.total["load"]["misses"]))
        self.assertGreater(alone.total["load"]["misses"], 0)

    def test_a_what_if_is_the_command(self):
        done = self.call("warpscope", "what-if", self.capture.path, "--groups", "tile:2x2", "--set", "l1_size_kib=48", "--gpu", "gtx480",
                         "--json", "-")
        comparison = self.capture.what_if("groups tile:2x2", settings={"l1_size_kib": 48}, gpu="gtx480")
        self.assertEqual(comparison.text, done.stdout.decode())
        fixed = comparison.fixed()
        self.assertEqual(fixed.loc["requests", "before"], 2 * N**3 / 32 + N * N / 32)
        self.assertAlmostEqual(comparison.speedup, comparison.timed().loc["cycles", "before"] / comparison.timed().loc["cycles", "after"])

    def test_a_model_is_the_command(self):
        done = self.call("warpscope", "model", "--model", "roofline", "--gpu", "k40", self.capture.path, "--json", "-")
        prediction = self.capture.model(gpu="k40")
        self.assertEqual(prediction.text, done.stdout.decode())
        self.assertEqual(prediction.inputs().loc["flops", "value"], 2 * N**3)


class Frames(OneCapture):
    def test_parts_add_up_to_the_total(self):
        result = self.capture.simulate(gpu="gtx480", reuse_histogram=True)
        counters = result.counters()
        for frame in (result.launches(), result.cores(), result.sites(), result.buffers()):
            for kind in KINDS:
                for counter in ("requests", "lanes", "transactions", "hits", "misses", "bypasses"):
                    self.assertEqual(frame[f"{kind}.{counter}"].sum(), counters.loc[kind, counter], (kind, counter))
        self.assertEqual(counters.loc["load", "lanes"], 2 * N**3)
        bins = result.reuse_histogram()
        cold = result["reuse_histogram"]["cold"]["load"]
        self.assertEqual(bins["load"].sum() + cold, counters.loc["load", "transactions"])
        sets = result.sets()
        self.assertEqual(sets["transactions"].sum(), counters["transactions"].sum())
        self.assertEqual(list(result.sites()["line"]), [6, 6, 7])

    def test_a_result_of_before(self):
        result = self.capture.simulate(gpu="gtx480")
        result.save(self.folder / "result.json")
        again = warpscope.load(self.folder / "result.json")
        self.assertEqual((type(again), again.text), (warpscope.Result, result.text))
        self.assertAlmostEqual(again.l1_hit_rate, again.total["load"]["hits"] / again.total["load"]["transactions"])

    def test_a_notebook_shows_them(self):
        result = self.capture.simulate(gpu="gtx480", reuse_histogram=True)
        self.assertIn("mm, 64×64 work-items", result._repr_html_())
        for plot in (result.plot("miss_classes"), result.plot("reuse_distance"), self.capture.plot(limit=2000)):
            self.assertIn("data:image/png;base64,", plot._repr_html_())
        self.assertEqual(result.plot().png(), result.plot().png())
        self.assertEqual(result.plot().png()[:4], b"\x89PNG")


class Programs(ToolTest):
    def test_a_program_sees_the_gpu(self):
        app = self.folder / "app.py"
        app.write_text("import pyopencl as cl\n"
                       "context = cl.create_some_context(False)\n"
                       "queue = cl.CommandQueue(context)\n"
                       "program = cl.Program(context, 'kernel void seen(global uint *a, uint cores) { a[get_global_id(0)] = cores; }').build()\n"
                       "buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, 256)\n"
                       "program.seen(queue, (64,), None, buffer, __import__('numpy').uint32(context.devices[0].max_compute_units))\n"
                       "queue.finish()\n")
        for gpu, cores in (("gtx1080", 20), ("h100", 132)):
            summary = warpscope.capture_program(["/usr/bin/python3", app], gpu=gpu).summary()
            self.assertEqual(summary["file"]["device_like"], gpu)
            self.assertEqual(summary["launches"][0]["arguments"][1]["value"], str(cores))
        self.assertEqual(warpscope.capture_program(["/usr/bin/python3", app]).summary()["file"]["device_like"], "common")


class Addresses(OneCapture):
    def test_by_arithmetic(self):
        accesses = self.capture.addresses(gpu="gtx480")
        self.assertTrue(accesses.complete)
        self.assertEqual(len(accesses), 2 * N**3 + N * N)
        lane = numpy.arange(32)  # of warp 0 of group 0: two rows of 16; A[row * N], then B[column]
        numpy.testing.assert_array_equal(accesses.address[:32], BASE + 4 * N * (lane // TILE))
        of_warp = (accesses.group == 0) & (accesses.warp == 0)
        numpy.testing.assert_array_equal(accesses.address[of_warp][32:64], BASE + 4 * N * N + 4 * (lane % TILE))
        last = (accesses.group == 15) & (accesses.warp == 7)  # the lowest two rows of the last group
        numpy.testing.assert_array_equal(accesses.address[last][:32], BASE + 4 * N * (N - 2 + lane // TILE))
        for site, times in ((0, N), (1, N), (2, 1)):  # each element of A and B is read N times, each of C written once
            element = (accesses.address[accesses.site == site] - BASE) // 4 - site * N * N
            numpy.testing.assert_array_equal(numpy.bincount(element), numpy.full(N * N, times))
        numpy.testing.assert_array_equal(accesses.is_write, accesses.site == 2)
        self.assertEqual(len(accesses.frame()), len(accesses))

    def test_no_more_than_asked_for(self):
        few, all_of_them = self.capture.addresses(limit=100), self.capture.addresses()
        self.assertFalse(few.complete)
        numpy.testing.assert_array_equal(few.address, all_of_them.address[:100])
        with self.assertRaisesRegex(warpscope.InputError, "limit 0, expected 1 to 10,000,000"):
            self.capture.addresses(limit=0)


class Errors(OneCapture):
    def test_are_the_programs_line(self):
        for call, said in ((lambda: self.capture.simulate(gpu="none"), "cachesim: --gpu none: unknown GPU, expected one of "),
                           (lambda: self.capture.addresses(launch=3), "warpsched: --launch 3: no such launch"),
                           (lambda: self.capture.what_if("pad tile=+1"), "trace-change: --pad tile=.1: the capture has no object 'tile'"),
                           (lambda: self.capture.model(model="no"), "warpscope: --model no, expected one of"),
                           (lambda: warpscope.Capture("missing.wtrace"), "missing.wtrace: no such file, expected a capture"),
                           (lambda: self.capture.simulate(gpu="gtx480").plot("x"), "plot 'x', expected one of miss_classes"),
                           (lambda: warpscope.capture(kernel("fmm_ulist"), size="small", defines={"SHMEM": 0, "TRANS": 1}),
                            r"does not compile: .*:12:2: error: .TRANS: expected with SHMEM=1 only")):
            with self.subTest(said), self.assertRaisesRegex(warpscope.InputError, said) as raised:
                call()
            self.assertEqual((raised.exception.status, str(raised.exception).count("\n")), (2, 0))

    def test_what_is_no_file_program_or_change_is_named(self):
        for call, said in ((lambda: warpscope.capture_program([]), r"^\[\]: expected a program and its arguments, such as "),
                           (lambda: warpscope.capture_program(None), "^None: expected a program"),
                           (lambda: warpscope.capture_program("true", gpu="none"), "--device-like none: "),
                           (lambda: warpscope.what_if(None), "^None: expected a capture, or the path of one$"),
                           (lambda: self.capture.what_if(None), "^None: expected a change as a text, such as 'pad tile=.1'$"),
                           (lambda: warpscope.simulate(3), "^3: expected a capture"),
                           (lambda: warpscope.Capture(None), "^None: expected a capture"),
                           (lambda: warpscope.capture(None), "^None: expected a kernel file"),
                           (lambda: warpscope.capture(kernel("mm"), args=["n=1"]), r"^args \['n=1'\]: expected names with their values"),
                           (lambda: warpscope.capture("-no.cl"), r"-no\.cl: "), (lambda: warpscope.Capture("-no"), "-no: no such file, expected a capture")):
            with self.subTest(said), self.assertRaisesRegex(warpscope.InputError, said):
                call()

    def test_names_that_begin_with_a_hyphen(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        pathlib.Path("-k.cl").write_text("kernel void k(global int* a, int n) { a[get_global_id(0)] = n; }")
        made = warpscope.capture("-k.cl", global_size=64, args={"n": 3}, output="-k.wtrace")
        self.assertEqual(made.simulate(gpu="gtx480").total["store"]["lanes"], 64)
        for source in ("-k.wtrace", pathlib.Path("-k.wtrace"), warpscope.Capture("-k.wtrace")):
            self.assertEqual(warpscope.simulate(source, gpu="h100").total["store"]["lanes"], 64)
        self.assertEqual(len(made.addresses(gpu="h100")), 64)
        self.assertGreater(len(made.what_if(settings={"l1_size_kib": 48}, gpu="gtx480", clock="fixed").fixed()), 0)

    def test_a_change_that_does_not_fit(self):
        transposition = warpscope.capture(kernel("mt_tiled"), size="small")
        with self.assertRaisesRegex(warpscope.ToolFailed, "does not fit the new layout of 'tile'") as raised:
            transposition.what_if("pitch tile=32:16")
        self.assertEqual(raised.exception.status, 3)

    def test_what_is_left_out_is_a_warning(self):
        self.run_tool("trace-kernel", kernel("mm"), "--global", "64,64", "--local", "64,16", "-o", "wide.wtrace")
        with warnings.catch_warnings(record=True) as said, self.assertRaisesRegex(warpscope.Error, "1024 work-items .*8800gtx allows 512"):
            warnings.simplefilter("always")
            warpscope.simulate(self.folder / "wide.wtrace", gpu="8800gtx")
        self.assertEqual([], said)

    def test_missing_modules_are_named_when_asked_for(self):
        script = ("import sys\nfor name in ('pandas', 'numpy', 'matplotlib'): sys.modules[name] = None\n"
                  f"import warpscope\nresult = warpscope.simulate({str(self.capture.path)!r}, gpu='gtx480')\n"
                  "print(result.total['load']['lanes'])\n"
                  "for ask in (result.sites, result.plot, lambda: warpscope.Capture(sys.argv[1]).addresses()):\n"
                  "    try: ask()\n    except warpscope.InputError as error: print(error)\n")
        done = subprocess.run([sys.executable, "-c", script, self.capture.path], cwd=SOURCE / "python", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], str(2 * N**3))
        for line, module in zip(lines[1:], ("pandas", "matplotlib", "numpy"), strict=True):
            self.assertRegex(line, f"needs the Python module {module}, expected the Debian package python3-{module}")


class Page(ToolTest):
    def test_the_example_gives_what_it_says(self):
        text = (SOURCE / "docs" / "tools" / "python.md").read_text(encoding="utf-8").split("## Functions")[0]
        for name in ("mm.cl", "mm.launch"):
            shutil.copy(SOURCE / "benchmarks" / "kernels" / "mm" / name, self.folder)
        self.enterContext(contextlib.chdir(self.folder))
        example = doctest.DocTestParser().get_doctest(text, {}, "python.md", None, 0)
        self.assertGreater(len(example.examples), 8)
        said = []
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=said.append)
        self.assertEqual(said, [])


class Names(unittest.TestCase):
    def test_no_module_has_the_name_of_a_function(self):
        """from warpscope import NAME gives the function then, where a program of the package wants its module."""
        modules = {module.name for module in pkgutil.iter_modules(warpscope.__path__)}
        self.assertEqual(modules & set(warpscope.__all__), set())

    def test_all_that_is_public_is_there_and_documented(self):
        for name in warpscope.__all__:
            self.assertTrue(getattr(warpscope, name).__doc__, name)
        self.assertIn("h100", warpscope.gpus())
        self.assertEqual(set(warpscope.gpus()), {path.stem for path in (SOURCE / "gpus").glob("*.json")})
        with self.assertRaises(AttributeError):
            getattr(warpscope, "no_such_name")

    def test_the_command_is_a_module_too(self):
        done = subprocess.run([sys.executable, "-m", "warpscope", "--version"], cwd=SOURCE / "python", capture_output=True, text=True)
        self.assertRegex(done.stdout, r"^warpscope [0-9.]+")


if __name__ == "__main__":
    unittest.main()
