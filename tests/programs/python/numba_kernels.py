"""Five kernels by Numba, each next to NumPy: prints a line per kernel, "add: equal"."""
import math

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit(lineinfo=True)
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@cuda.jit(lineinfo=True)
def product(a, b, c):
    """With tiles in shared memory."""
    left, right = cuda.shared.array((TILE, TILE), float32), cuda.shared.array((TILE, TILE), float32)
    row, column = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], TILE):
        left[tx, ty] = a[row, k + ty]
        right[tx, ty] = b[k + tx, column]
        cuda.syncthreads()
        for n in range(TILE):
            total += left[tx, n] * right[n, ty]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit(lineinfo=True)
def histogram(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.jit(lineinfo=True)
def mandelbrot(image, most):
    row, column = cuda.grid(2)
    if row >= image.shape[0] or column >= image.shape[1]:
        return
    x0, y0 = column * 3.0 / image.shape[1] - 2.0, row * 2.0 / image.shape[0] - 1.0
    x = y = 0.0
    steps = 0
    while steps < most and x * x + y * y <= 4.0:
        x, y = x * x - y * y + x0, 2.0 * x * y + y0
        steps += 1
    image[row, column] = steps


@cuda.jit(lineinfo=True)
def stencil(before, after):
    i = cuda.grid(1)
    if 0 < i < before.size - 1:
        after[i] = 0.25 * before[i - 1] + 0.5 * before[i] + 0.25 * before[i + 1]


def compare(name, found, expected):
    print(f"{name}: {'equal' if np.array_equal(found, expected) else 'different'}", flush=True)


def steps_of(shape, most):
    """Mandelbrot's image as NumPy makes it, in the order of operations of the kernel."""
    rows, columns = shape
    x0 = (np.arange(columns) * 3.0 / columns - 2.0)[None, :] + np.zeros(shape)
    y0 = (np.arange(rows) * 2.0 / rows - 1.0)[:, None] + np.zeros(shape)
    x, y, steps = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int32)
    for _ in range(most):
        going = x * x + y * y <= 4.0
        x, y = np.where(going, x * x - y * y + x0, x), np.where(going, 2.0 * x * y + y0, y)
        steps += going
    return steps


def main():
    numbers = np.random.default_rng(1)
    x, y = (numbers.random(10_000, np.float32) for _ in range(2))
    out = np.zeros_like(x)
    add[math.ceil(x.size / 256), 256](x, y, out)
    compare("add", out, x + y)

    a, b = (numbers.integers(-8, 8, (64, 64)).astype(np.float32) for _ in range(2))  # whole numbers: every order gives the same sum
    c = np.zeros((64, 64), np.float32)
    product[(4, 4), (TILE, TILE)](a, b, c)
    compare("product", c, a @ b)

    values, bins = numbers.integers(0, 32, 5_000).astype(np.int32), np.zeros(32, np.int32)
    histogram[20, 256](values, bins)
    compare("histogram", bins, np.bincount(values, minlength=32))

    image = np.zeros((32, 48), np.int32)
    mandelbrot[(2, 3), (16, 16)](image, 20)
    wanted = steps_of(image.shape, 20)
    # Fused products may decide otherwise on the border of the set: one step more or less there.
    print(f"mandelbrot: {'equal' if np.mean(image != wanted) < 0.02 else 'different'}", flush=True)

    before, after = numbers.integers(0, 64, 4_000).astype(np.float32), np.zeros(4_000, np.float32)
    stencil[16, 256](before, after)
    wanted = np.zeros_like(before)
    wanted[1:-1] = 0.25 * before[:-2] + 0.5 * before[1:-1] + 0.25 * before[2:]
    compare("stencil", after, wanted)


main()
