"""Links: device code of relocatable objects, programs, shared and static libraries."""
import os
import pathlib
import re
import subprocess
import tempfile

from warpscope.nvcc import container, device, host, layout
from warpscope.nvcc.errors import Fatal
from warpscope.nvcc.runner import warn

REGISTRATION = re.compile(r"__cudaRegisterLinkedBinary__nv_\w+")
OURS = {"cudart", "cudart_static", "cudadevrt", "cuda", "cublas", "cublas_static", "cufft", "cufft_static", "curand", "curand_static", "culibos",
        "nvidia-ml", "rt", "pthread", "dl", "m", "stdc++"}  # have no device code
# What a library of the toolkit loads when the program runs, and Debian's package of it.
LOADED = {"cublas": (("libblas.so.3", "libblas3"),),
          "cufft": (("libfftw3f.so.3", "libfftw3-single3"), ("libfftw3.so.3", "libfftw3-double3"))}
STUB = """/* Made by warpscope-nvcc: hands linked device code to the runtime, and registers the objects that it came from. */
__asm__(".pushsection .nv_fatbin,\\"a\\",@progbits\\n.balign 8\\n__warpscope_linked:\\n.incbin \\"{path}\\"\\n.balign 8\\n.popsection");
extern const char __warpscope_linked[] __attribute__((visibility("hidden")));
void __warpscopeRegisterLinked(const void *container);
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
__attribute__((constructor(101))) static void hand_over(void) {{ __warpscopeRegisterLinked(__warpscope_linked); }}
{registrations}"""
REGISTER = """void {name}(void (*globals)(void **), void *wrapper, void *module, void (*callback)(void *)) {{
  (void)module, (void)callback;
  void **handle = __cudaRegisterFatBinary(wrapper);
  globals(handle);
  __cudaRegisterFatBinaryEnd(handle);
}}
"""


def libraries_with_code(settings):
    """Static libraries that -l and -L name, as the linker would find them; without those of the system."""
    found = []
    for name in settings.libraries:
        candidates = [pathlib.Path(folder, f"lib{name}.a") for folder in settings.library_paths]
        found += [str(path) for path in candidates if path.is_file()][:1] if name not in OURS else []
    return found


def _symbols(files):
    """The functions that relocatable objects call to be registered."""
    done = subprocess.run(["nm", "-u", *files], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return sorted(set(REGISTRATION.findall(done.stdout)))


def relocatable_parts(files):
    """Containers of relocatable code in objects and libraries, each once."""
    parts, seen = [], set()
    for file in files:
        for one in container.find_all(device.read(file)):
            key = one.section("device")
            if one.relocatable and key not in seen:
                seen.add(key)
                parts.append(one)
    return parts


def _is_linked(files):
    """Whether an object made by -dlink is among them."""
    done = subprocess.run(["nm", *files], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return bool(re.search(r" [TW] __cudaRegisterLinkedBinary__nv_", done.stdout))


def device_link(runner, settings, files, output, work):
    """Links the device code of all relocatable objects in `files` to the object `output`."""
    files = [*files, *libraries_with_code(settings)]
    if runner.dry:
        runner.note(f"nvlink -arch=sm_{settings.architecture} -m64 {' '.join(files)} -o {output}")
        return
    parts = relocatable_parts(files)
    stub = pathlib.Path(work, "link_stub.c")
    if parts:
        path, messages = device.link_parts(runner, settings, parts, pathlib.PurePath(output).stem, work)
        runner.say(messages)
        registrations = "".join(REGISTER.format(name=name) for name in _symbols(files))
        stub.write_text(STUB.format(path=path, registrations=registrations), encoding="utf-8")
    else:
        stub.write_text("/* No relocatable device code. */\n", encoding="utf-8")
    runner.run([host.compiler(settings, "c"), "-x", "c", "-fPIC", "-c", str(stub), "-o", output])


def runtime(settings):
    """The libraries behind the user's own."""
    kind = settings.said.get("cudart", "static")
    words = ["-lcudadevrt"] if settings.said.get("cudadevrt", "static") == "static" else []
    words += {"static": ["-lcudart_static", "-lrt", "-lpthread", "-ldl"], "shared": ["-lcudart"], "none": []}[kind]
    return words


def name_missing_packages(runner, settings):
    """A program is linked without the libraries that do the work; it needs them when it runs."""
    for name in dict.fromkeys(name.removesuffix("_static") for name in settings.libraries):
        for file, package in LOADED.get(name, ()):
            found = subprocess.run([host.compiler(settings), f"-print-file-name={file}"], stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, check=False).stdout.strip()
            if not runner.dry and not os.path.isabs(found):
                warn(f"-l{name}: the program will need {file}, which is not installed: apt-get install {package}")


def program(runner, settings, files, output, work):
    """Links a program or a shared library."""
    with_device = [file for file in files if pathlib.PurePath(file).suffix not in (".so",) and ".so." not in pathlib.PurePath(file).name]
    if not settings.has("no-device-link"):
        candidates = [file for file in [*with_device, *libraries_with_code(settings)] if runner.dry or os.path.isfile(file)]
        if runner.dry and settings.relocatable or not runner.dry and relocatable_parts(candidates) and not _is_linked(candidates):
            linked = str(pathlib.Path(work, "device_link.o"))
            device_link(runner, settings, with_device, linked, work)
            files = [*files, linked]
    words = [host.compiler(settings), "-m64", *(["-shared"] if settings.has("shared") else []), *(["-pg"] if settings.has("profile") else []),
             "-o", output, *settings.host, "-Wl,--start-group", *files, *(f"-L{path}" for path in settings.library_paths),
             f"-L{layout.libraries()}", *(f"-l{name}" for name in settings.libraries), *runtime(settings), "-Wl,--end-group"]
    runner.run([*words, *(word for option in settings.linker for word in ("-Xlinker", option))])
    name_missing_packages(runner, settings)


def archive(runner, settings, files, output):
    """A static library, made again."""
    folder, name = os.path.split(output)
    with tempfile.TemporaryDirectory(prefix=".warpscope-nvcc-", dir=folder or ".") as work:
        path = str(pathlib.Path(work, name))
        runner.run([settings.said.get("archiver-binary", "ar"), *(settings.archive or ["qcs"]), path, *files])
        if not runner.dry:
            try:
                os.replace(path, output)
            except OSError as error:
                raise Fatal(f"Could not write '{output}': {error.strerror}") from error
