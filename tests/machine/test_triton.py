"""Kernels of Triton's cache: a cubin with its metadata. Counts are host arithmetic."""
import array
import json
import shutil
import unittest

from test_inputs import SOURCE, WithFolder

FILES = SOURCE / "tests" / "machine" / "triton"
ADD = ("--grid", 4, "--arg", "x_ptr=count=4000,fill=iota", "--arg", "y_ptr=count=4000,fill=constant(2)", "--arg", "out_ptr=count=4000")


class TritonCache(WithFolder):
    def trace(self, name, *words, metadata=None, status=0):
        return self.run_tool("trace-kernel", FILES / f"{name}.cubin", "--metadata", metadata or FILES / f"{name}.json", "-o", "x.wtrace", *words,
                             status=status)

    def changed(self, **keys):
        """The metadata of add_kernel with other values; None takes a key away."""
        known = json.loads((FILES / "add_kernel.json").read_text())
        known.update(keys)
        path = self.folder / "k.json"
        path.write_text(json.dumps({key: value for key, value in known.items() if value is not None}))
        return path

    def test_a_vector_addition_by_the_names_of_its_source(self):
        done = self.trace("add_kernel", *ADD, "--arg", "n_elements=4000", "--dump-buffers", "out")
        self.assertIn("kernel add_kernel, global 512x1x1, local 128x1x1, 4 work-groups", done.stderr)
        self.assertRegex(done.stderr, r"global loads +2000\n")  # each loads four elements of two arrays
        self.assertRegex(done.stderr, r"global stores +1000\n")
        self.assertIn("sm_90", done.stderr)
        values = array.array("f", (self.folder / "out/out_ptr.bin").read_bytes())
        self.assertEqual(list(values), [i + 2.0 for i in range(4000)])

    def test_memory_of_the_launcher_shared_memory_and_a_cluster(self):
        # Two programs of two work-groups each: 256 bytes for each of four work-groups.
        done = self.trace("pair_kernel", "--grid", 2, "--arg", "x=count=256,type=float,fill=iota", "--arg", "y=count=256,type=float,fill=zero",
                          "--arg", "n=250", "--dump-buffers", "out")
        self.assertIn("global 256x1x1, local 64x1x1, 4 work-groups", done.stderr)
        self.assertEqual((self.folder / "out/global_scratch.bin").stat().st_size, 4 * 256)
        values = array.array("f", (self.folder / "out/y.bin").read_bytes())
        self.assertEqual(list(values[:249]), [2.0 * (i ^ 1) for i in range(249)])
        self.assertEqual(list(values[250:]), [0.0] * 6)
        self.assertRegex(done.stderr, r"global stores +506\n")  # 250 of y, 256 of the launcher's memory

    def test_without_the_ir_parameters_have_numbers(self):
        for suffix in ("cubin", "json"):
            shutil.copy(FILES / f"add_kernel.{suffix}", self.folder)
        done = self.run_tool("trace-kernel", "add_kernel.cubin", "--metadata", "add_kernel.json", "--grid", 4, status=2)
        self.assertIn("param_0", done.stderr)
        self.assertNotIn("param_4", done.stderr)  # the launcher's memory is nobody's to give

    def test_versions_before_3_4_have_less_behind_the_arguments(self):
        path = self.changed(profile_scratch_size=None, global_scratch_size=None)
        done = self.trace("add_kernel", *ADD, metadata=path, status=2)
        self.assertIn("param_5", done.stderr)  # the code has six parameters, and now all are the user's

    def test_the_block_is_not_the_users_to_say(self):
        done = self.trace("add_kernel", *ADD, "--block", 64, "--arg", "n_elements=4000", status=2)
        self.assertRegex(done.stderr, r"trace-kernel: --block 64: .*add_kernel.json says 128 work-items")

    def test_malformed_metadata_is_one_line(self):
        cases = {"{": "not JSON", "[]": "", '{"num_warps": 0}': "num_warps", '{"num_warps": "4"}': "num_warps", "{}": "num_warps",
                 '{"num_warps": 4, "target": {"backend": "hip"}}': "a kernel for hip", '{"num_warps": 4, "warp_size": 64}': "warp_size",
                 '{"num_warps": 4, "cluster_dims": [99, 1, 1]}': "cluster_dims", '{"num_warps": 4, "shared": -1}': "shared",
                 '{"num_warps": 4, "global_scratch_size": 1e30}': "global_scratch_size"}
        for text, expected in cases.items():
            with self.subTest(text):
                (self.folder / "k.json").write_text(text)
                done = self.trace("add_kernel", *ADD, metadata="k.json", status=2)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(expected, done.stderr)
        self.assertIn("cannot", self.trace("add_kernel", metadata="missing.json", status=2).stderr)

    def test_only_of_machine_code(self):
        (self.folder / "k.cl").write_text("__kernel void k(__global int *a) { a[0] = 1; }")
        done = self.run_tool("trace-kernel", "k.cl", "--metadata", FILES / "add_kernel.json", status=2)
        self.assertIn("--metadata: only with --machine, or for a .ptx or .cubin", done.stderr)

if __name__ == "__main__":
    unittest.main()
