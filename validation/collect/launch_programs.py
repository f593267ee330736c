"""Programs of many launches, for validation/launch-sampling: python3 launch_programs.py NAME [ROUNDS] runs one. Nothing in them knows about Warpscope."""
import sys

import numpy as np
import pyopencl as cl

SOURCE = """
#define ID get_global_id(0)
kernel void jacobi(global const float* a, global float* b, int w) {
  int x = get_global_id(0) + 1, y = get_global_id(1) + 1, i = y * w + x;
  b[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]);
}
kernel void restrict_to(global const float* a, global float* b, int w, int v) {
  int x = get_global_id(0), y = get_global_id(1), i = (2 * y + 1) * w + 2 * x + 1;
  b[(y + 1) * v + x + 1] = 0.25f * (a[i] + a[i + 1] + a[i + w] + a[i + w + 1]);
}
kernel void prolong(global const float* a, global float* b, int w, int v) {
  int x = get_global_id(0), y = get_global_id(1);
  b[(y + 1) * w + x + 1] += a[(y / 2 + 1) * v + x / 2 + 1];
}
kernel void bfs(global const uint* begin, global const uint* next, global const uint* level, global uint* out, uint depth) {
  uint v = ID;
  if (level[v] != depth) return;
  for (uint k = begin[v]; k < begin[v + 1]; ++k)
    if (level[next[k]] == 0) out[next[k]] = depth + 1;
}
kernel void bitonic(global uint* keys, uint length, uint distance) {
  uint i = ID, lower = 2 * i - i % distance, upper = lower + distance;
  uint a = keys[lower], b = keys[upper];
  bool down = (lower & length) != 0;
  keys[lower] = down ? max(a, b) : min(a, b);
  keys[upper] = down ? min(a, b) : max(a, b);
}
kernel void scale_row(global float* a, global float* m, int n, int t) {
  int i = ID;
  if (i < n - 1 - t) m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}
kernel void eliminate(global float* a, global const float* m, int n, int t) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n - 1 - t && y < n - t) a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
}
kernel void spmv(global const uint* begin, global const uint* column, global const float* value, global const float* x, global float* y, int n) {
  if (ID >= n) return;
  float sum = 0;
  for (uint k = begin[ID]; k < begin[ID + 1]; ++k) sum += value[k] * x[column[k]];
  y[ID] = sum;
}
kernel void dot_parts(global const float* x, global const float* y, global float* out, int n) {
  local float part[128];
  int l = get_local_id(0);
  part[l] = ID < n ? x[ID] * y[ID] : 0;
  for (int half_size = 64; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
kernel void axpy(global const float* x, global float* y, float a, int n) { if (ID < n) y[ID] += a * x[ID]; }
kernel void floyd(global float* d, int n, int k) {
  int x = get_global_id(0), y = get_global_id(1);
  float way = d[y * n + k] + d[k * n + x];
  if (way < d[y * n + x]) d[y * n + x] = way;
}
kernel void relax(global const uint* begin, global const uint* next, global const uint* list, global const uint* length, global uint* mark, uint n) {
  if (ID >= n) return;
  uint v = list[ID];
  for (uint k = begin[v]; k < begin[v + 1]; ++k) if (length[next[k]] > length[v]) mark[next[k]] = 1;
}
kernel void product(global const float* a, global const float* b, global float* c, int n, int k) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = sum;
}
kernel void rectify(global float* a) { a[ID] = max(a[ID], 0.0f); }
kernel void electric(global float* e, global const float* h, int w) {
  int i = get_global_id(1) * w + get_global_id(0) + w + 1;
  e[i] += 0.4f * (h[i] - h[i - w] + h[i] - h[i - 1]);
}
kernel void magnetic(global float* h, global const float* e, int w) {
  int i = get_global_id(1) * w + get_global_id(0);
  h[i] += 0.4f * (e[i + w] - e[i] + e[i + 1] - e[i]);
}
kernel void nearest(global const float* points, global const float* centres, global uint* of, int n, int count) {
  if (ID >= n) return;
  uint best = 0;
  float least = 1e30f;
  for (int c = 0; c < count; ++c) {
    float x = points[2 * ID] - centres[2 * c], y = points[2 * ID + 1] - centres[2 * c + 1];
    if (x * x + y * y < least) { least = x * x + y * y; best = c; }
  }
  of[ID] = best;
}
kernel void members(global const uint* of, global uint* sizes, int n) { if (ID < n) atomic_inc(&sizes[of[ID]]); }
"""


class Machine:
    """A queue, and the kernels."""

    def __init__(self):
        platforms = cl.get_platforms()
        self.context = cl.Context(next((p for p in platforms if "Portable" in p.name), platforms[0]).get_devices())
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, SOURCE).build()
        self.kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}

    def buffer(self, values):
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(values))

    def read(self, buffer, like):
        values = np.empty_like(like)
        cl.enqueue_copy(self.queue, values, buffer)
        return values

    def run(self, name, size, group, *arguments):
        size = tuple(-(-n // g) * g for n, g in zip(size, group))
        words = [np.int32(one) if isinstance(one, int) else one for one in arguments]
        self.kernels[name](self.queue, size, group, *words)


def graph(random, vertices, degree):
    """Begin and neighbours: degrees of a power law."""
    degrees = np.minimum(1 + (degree * 0.5 * random.pareto(1.5, vertices)).astype(np.uint32), 200).astype(np.uint32)
    begin = np.concatenate(([0], np.cumsum(degrees))).astype(np.uint32)
    return begin, random.integers(0, vertices, begin[-1], dtype=np.uint32)


def stencil(machine, random, rounds=120):
    planes = [machine.buffer(random.random((194, 194), dtype=np.float32)) for _ in range(2)]
    for step in range(rounds):
        machine.run("jacobi", (192, 192), (32, 4), planes[step % 2], planes[1 - step % 2], 194)


def multigrid(machine, random, rounds=40):
    widths = [128 >> level for level in range(5)]
    planes = [[machine.buffer(random.random((w + 2, w + 2), dtype=np.float32)) for _ in range(2)] for w in widths]
    for _ in range(rounds):
        for level, w in enumerate(widths):
            for step in range(2):
                machine.run("jacobi", (w, w), (8, 8), planes[level][step], planes[level][1 - step], w + 2)
            if level + 1 < len(widths):
                machine.run("restrict_to", (w // 2, w // 2), (4, 4), planes[level][0], planes[level + 1][0], w + 2, w // 2 + 2)
        for level in reversed(range(len(widths) - 1)):
            w = widths[level]
            machine.run("prolong", (w, w), (8, 8), planes[level + 1][0], planes[level][0], w + 2, w // 2 + 2)
            machine.run("jacobi", (w, w), (8, 8), planes[level][0], planes[level][1], w + 2)


def bfs(machine, random, rounds=60):
    vertices = 8192
    begin, following = graph(random, vertices, 3)
    begin_buffer, next_buffer = machine.buffer(begin), machine.buffer(following)
    for root in random.integers(0, vertices, rounds):
        level = np.zeros(vertices, np.uint32)
        level[root] = 1
        for depth in range(1, 40):
            before, after = machine.buffer(level), machine.buffer(level)
            machine.run("bfs", (vertices,), (128,), begin_buffer, next_buffer, before, after, np.uint32(depth))
            found = machine.read(after, level)
            if (found == level).all():
                break
            level = found


def sort(machine, random):
    for bits in (10, 11, 12, 13, 14, 15):
        keys = machine.buffer(random.integers(0, 1 << 31, 1 << bits, dtype=np.uint32))
        for length in range(1, bits + 1):
            for distance in reversed(range(length)):
                machine.run("bitonic", (1 << bits - 1,), (128,), keys, np.uint32(1 << length), np.uint32(1 << distance))


def gaussian(machine, random):
    n = 224
    a, m = machine.buffer(random.random((n, n), dtype=np.float32)), machine.buffer(np.zeros((n, n), np.float32))
    for step in range(n - 1):
        machine.run("scale_row", (n,), (64,), a, m, n, step)
        machine.run("eliminate", (n - 1 - step, n - step), (8, 8), a, m, n, step)


def gradients(machine, random, rounds=60):
    for n in (2048, 5000, 12000):
        begin, column = graph(random, n, 5)
        begin_buffer, column_buffer = machine.buffer(begin), machine.buffer(column)
        value = machine.buffer(random.random(len(column), dtype=np.float32))
        x, p, q = (machine.buffer(random.random(n, dtype=np.float32)) for _ in range(3))
        parts = machine.buffer(np.zeros(n, np.float32))
        for _ in range(rounds):
            machine.run("spmv", (n,), (128,), begin_buffer, column_buffer, value, p, q, n)
            machine.run("dot_parts", (n,), (128,), p, q, parts, n)
            machine.run("axpy", (n,), (128,), p, x, np.float32(0.1), n)
            machine.run("axpy", (n,), (128,), q, p, np.float32(0.1), n)


def floyd(machine, random):
    n = 160
    distances = machine.buffer((random.random((n, n), dtype=np.float32) * 100).astype(np.float32))
    for k in range(n):
        machine.run("floyd", (n, n), (32, 4), distances, n, k)


def frontier(machine, random, rounds=500):
    """Work-lists of which every launch has another length: launches of few and of many work-groups."""
    vertices = 20000
    begin, following = graph(random, vertices, 4)
    begin_buffer, next_buffer = machine.buffer(begin), machine.buffer(following)
    length = machine.buffer(random.integers(0, 1000, vertices, dtype=np.uint32))
    mark = machine.buffer(np.zeros(vertices, np.uint32))
    for _ in range(rounds):
        n = int(min(vertices, 64 * np.exp(random.normal(2, 1.3))))
        chosen = random.permutation(vertices)[:n].astype(np.uint32)
        if random.random() < 0.5:
            chosen.sort()
        machine.run("relax", (n,), (128,), begin_buffer, next_buffer, machine.buffer(chosen), length, mark, np.uint32(n))


def training(machine, random, rounds=40):
    """Three dense layers forward and back, in batches of which every one has another buffer."""
    widths, batch = (64, 128, 96, 32), 64
    weights = [machine.buffer(random.random((a, b), dtype=np.float32)) for a, b in zip(widths, widths[1:])]
    values = [machine.buffer(np.zeros((batch, w), np.float32)) for w in widths]
    for _ in range(rounds):
        values[0] = machine.buffer(random.random((batch, widths[0]), dtype=np.float32))
        for layer, weight in enumerate(weights):
            machine.run("product", (widths[layer + 1], batch), (16, 8), values[layer], weight, values[layer + 1], widths[layer + 1], widths[layer])
            machine.run("rectify", (batch * widths[layer + 1],), (128,), values[layer + 1])
        for layer in reversed(range(len(weights))):
            machine.run("product", (widths[layer], batch), (16, 8), values[layer + 1], weights[layer], values[layer], widths[layer], widths[layer + 1])
            machine.run("axpy", (widths[layer] * widths[layer + 1],), (128,), values[layer], weights[layer], np.float32(0.01), batch * widths[layer])


def waves(machine, random, rounds=60):
    """Fields on four grids, of which the finer ones take more steps."""
    grids = [(w, *(machine.buffer(random.random(((w + 2) * (w + 2),), dtype=np.float32)) for _ in range(2))) for w in (32, 64, 96, 160)]
    for step in range(rounds):
        for level, (w, e, h) in enumerate(grids):
            for _ in range(level + 1 if step % 3 == 0 else 1):
                machine.run("electric", (w, w), (16, 8), e, h, w + 2)
                machine.run("magnetic", (w, w), (16, 8), h, e, w + 2)


def clusters(machine, random, rounds=80):
    """k-means of point sets, with more centres from round to round."""
    sets = [(n, machine.buffer(random.random((n, 2), dtype=np.float32)), machine.buffer(np.zeros(n, np.uint32))) for n in (1000, 6000, 20000)]
    for step in range(rounds):
        for n, points, of in sets:
            count = 4 + step // 4
            centres, sizes = machine.buffer(random.random((count, 2), dtype=np.float32)), machine.buffer(np.zeros(count, np.uint32))
            machine.run("nearest", (n,), (128,), points, centres, of, n, count)
            machine.run("members", (n,), (128,), of, sizes, n)


PROGRAMS = {one.__name__: one for one in (stencil, multigrid, bfs, sort, gaussian, gradients, floyd, frontier, training, waves, clusters)}

if __name__ == "__main__":
    used = Machine()
    PROGRAMS[sys.argv[1]](used, np.random.default_rng(7), *map(int, sys.argv[2:]))
    used.queue.finish()
