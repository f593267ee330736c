"""The device part of a .cu file: bitcode of compile-kernel, in a container."""
import os
import pathlib
import re
import shutil

from warpscope.base.errors import printable
from warpscope.nvcc import host, layout
from warpscope.nvcc.container import Container
from warpscope.nvcc.errors import Failed, Fatal

NAMED_TWICE = re.compile(r"^@(\w+)(\.static\.[0-9a-f]+) = ", re.MULTILINE)  # Clang prints the hash without leading zeros
CANNOT_BE_TRACED = 3  # compile-kernel's exit status: it compiles and runs all the same
SECTIONS = (("optimised", "optimised.bc"), ("instrumented", "instrumented.bc"), ("kernels", "kernels.json"), ("signatures", "signatures.json"))

# Kernels whose addresses need no memory are recorded in boxes of work-items, as trace-kernel does by default.
BOXES = () if os.environ.get("WARPSCOPE_NO_BOXES") else ("--pass-option=-warpscope-boxes",)

LOCKSTEP = "WARPSCOPE_LOCKSTEP"
LAST_IN_STEP = 69  # the architectures before Volta: the threads of a warp run in step


def pass_options(settings):
    """Options of compile-kernel that say how kernels are recorded, and which shared memory a warp accesses in step."""
    asked = os.environ.get(LOCKSTEP, "")
    if asked not in ("", "0", "1"):
        raise Fatal(f"{LOCKSTEP} is '{asked}', expected 1 (all shared memory), 0 (what is volatile), or nothing (by -arch)")
    before_volta = "exchanges" if settings.architecture <= LAST_IN_STEP else "none"
    return [*BOXES, f"--pass-option=-warpscope-lockstep={({'0': 'none', '1': 'all'}).get(asked, before_volta)}"]


def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise Fatal(f"Could not open input file '{path}': {error.strerror}") from error


def _source_for(source, work):
    """compile-kernel takes .cu files only: any other gets such a name, and its messages keep the old one."""
    if pathlib.Path(source).suffix == ".cu":
        return source
    copy = pathlib.Path(work, pathlib.PurePath(source).name + ".cu")
    name = printable(str(source)).replace("\\", "\\\\").replace('"', '\\"')
    copy.write_bytes(f'#line 1 "{name}"\n'.encode() + read(source))
    return str(copy)


def with_path(messages, source):
    """compile-kernel shows a file by its name alone; editors, and the host part's same message, want the path as given."""
    name = re.escape(pathlib.PurePath(source).name)
    return re.sub(rf"^(In file included from )?{name}:(?=\d)", lambda found: f"{found[1] or ''}{source}:", messages, flags=re.MULTILINE)


def options(settings, source):
    """What clang gets for the device part."""
    words = [f"-std={host.standard(settings, 'c++17')}", *host.macros(settings), "-Wno-register", *host.LENIENT, "-iquote", str(pathlib.PurePath(source).parent)]
    words += [*settings.preprocessor, *host.preprocessor_options(settings.host), *host.openmp_headers()]
    for name in ("ftemplate-depth", "ftemplate-backtrace-limit"):
        if settings.has(name):
            words.append(f"-{name}={settings.said[name]}")
    if settings.relocatable:  # static kernels and variables of several files keep apart
        words += ["-fgpu-rdc", f"-cuid={host.identity(settings, source)}"]
    if settings.has("disable-warnings"):
        words.append("-w")
    if settings.has("Wno-deprecated-declarations"):
        words.append("-Wno-deprecated-declarations")
    return words


def with_one_name(text):
    """LLVM assembly in which a static variable has one name. Clang 15 calls it by another one before it sees that the host uses it."""
    for name, suffix in NAMED_TWICE.findall(text):
        text, count = re.subn(rf"^@{name} = external .*\n", "", text, flags=re.MULTILINE)
        if count:
            text = re.sub(rf"@{name}\b(?!\.static\.)", f"@{name}{suffix}", text)
    return text


def join_static_names(runner, bitcode):
    """Rewrites bitcode whose static variables may have two names."""
    if b".static." not in read(bitcode):
        return
    text = bitcode.with_suffix(".ll")
    runner.run(["llvm-dis-15", str(bitcode), "-o", str(text)])
    joined = with_one_name(text.read_text(encoding="utf-8"))
    text.write_text(joined, encoding="utf-8")
    runner.run(["llvm-as-15", str(text), "-o", str(bitcode)])


def given_options(settings):
    """Those of the user's options that device code depends on, for the capture."""
    standard = [f"-std={settings.said['std']}"] if settings.has("std") else []
    return [*standard, *settings.preprocessor, *host.preprocessor_options(settings.host)]


def compile_part(runner, settings, source, work):
    """Compiles the device part of `source` in the folder `work`: (path of the container, compiler's warnings)."""
    relocatable = settings.relocatable
    clang = options(settings, source)
    runner.note(f"cicc -arch compute_{settings.architecture} -m64 {source}")
    file = source if runner.dry else _source_for(source, work)
    command = [layout.compile_kernel(), file, "-o", str(work), "--cuda-part" if relocatable else "--cuda-program",
               "--cuda-arch", str(settings.architecture), *pass_options(settings), "--", *clang]
    try:
        messages = with_path(runner.messages(command, good=(0, CANNOT_BE_TRACED), failed=1), source)
    except Failed as error:
        raise Failed(error.status, with_path(error.messages, source)) from error
    path = pathlib.Path(work, "device.fatbin")
    if not runner.dry:
        if relocatable:
            join_static_names(runner, pathlib.Path(work, "front_end.bc"))
        names = [("device", "front_end.bc")] if relocatable else SECTIONS
        sections = [(name, read(pathlib.Path(work, part)), {}) for name, part in names]
        sections.append(("source", read(source), {"file": pathlib.PurePath(source).name}))
        packed = Container(pathlib.PurePath(source).name, given_options(settings), settings.architecture, relocatable, sections).pack()
        path.write_bytes(packed)
        keep(settings, path, source)
    return str(path), messages


def link_parts(runner, settings, parts, name, work):
    """Links containers of relocatable code: (path of the container that can run, messages)."""
    files = []
    for number, part in enumerate(parts):
        files.append(str(pathlib.Path(work, f"part{number}.bc")))
        if not runner.dry:
            pathlib.Path(files[-1]).write_bytes(part.section("device"))
    words = [word for file in files for word in ("--cuda-parts", file)]
    command = [layout.compile_kernel(), f"{name}.cu", "-o", str(work), *words, "--cuda-arch", str(settings.architecture), *pass_options(settings)]
    messages = runner.messages(command, good=(0, CANNOT_BE_TRACED), failed=1)
    path = pathlib.Path(work, "linked.fatbin")
    if not runner.dry:
        sections = [(title, read(pathlib.Path(work, file)), {}) for title, file in SECTIONS]
        sources = [source for part in parts for source in part.sources]
        sections += [("source" if number == 0 else "further_source", text, {"file": file}) for number, (file, text) in enumerate(sources)]
        path.write_bytes(Container(parts[0].source_name, parts[0].options, settings.architecture, False, sections).pack())
        keep(settings, path, f"{name}.cu")
    return str(path), messages


def keep(settings, path, source):
    """-keep: the container as NAME.fatbin."""
    if settings.has("keep"):
        folder = pathlib.Path(settings.said.get("keep-dir", "."))
        try:
            folder.mkdir(exist_ok=True)
            shutil.copyfile(path, folder / (pathlib.PurePath(source).stem + ".fatbin"))
        except OSError as error:
            raise Fatal(f"Could not write to '{folder}': {error.strerror}") from error
