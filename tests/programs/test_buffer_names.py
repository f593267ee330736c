"""The allocation's name, and the argument's: one buffer swapped between two arguments, three passed under one name."""
import json
import unittest

from support import BIN, ProgramTest

PYTHON = "/usr/bin/python3"
PROGRAM = """\
import numpy as np
import pyopencl as cl
platforms = cl.get_platforms()
context = cl.Context(next((p for p in platforms if "Portable" in p.name), platforms[0]).get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, '''
kernel void copy(global const float* from, global float* to) { to[get_global_id(0)] = from[get_global_id(0)]; }
kernel void clear(global float* variables) { variables[get_global_id(0)] = 0; }
''').build()
ping, pong, one, two, three = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 64 * 4) for _ in range(5))
program.copy(queue, (64,), (64,), ping, pong)
program.copy(queue, (64,), (64,), pong, ping)
for buffer in one, two, three:
    program.clear(queue, (64,), (64,), buffer)
queue.finish()
"""


class BufferNames(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "program.py").write_text(PROGRAM)
        done = self.traced(PYTHON, "program.py")
        self.assertEqual(done.returncode, 0, done.stderr)

    def result(self, *words):
        done = self.plain(BIN / "cachesim", *words, "--json", "x.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("from, from"), 0, done.stdout)
        return json.loads((self.folder / "x.json").read_text())

    def names(self, result):
        """All names of a result: of allocations, of arguments, of what sites touch."""
        return ([(b["buffer"], b["name"]) for b in result["buffers"]],
                [(launch["launch"], launch["arguments"]) for launch in result["launches"]],
                [(s["kernel"], s["site"], b["buffer"], b["name"]) for s in result["sites"] for b in s["buffers"]])

    def test_both_names(self):
        for options in (), ("timed",):
            with self.subTest(options=options):
                result = self.result(*options, "x.wtrace", "--gpu", "gtx480")
                names = {b["buffer"]: b["name"] for b in result["buffers"] if b["buffer"]}
                self.assertEqual(list(names.values()),
                                 ["buffer0", "buffer1", "variables#1", "variables#2", "variables#3"])
                ids = {name: buffer for buffer, name in names.items()}
                swapped = [[("from", "buffer0"), ("to", "buffer1")], [("from", "buffer1"), ("to", "buffer0")]]
                expected = [[{"index": i, "name": name, "buffer": ids[buffer]} for i, (name, buffer) in enumerate(pairs)]
                            for pairs in swapped + [[("variables", f"variables#{k}")] for k in (1, 2, 3)]]
                self.assertEqual([launch["arguments"] for launch in result["launches"]], expected)
                for site in result["sites"]:
                    argument = {"load": "from", "store": "to"}[site["kind"]] if site["kernel"] == "copy" else "variables"
                    self.assertEqual({b["name"] for b in site["buffers"]}, {argument})
                    self.assertEqual(len(site["buffers"]), 2 if site["kernel"] == "copy" else 3)

    def test_streams_have_the_names_of_captures(self):
        done = self.plain(BIN / "warpsched", "x.wtrace", "--gpu", "gtx480", "-o", "x.wsched")
        self.assertEqual(done.returncode, 0, done.stderr)
        for options in ["--gpu", "gtx480"], ["--gpu", "gtx480", "--launch", "1"], ["--gpu", "gtx480", "--kernel", "clear"]:
            with self.subTest(options=options):
                self.assertEqual(self.names(self.result("x.wsched", *options)),
                                 self.names(self.result("x.wtrace", *options)))

    def test_tables_name_arguments_and_allocations(self):
        done = self.plain(BIN / "cachesim", "x.wtrace", "--gpu", "gtx480")
        self.assertEqual(done.returncode, 0, done.stderr)
        sites, buffers = done.stdout.split("\nBuffers", 1)
        for argument in "(from)", "(to)", "(variables)":
            self.assertIn(argument, sites)
        for allocation in "buffer0", "buffer1", "variables#1", "variables#2", "variables#3":
            self.assertIn(allocation, buffers)


if __name__ == "__main__":
    unittest.main()
