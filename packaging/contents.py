"""What a self-contained archive takes from the Debian that it is made on, and where it goes."""
import os
import pathlib
import subprocess

from warpscope.base.errors import InputError

LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
LLVM = pathlib.Path("/usr/lib/llvm-15")
# Of the system that the archive runs on: glibc is one piece with the kernel's loader, and traced programs have it already.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2", "libmvec.so.1", "libnsl.so.1",
          "ld-linux-x86-64.so.2"}
CXX = {"libstdc++.so.6", "libgcc_s.so.1"}  # the newer one of ours and the system's (launcher)
PYTHON = ("libpython3.11-minimal", "libpython3.11-stdlib", "python3-numpy", "python3-matplotlib", "python3-dateutil", "python3-six", "python3-pyparsing",
          "python3-contourpy", "python3-cycler", "python3-fonttools", "python3-kiwisolver", "python3-packaging", "python3-pil")
HEADERS = ("libstdc++-12-dev", "libc6-dev", "linux-libc-dev")  # of kernels in CUDA: clang 15 does not read those of any later compiler
# Modules of Python that none of ours loads: windows, tests, the manual, package installation, databases, networks, and line editing, whose licence is the GPL.
UNUSED = ("/test/", "/tests/", "/idlelib/", "/lib2to3/", "/tkinter/", "/turtledemo/", "/ensurepip/", "/pydoc_data/", "/distutils/", "/config-3.11-",
          "/f2py/", "lib-dynload/readline", "lib-dynload/_gdbm", "lib-dynload/_dbm", "lib-dynload/_tkinter", "lib-dynload/_curses", "lib-dynload/nis", "lib-dynload/_ssl", "lib-dynload/_hashlib",
          "lib-dynload/_ctypes_test", "lib-dynload/_test", "lib-dynload/_xxtest", "/_imagingtk", "/sample_data/", "/images/")
# (file or pattern of the system, folder of the archive, name there or None). Libraries that these are linked with come by themselves.
FILES = (
    (LLVM / "bin/clang", "lib/llvm/bin", "clang-15"), (LLVM / "bin/opt", "lib/llvm/bin", "opt-15"), (LLVM / "bin/llvm-link", "lib/llvm/bin", "llvm-link-15"),
    (LIBRARIES / "libpocl.so.2", "lib/bundled", None), (LIBRARIES / "pocl/libpocl-devices-*.so", "lib/bundled/pocl", None),
    (LIBRARIES / "libOpenCL.so.1", "lib/opencl", None), (LIBRARIES / "blas/libblas.so.3", "lib/bundled", None),
    (LIBRARIES / "lapack/liblapack.so.3", "lib/bundled", None),
    (LIBRARIES / "libstdc++.so.6", "lib/cxx", None), (LIBRARIES / "libgcc_s.so.1", "lib/cxx", None),
    ("/usr/bin/x86_64-linux-gnu-ld.bfd", "lib/link", "ld.bfd"), (LIBRARIES / "libc.so.6", "lib/link", "libc.so"), (LIBRARIES / "libm.so.6", "lib/link", "libm.so"),
    (LIBRARIES / "libgcc_s.so.1", "lib/link", "libgcc_s.so"), ("/usr/lib/gcc/x86_64-linux-gnu/12/libgcc.a", "lib/link", None),
    ("/usr/bin/python3.11", "lib/python/bin", "python3"))
TREES = ((LLVM / "lib/clang/15.0.*/include", "lib/llvm/lib/clang/{parent}/include"), (pathlib.Path("/usr/share/pocl"), "share/pocl"),
         (pathlib.Path("/usr/share/matplotlib/mpl-data"), "lib/python/lib/python3/dist-packages/matplotlib/mpl-data"))
SYSROOT = "lib/sysroot"
COMPILER = f"{SYSROOT}/usr/lib/gcc/x86_64-linux-gnu/12/crtbegin.o"  # by which clang knows the folder of a compiler
LINKED_ONLY = "lib/link"  # read by ld.bfd, never loaded: stays as it is


def matches(pattern):
    """The files of a path whose last parts may be a pattern. Raises InputError where there is none."""
    path = pathlib.Path(pattern)
    found = sorted(path.parent.parent.glob(f"{path.parent.name}/{path.name}"))
    if not found:
        raise InputError(f"{path}: not found, expected the packages of scripts/setup on Debian 12")
    return found


def _files_of(packages, below):
    said = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True)
    if said.returncode:
        raise InputError(f"{said.stderr.strip().splitlines()[0]}, expected the packages of scripts/setup on Debian 12")
    return [pathlib.Path(line) for line in dict.fromkeys(said.stdout.splitlines()) if line.startswith(below) and os.path.isfile(line)]


def package_files():
    """(file, its place in the archive) of Python's modules and of the headers of C and C++."""
    for path in _files_of(PYTHON, "/usr/lib/python3"):
        if not any(part in str(path) for part in UNUSED):
            yield path, f"lib/python/lib/{path.relative_to('/usr/lib')}"
    for path in _files_of(HEADERS, "/usr/include"):
        yield path, f"{SYSROOT}{path}"


def packages_of(paths):
    """(Debian's package, its version, its source package and that one's version) of files of this system; none of other files."""
    names = {name for path in paths for form in (str(path), str(pathlib.Path(path).resolve())) for name in (form, form.removeprefix("/usr"))}
    said = subprocess.run(["dpkg", "-S", *sorted(names)], capture_output=True, text=True).stdout
    packages = sorted({name.strip().split(":")[0] for line in said.splitlines() for name in line.split(": ")[0].split(",") if ": " in line})
    form = "${Package}\t${Version}\t${source:Package} ${source:Version}\n"
    listed = subprocess.run(["dpkg-query", "-W", "-f", form, *packages], capture_output=True, text=True, check=True).stdout
    return sorted({tuple(line.split("\t")) for line in listed.splitlines()})
