"""OpenCL kernels as CUDA source, so that nvcc compiles them: the kernels of validation/hardware/families, no others.

validation/hardware/opencl.cuh defines what a macro or a function can; the rest is written here. Standard library only.
"""
import re

from warpscope.base.errors import InputError

TYPES = r"(?:void|float[24]?|double|int|uint)"


def as_cuda(text, source, header, counts):
    """CUDA source of the kernels in `text`. `header`: path of opencl.cuh; `counts`: elements of every buffer.

    A __constant parameter becomes a variable, which the host fills: constants are operands of instructions then, and not loads.
    Raises InputError where a kernel takes local memory as an argument.
    """
    for parameter in re.findall(r"__kernel[^{]*?__local[^{]*\{", text):
        raise InputError(f"{source}: {parameter.split('(')[0].strip()}: a parameter in local memory, expected a variable of the kernel")
    constants = []

    def constant(found):
        constants.append(f"__constant__ {found[1]} {found[2]}[{counts[found[2]]}];\n")
        return ""

    text = re.sub(r",\s*__constant (\w+) ?\*\s*(\w+)", constant, text)
    text = re.sub(r"\((float[24])\)\(", r"make_\1(", text)
    text = re.sub(r"(?m)^(\s*)__local (\w+ \w+\[)", r"\1__shared__ \2", text)
    text = re.sub(r"__local\s", "", text)
    text = re.sub(rf"(?m)^({TYPES} \w+\()", r"__device__ \1", text)  # functions that are no kernels
    return f'#include "{header}"\n{"".join(constants)}#line 1 "{source}"\n{text}'
