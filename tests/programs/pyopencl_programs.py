"""What PyOpenCL users do: elementwise, reduction, scan, sort. Prints checksums; run by test_applications.py."""
import sys

import numpy as np
import pyopencl as cl
import pyopencl.algorithm
import pyopencl.array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel

PLATFORMS = cl.get_platforms()  # Oclgrind shows nothing but itself
DEVICES = next((p for p in PLATFORMS if "Portable" in p.name), PLATFORMS[0]).get_devices()
CONTEXT = cl.Context(DEVICES)
QUEUE = cl.CommandQueue(CONTEXT)


def elementwise():
    x = cl.array.arange(QUEUE, 3000, dtype=np.float32)
    y = cl.array.to_device(QUEUE, np.linspace(0, 1, 3000, dtype=np.float32))
    z = cl.array.empty_like(x)
    ElementwiseKernel(CONTEXT, "float *x, float *y, float *z, float a", "z[i] = a*x[i] + y[i]", "line")(x, y, z, 2.5)
    return z.get(), (x * y + 1).get(), cl.array.dot(x, y).get()


def reduction():
    x = cl.array.arange(QUEUE, 5000, dtype=np.int32)
    kernel = ReductionKernel(CONTEXT, np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i]%7",
                             arguments="__global int *x")
    return kernel(x).get(), cl.array.max(x).get()


def scan():
    x = cl.array.to_device(QUEUE, np.arange(4000, dtype=np.int32) % 11)
    y = cl.array.empty_like(x)
    InclusiveScanKernel(CONTEXT, np.int32, "a+b", neutral="0")(x, y)
    z = cl.array.empty_like(x)
    ExclusiveScanKernel(CONTEXT, np.int32, "max(a, b)", neutral="0")(x, z)
    return y.get(), z.get()


def sort():
    x = cl.array.to_device(QUEUE, (np.arange(3000, dtype=np.uint32) * 7919) % 3001)
    sorter = cl.algorithm.RadixSort(CONTEXT, "unsigned int *ary", key_expr="ary[i]", sort_arg_names=["ary"],
                                    key_dtype=np.uint32)
    (result,), event = sorter(x, key_bits=12, queue=QUEUE)
    event.wait()
    assert (np.diff(result.get().astype(np.int64)) >= 0).all()
    return (result.get(),)


for name, values in ((name, globals()[name]()) for name in sys.argv[1:]):
    for value in values:
        print(name, value.dtype, value.shape, float(np.sum(value.astype(np.float64) * (1 + np.arange(value.size).reshape(
            value.shape)))))
