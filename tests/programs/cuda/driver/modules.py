"""A program that loads device code by the driver API, as Numba and PyCUDA do: ctypes, and the driver by its name.

modules.py CUBIN [PTX]: "0 wrong" if everything is as CUDA's documentation and arithmetic say. With PTX, it is linked, too.
"""
import ctypes
import pathlib
import sys

cuda = ctypes.CDLL("libcuda.so.1")
wrong = 0
N = 4 * 256 - 3


def expect(what, found, expected=0):
    global wrong
    if found != expected:
        wrong += 1
        print(f"{what}: {found}, expected {expected}")


def call(name, *arguments, status=0):
    expect(name, getattr(cuda, name)(*arguments), status)


def pointer(value):
    return ctypes.c_void_p(value.value) if isinstance(value, ctypes.c_uint64) else value


def allocated(content):
    device = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(device), ctypes.c_size_t(ctypes.sizeof(content)))
    call("cuMemcpyHtoD_v2", device, content, ctypes.c_size_t(ctypes.sizeof(content)))
    return device


def start():
    call("cuDeviceGetCount", ctypes.byref(ctypes.c_int()), status=3)  # CUDA_ERROR_NOT_INITIALIZED
    call("cuInit", 0)
    device, context, name = ctypes.c_int(-1), ctypes.c_void_p(), ctypes.create_string_buffer(100)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDeviceGetName", name, 100, device)
    expect("name", name.value.startswith(b"Warpscope (simulated "), True)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxPushCurrent_v2", context)
    function = ctypes.c_void_p()
    call("cuGetProcAddress_v2", b"cuMemAlloc", ctypes.byref(function), 12000, ctypes.c_uint64(0), None)
    expect("cuMemAlloc", function.value, ctypes.cast(cuda.cuMemAlloc, ctypes.c_void_p).value)
    call("cuGetProcAddress_v2", b"cuNothing", ctypes.byref(function), 12000, ctypes.c_uint64(0), None, status=500)


def loaded(image):
    module = ctypes.c_void_p()
    log = ctypes.create_string_buffer(200)
    options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
    call("cuModuleLoadDataEx", ctypes.byref(module), image, 2, options, values)
    expect("log", log.value, b"")
    return module


def function_of(module, name):
    function = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(function), module, name)
    return function


def saxpy(module, by_buffer):
    """y = a · x of the neighbour + y · table, of numbers that a float has exactly."""
    function = function_of(module, b"saxpy")
    weights, place, size = [k / 8 for k in range(8)], ctypes.c_uint64(), ctypes.c_size_t()
    call("cuModuleGetGlobal_v2", ctypes.byref(place), ctypes.byref(size), module, b"table")
    expect("bytes of table", size.value, 32)
    call("cuMemcpyHtoD_v2", place, (ctypes.c_float * 8)(*weights), ctypes.c_size_t(32))
    numbers = [-float(k % 64) for k in range(N)]
    x, y = (allocated((ctypes.c_float * N)(*numbers)) for _ in range(2))
    a, n = ctypes.c_float(0.5), ctypes.c_int(N)
    if by_buffer:
        class Arguments(ctypes.Structure):
            _fields_ = [("a", ctypes.c_float), ("x", ctypes.c_uint64), ("y", ctypes.c_uint64), ("n", ctypes.c_int)]
        buffer = Arguments(a.value, x.value, y.value, N)
        bytes_ = ctypes.c_size_t(ctypes.sizeof(buffer))
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(bytes_), 0)
        call("cuLaunchKernel", function, 4, 1, 1, 256, 1, 1, 0, None, None, extra)
        small = ctypes.c_size_t(8)
        extra[3] = ctypes.addressof(small)
        call("cuLaunchKernel", function, 4, 1, 1, 256, 1, 1, 0, None, None, extra, status=1)
    else:
        words = (ctypes.c_void_p * 4)(*(ctypes.addressof(one) for one in (a, x, y, n)))
        call("cuLaunchKernel", function, 4, 1, 1, 256, 1, 1, 0, None, words, None)
    back = (ctypes.c_float * N)()
    call("cuMemcpyDtoH_v2", back, y, ctypes.c_size_t(4 * N))
    for k in range(N):
        other = numbers[k ^ 1] if k ^ 1 < N else 0.0
        expect(f"y[{k}]", back[k], 0.5 * other + numbers[k] * weights[k % 8])
    for one in (x, y):
        call("cuMemFree_v2", one)


def two_modules(image):
    """Each has its own variables; a function dies with its module."""
    first, second = loaded(image), loaded(image)
    values = allocated((ctypes.c_double * (24 * 32))())
    words = (ctypes.c_void_p * 1)(ctypes.addressof(values))
    for module, times in ((first, 3), (second, 1)):
        function = function_of(module, b"spill")
        for _ in range(times):
            call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, words, None)
    for module, times in ((first, 3), (second, 1)):
        place, count = ctypes.c_uint64(), ctypes.c_int()
        call("cuModuleGetGlobal_v2", ctypes.byref(place), None, module, b"counter")
        call("cuMemcpyDtoH_v2", ctypes.byref(count), place, ctypes.c_size_t(4))
        expect("launches", count.value, times)
    call("cuModuleUnload", second)
    call("cuModuleUnload", second, status=400)  # CUDA_ERROR_INVALID_HANDLE
    call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, words, None, status=400)


def errors(module):
    none, registers = ctypes.c_void_p(), ctypes.c_int()
    call("cuModuleGetFunction", ctypes.byref(none), module, b"nothing", status=500)
    call("cuModuleGetGlobal_v2", None, None, module, b"nothing", status=500)
    call("cuModuleGetFunction", ctypes.byref(none), None, b"saxpy", status=400)
    call("cuModuleLoad", ctypes.byref(none), b"/no/such/file", status=301)
    call("cuModuleLoadData", ctypes.byref(none), None, status=1)
    damaged = (0xba55ed50).to_bytes(4, "little") + bytes((1, 0, 16, 0, 64, 0, 0, 0, 0, 0, 0, 0)) + bytes(64)  # a fat binary with an empty image
    call("cuModuleLoadData", ctypes.byref(none), damaged, status=200)
    call("cuLinkComplete", None, None, None, status=400)
    call("cuFuncGetAttribute", ctypes.byref(registers), 4, function_of(module, b"spill"))
    expect("more registers than a byte of them", 8 < registers.value < 256, True)


def link(ptx):
    state, cubin, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    call("cuLinkCreate_v2", 0, None, None, ctypes.byref(state))
    call("cuLinkAddData_v2", state, 1, ptx, ctypes.c_size_t(len(ptx)), b"a.ptx", 0, None, None)
    call("cuLinkComplete", state, ctypes.byref(cubin), ctypes.byref(size))
    expect("an ELF file", ctypes.string_at(cubin, 4), b"\x7fELF")
    saxpy(loaded(cubin), by_buffer=False)
    call("cuLinkDestroy", state)
    log = ctypes.create_string_buffer(200)
    options, values, module = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log)), ctypes.c_void_p()
    call("cuModuleLoadDataEx", ctypes.byref(module), ptx.replace(b"ret;", b"return;"), 2, options, values, status=218)
    expect("a log", log.value.startswith(b"ptxas: failed for "), True)


def main():
    image = pathlib.Path(sys.argv[1]).read_bytes()
    start()
    module = loaded(image)
    saxpy(module, by_buffer=False)
    saxpy(module, by_buffer=True)
    two_modules(image)
    errors(module)
    if len(sys.argv) > 2:
        ptx = pathlib.Path(sys.argv[2]).read_bytes()
        saxpy(loaded(ptx), by_buffer=False)
        link(ptx)
    print(f"{wrong} wrong")


main()
