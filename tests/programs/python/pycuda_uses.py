"""Three uses of PyCUDA that its documentation shows, next to NumPy: a line for each, "module: equal"."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as driver
from pycuda import gpuarray
from pycuda.compiler import SourceModule

CODE = """
__global__ void scale(float *out, const float *in, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}
"""


def compare(name, found, expected):
    print(f"{name}: {'equal' if np.array_equal(found, expected) else 'different'}", flush=True)


def main():
    numbers = np.random.default_rng(1).random(1_000, np.float32)
    scale = SourceModule(CODE, options=["-lineinfo"]).get_function("scale")
    out = np.zeros_like(numbers)
    scale(driver.Out(out), driver.In(numbers), np.float32(3), np.int32(numbers.size), block=(256, 1, 1), grid=(4, 1))
    compare("module", out, np.float32(3) * numbers)

    array = gpuarray.to_gpu(numbers)
    compare("array", (2 * array).get(), 2 * numbers)

    scale.prepare("PPfi")
    result = gpuarray.zeros_like(array)
    scale.prepared_call((4, 1), (256, 1, 1), result.gpudata, array.gpudata, 0.5, numbers.size)
    compare("prepared", result.get(), np.float32(0.5) * numbers)


main()
