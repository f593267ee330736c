"""docs/schema/result-1.json: results of several kernels, programs, engines and options fit it, and have no key that it does not
describe with its unit."""
import copy
import json
import unittest

import jsonschema
import support
from warpscope.show.export import schema

PUBLISHED = support.SOURCE / "docs" / "schema" / "result-1.json"
PROGRAM = """
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
static const char *text = "__kernel void twice(__global float *a, __constant float *c) { a[get_global_id(0)] *= c[0]; }"
                          "__kernel void count(__global int *n) { atomic_inc(n + get_global_id(0) % 4); }";
int main(void) {
  cl_platform_id platform; cl_device_id device;
  clGetPlatformIDs(1, &platform, 0);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0);
  cl_context context = clCreateContext(0, 1, &device, 0, 0, 0);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, 0);
  cl_program program = clCreateProgramWithSource(context, 1, &text, 0, 0);
  if (clBuildProgram(program, 1, &device, "", 0, 0)) return 1;
  cl_kernel twice = clCreateKernel(program, "twice", 0), count = clCreateKernel(program, "count", 0);
  cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, 0, 0), c = clCreateBuffer(context, CL_MEM_READ_ONLY, 64, 0, 0);
  size_t global = 256, local = 64;
  clSetKernelArg(twice, 0, sizeof a, &a), clSetKernelArg(twice, 1, sizeof c, &c), clSetKernelArg(count, 0, sizeof a, &a);
  for (int i = 0; i < 3; ++i) {
    clEnqueueNDRangeKernel(queue, twice, 1, 0, &global, &local, 0, 0, 0);
    clEnqueueNDRangeKernel(queue, count, 1, 0, &global, &local, 0, 0, 0);
  }
  return clFinish(queue);
}
"""


def strict(part):
    """The schema, refusing keys that it does not name."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: strict(value) for key, value in part.items()}
    if isinstance(part.get("properties"), dict) and part.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


def described(part, path=""):
    """(path, schema) of every property."""
    if isinstance(part, dict):
        for name, value in part.get("properties", {}).items() if isinstance(part.get("properties"), dict) else ():
            yield f"{path}.{name}", value
        for key, value in part.items():
            yield from described(value, f"{path}.{key}")
    elif isinstance(part, list):
        for at, value in enumerate(part):
            yield from described(value, f"{path}[{at}]")


class Schema(support.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
        cls.validator = jsonschema.Draft202012Validator(strict(cls.published))

    def assert_fits(self, result, name):
        errors = [f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in self.validator.iter_errors(result)]
        self.assertEqual(errors[:3], [], f"{name}: python/warpscope/show/export/schema.py describes the keys of a result")

    def test_is_a_schema_and_what_the_code_says(self):
        jsonschema.Draft202012Validator.check_schema(self.published)
        self.assertEqual(self.published, json.loads(json.dumps(schema.schema())),
                         "python3 -m warpscope.show.export.schema > docs/schema/result-1.json writes it again")

    def test_every_key_is_described_and_every_number_has_a_unit(self):
        found = list(described(self.published))
        self.assertGreater(len(found), 250)
        for path, part in found:
            if "$ref" in part and part["$ref"] != "#":
                part = self.published["$defs"][part["$ref"].rpartition("/")[2]]
            self.assertTrue(part.get("description"), path)
            if part.get("type") in ("integer", "number"):
                self.assertTrue(part.get("unit"), path)
                self.assertIn(f"[unit: {part['unit']}]", part["description"], path)

    def test_results_of_warpscope(self):
        for name, gpu, clock in (("mm", "h100", "both"), ("mt_tiled", "h100", "both"), ("mm", "gtx480", "fixed"), ("mm", "gtx1080", "fixed")):
            self.assert_fits(support.result(name, gpu, clock), (name, gpu))

    def test_other_options(self):
        mm = support.capture("mm")
        for words in ((mm, "16", "128", "4", "LRU", "WTNA", "--no-wavefronts", "--no-classes"), (mm, "16", "128", "4", "Rand", "WTNA", "--runs", "2"),
                      (mm, "--gpu", "gtx480", "--repeat", "2", "--reuse-histogram", "--reuse-by-source"),
                      (mm, "--gpu", "h100", "--launches", "groups"), ("timed", mm, "--gpu", "v100", "--effects", "--repeat", "2", "--timeline", "500"),
                      ("timed", mm, "--gpu", "v100", "--set", "ideal=fixed-order")):
            self.assert_fits(self.result(*words), words)

    def test_atomics_and_private_memory(self):
        for name in ("histogram", "reduction_ladder"):
            for words in ((), ("timed",)):
                self.assert_fits(self.result(*words, support.capture(name), "--gpu", "a100"), (name, words))

    def test_a_program(self):
        (self.folder / "app.c").write_text(PROGRAM)
        support.compile_c(self.folder / "app.c", "-lOpenCL")
        self.run_tool("warpscope", "--no-plots", "-o", "out", "--gpu", "h100", "--clock", "both", "--", "./app")
        result = json.loads((self.folder / "out" / "result.json").read_text())
        self.assertEqual([(one["kernel"], one["launches"]) for one in result["kernels"]], [("twice", 3), ("count", 3)])
        self.assert_fits(result, "program")

    def test_a_text_stream(self):
        (self.folder / "s.txt").write_text(self.run_tool("warpsched", support.capture("mm"), "--gpu", "gtx480", "--format", "text", "-o", "-").decode())
        self.assert_fits(self.result("s.txt", "16", "128", "4", "LRU", "WTNA"), "text stream")

    def test_what_does_not_fit_is_found(self):
        """The test itself would see a key without description, a wrong type and a missing key."""
        good = support.result("mm")
        for change in (lambda result: result.update(surprise=1), lambda result: result["total"]["load"].update(hits="3"),
                       lambda result: result["timed"]["total"]["timing"].pop("cycles"), lambda result: result["total"]["load"].update(misses=-1),
                       lambda result: result["launches"][0].update(new={})):
            wrong = copy.deepcopy(good)
            change(wrong)
            self.assertTrue(list(self.validator.iter_errors(wrong)))


if __name__ == "__main__":
    unittest.main()
