#!/usr/bin/python3
"""many_launches.py N: an OpenCL program that launches two kernels N times in all, with sizes that differ."""
import sys

import numpy
import pyopencl

SOURCE = """
kernel void add(global float* a, const float b) { a[get_global_id(0)] += b; }
kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }
"""


def main():
    launches = int(sys.argv[1])
    context = pyopencl.create_some_context(interactive=False)
    queue = pyopencl.CommandQueue(context)
    program = pyopencl.Program(context, SOURCE).build()
    add, twice = program.add, program.twice
    buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 4 * 256)
    pyopencl.enqueue_fill_buffer(queue, buffer, numpy.float32(0), 0, 4 * 256)
    for number in range(launches):
        size = (32 * (1 + number % 4),)
        if number % 2:
            twice(queue, size, (32,), buffer)
        else:
            add(queue, size, (32,), buffer, numpy.float32(1))
        if number % 1000 == 999:
            queue.finish()
    queue.finish()
    print("done")


if __name__ == "__main__":
    main()
