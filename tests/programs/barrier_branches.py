"""Random kernels whose work-groups branch around barriers as a whole: what they computed against what they say, with numpy.

Prints one line for each launch with another result, and how many there were; run by test_barrier_branches.py."""
import random
import sys

import numpy as np
import pyopencl as cl

ITEMS = 32


class Exchange:
    """Each work-item gets what another one has."""

    barriers = True

    def __init__(self, draw):
        self.distance = draw.randint(1, ITEMS - 1)

    def source(self):
        return (f"barrier(CLK_LOCAL_MEM_FENCE); h[t] = v; barrier(CLK_LOCAL_MEM_FENCE); "
                f"v += h[(t + {self.distance}) % {ITEMS}] * 3; barrier(CLK_LOCAL_MEM_FENCE);\n")

    def run(self, state):
        state.h[:] = state.v
        state.v += np.roll(state.h, -self.distance) * np.uint32(3)


class One:
    """One work-item counts."""

    barriers = False

    def __init__(self, draw, index):
        self.index, self.item = index, draw.choice([0, 0, 0, 5])

    def source(self):
        return f"if (t == {self.item}) {{ c[{self.index}]++; v += h[1] ^ 7; }}\n"

    def run(self, state):
        state.counts[self.index] += 1
        state.v[self.item] += state.h[1] ^ np.uint32(7)


class Some:
    """Some work-items compute."""

    barriers = False

    def __init__(self, draw):
        self.period, self.term = draw.choice([2, 3, 32]), draw.randint(1, 9)

    def source(self):
        return f"if (t % {self.period} == 0) v = v * 3 + {self.term};\n"

    def run(self, state):
        state.v[::self.period] = state.v[::self.period] * np.uint32(3) + np.uint32(self.term)


class Block:
    """Statements one after the other."""

    def __init__(self, kernel, depth, most):
        self.statements = [kernel.statement(depth) for _ in range(kernel.draw.randint(1, most))]

    def source(self):
        return "".join(s.source() for s in self.statements)

    def run(self, state):
        for statement in self.statements:
            statement.run(state)


class Branch:
    """All work-items take one of two ways."""

    def __init__(self, kernel, depth):
        self.bit = 1 << kernel.draw.randint(0, 4)
        self.ways = [Block(kernel, depth + 1, 3)]
        if kernel.draw.random() < 0.6:
            self.ways.append(Block(kernel, depth + 1, 3))

    def source(self):
        other = f"}} else {{\n{self.ways[1].source()}" if len(self.ways) > 1 else ""
        return f"if (n & {self.bit}) {{\n{self.ways[0].source()}{other}}}\n"

    def run(self, state):
        if state.n & self.bit:
            self.ways[0].run(state)
        elif len(self.ways) > 1:
            self.ways[1].run(state)


class Switch:
    """All work-items take one of several ways, or two one after the other."""

    def __init__(self, kernel, depth):
        self.ways = [Block(kernel, depth + 1, 2) for _ in range(3)]

    def source(self):
        ends = ("break;\n", "", "")
        cases = (f"case {i}:\n{way.source()}{end}" for i, (way, end) in enumerate(zip(self.ways, ends)))
        return f"switch (n % 5) {{\n{''.join(cases)}}}\n"

    def run(self, state):
        first = state.n % 5
        for way in {0: self.ways[:1], 1: self.ways[1:], 2: self.ways[2:]}.get(first, []):
            way.run(state)


class Loop:
    """All work-items do the same number of rounds."""

    def __init__(self, kernel, depth):
        self.name, self.more = kernel.name(), kernel.draw.randint(0, 2)
        self.body = Block(kernel, depth + 1, 3)

    def source(self):
        return f"for (int {self.name} = 0; {self.name} < m + {self.more}; ++{self.name}) {{\n{self.body.source()}}}\n"

    def run(self, state):
        for _ in range(state.m + self.more):
            self.body.run(state)


class State:
    """What a launch has computed so far."""

    def __init__(self, n, m, counters):
        self.n, self.m = n, m
        self.v = np.arange(1, ITEMS + 1, dtype=np.uint32)
        self.h, self.counts = self.v.copy(), np.zeros(counters, np.uint32)


class Kernel:
    """A random kernel: same seed, same text."""

    def __init__(self, seed):
        self.draw, self.counters, self.names = random.Random(seed), 0, 0
        self.body = Block(self, 0, 4)

    def name(self):
        self.names += 1
        return f"i{self.names}"

    def statement(self, depth):
        kind = self.draw.random()
        if depth < 2 and kind < 0.3:
            return Branch(self, depth)
        if depth < 2 and kind < 0.38:
            return Loop(self, depth)
        if depth < 2 and kind < 0.44:
            return Switch(self, depth)
        if kind < 0.66:
            return Exchange(self.draw)
        if kind < 0.86:
            self.counters += 1
            return One(self.draw, self.counters - 1)
        return Some(self.draw)

    def source(self):
        return (f"kernel void k(global const uint *a, int n, int m, global uint *b, global uint *c) {{\n"
                f"local uint h[{ITEMS}];\nint t = get_local_id(0);\nuint v = a[t];\nh[t] = v;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
                f"{self.body.source()}b[t] = v;\n}}\n")

    def reference(self, n, m):
        state = State(n, m, max(1, self.counters))
        with np.errstate(over="ignore"):
            self.body.run(state)
        return state


def launch(context, queue, program, expected):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    values, counts = np.zeros(ITEMS, np.uint32), np.zeros_like(expected.counts)
    start = np.arange(1, ITEMS + 1, dtype=np.uint32)
    a, b, c = (cl.Buffer(context, flags, hostbuf=array) for array in (start, values, counts))
    program.k(queue, (ITEMS,), (ITEMS,), a, np.int32(expected.n), np.int32(expected.m), b, c)
    cl.enqueue_copy(queue, values, b)
    cl.enqueue_copy(queue, counts, c)
    return np.array_equal(values, expected.v) and np.array_equal(counts, expected.counts)


def main(seeds):
    platforms = cl.get_platforms()
    context = cl.Context(next((p for p in platforms if "Portable" in p.name), platforms[0]).get_devices())
    queue = cl.CommandQueue(context)
    wrong = launches = 0
    for seed in seeds:
        kernel = Kernel(seed)
        program = cl.Program(context, kernel.source()).build()
        for n in (0, 5, 11, 17, 31):
            launches += 1
            if not launch(context, queue, program, kernel.reference(n, 1)):
                wrong += 1
                print(f"seed {seed}, n = {n}: wrong")
    print(f"{wrong} of {launches} launches are wrong")


if __name__ == "__main__":
    main(range(int(sys.argv[1]), int(sys.argv[2])))
