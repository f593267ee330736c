"""Names in results: the source's file, different kernels of one name, kernels that ran untraced."""
import json
import unittest

from support import BIN, ProgramTest

PYTHON = "/usr/bin/python3"
PROGRAM = """\
import sys
import numpy as np
import pyopencl as cl
platforms = cl.get_platforms()
context = cl.Context(next((p for p in platforms if "Portable" in p.name), platforms[0]).get_devices())
queue = cl.CommandQueue(context)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 4096)
def run(text, options, items=64, kernel="mmul"):
    getattr(cl.Program(context, text).build(options), kernel)(queue, (items,), (32,), buffer)
TEXT = "__kernel void mmul(__global float* a) { int i = get_global_id(0) * %s; a[i %% 4096] = 2 * a[i %% 4096]; }"
"""


class Names(ProgramTest):
    def of(self, lines):
        """The result of a program with these lines, and the summary."""
        (self.folder / "program.py").write_text(PROGRAM + lines + "\nqueue.finish()\n")
        done = self.traced(PYTHON, "program.py")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        done = self.plain(BIN / "warpscope", "x.wtrace", "--gpu", "gtx480", "--no-plots", "--advice-budget", "0", "-o", "out")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return json.loads((self.folder / "out" / "result.json").read_text()), done.stdout

    def rows(self, result):
        return [(kernel["kernel"], kernel["launches"]) for kernel in result["kernels"]]

    def test_kernels_of_one_name_are_told_apart_by_their_options(self):
        result, text = self.of("for size in 1, 4, 16, 4: run(TEXT % 'TS', ['-cl-mad-enable', '-D', f'TS={size}'])")
        rows = [("mmul (-DTS=1)", 1), ("mmul (-DTS=4)", 2), ("mmul (-DTS=16)", 1)]
        self.assertEqual(self.rows(result), rows)
        for name, _ in rows:
            self.assertIn(name, text)
        # 2 warps; strides of 1, 4 and 16 words: 1, 4 and 16 lines a request.
        self.assertEqual({site["kernel"]: site["load"]["transactions"] / site["load"]["requests"] for site in result["sites"] if site["kind"] == "load"},
                         {"mmul (-DTS=1)": 1, "mmul (-DTS=4)": 4, "mmul (-DTS=16)": 16})
        self.assertEqual({launch["kernel_name"] for launch in result["launches"]}, {"mmul"})
        self.assertEqual([kernel["timed_cycles"] is not None for kernel in result["kernels"]], [True] * 3)

    def test_else_by_their_source(self):
        for number in 1, 2:
            (self.folder / f"mmul{number}.cl").write_text(f"// {number}\n__kernel void mmul(__global float* a) {{ a[get_global_id(0)] *= {number}; }}\n")
        result, _ = self.of("for number in 1, 2: run(open(f'mmul{number}.cl').read(), [])")
        self.assertEqual(self.rows(result), [("mmul (mmul1.cl)", 1), ("mmul (mmul2.cl)", 1)])
        self.assertEqual([source["name"] for source in result["sources"]], ["mmul1.cl", "mmul2.cl"])

    def test_else_by_number_and_one_of_a_name_has_its_own(self):
        result, _ = self.of("for factor in 1, 2, 1: run(TEXT % factor, [])\nrun(TEXT.replace('mmul', 'other') % 1, [], kernel='other')")
        self.assertEqual(self.rows(result), [("mmul (variant 1)", 2), ("mmul (variant 2)", 1), ("other", 1)])
        self.assertNotIn("kernel_name", result["launches"][3])

    def test_the_source_is_the_file_with_its_text(self):
        (self.folder / ".hidden").mkdir()
        (self.folder / "kernels" / "deep").mkdir(parents=True)
        text = "__kernel void first(__global float* a) { a[get_global_id(0)] = 1; }\n__kernel void mmul(__global float* a) { a[get_global_id(0)] *= 2; }\n"
        for name, content in (("kernels/deep/own_kernels.cl", text + "\n"), (".hidden/a.cl", text), ("other.cl", text.replace("2", "3"))):
            (self.folder / name).write_text(content)
        result, _ = self.of(f"run({text!r}, [])")
        self.assertEqual({place["file"] for site in result["sites"] for place in site["locations"]}, {"own_kernels.cl"})
        (self.folder / "upper.cl").write_text(text)
        result, _ = self.of(f"run({text!r}, [])")
        self.assertEqual([source["name"] for source in result["sources"]], ["upper.cl"])
        result, _ = self.of("run(TEXT % 1, [])")
        self.assertEqual([source["name"] for source in result["sources"]], ["mmul.cl"])

    def test_the_file_may_be_above_the_working_directory(self):
        text = "__kernel void mmul(__global float* a) { a[get_global_id(0)] *= %d; }\n"
        (self.folder / "kernels").mkdir()
        (self.folder / "above.cl").write_text(text % 2)
        (self.folder / "kernels" / "next.cl").write_text(text % 3)
        (self.folder / "kernels" / "deep").mkdir()
        (self.folder / "kernels" / "deep" / "far.cl").write_text(text % 4)
        result, _ = self.of(f"import os\nos.mkdir('run')\nos.chdir('run')\nfor factor in 2, 3, 4: run({text!r} % factor, [])")
        self.assertEqual([source["name"] for source in result["sources"]], ["above.cl", "next.cl", "mmul.cl"])

    def test_kernels_that_ran_untraced_are_in_the_summary(self):
        result, text = self.of("run(TEXT % 1, [])\nimage = cl.Image(context, cl.mem_flags.READ_ONLY, cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT), (64, 64))\n"
                               "picture = cl.Program(context, '__kernel void picture(read_only image2d_t i, __global float* a) '"
                               " '{ a[get_global_id(0)] = read_imagef(i, (int2)(get_global_id(0), 0)).x; }').build()\n"
                               "for _ in range(3): picture.picture(queue, (64,), (32,), image, buffer)")
        self.assertEqual([one["launches"] for one in result["context"]["not_traced"]], [3])
        self.assertIn("not traced: 3 launches that ran untraced: picture.cl:1: kernel 'picture': argument 'i' is of type image2d_t", " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
