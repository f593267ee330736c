"""The host part of a .cu file with clang, and .c and .cpp files with the host's compiler."""
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

from warpscope.nvcc import layout
from warpscope.nvcc.errors import Failed, Fatal
from warpscope.nvcc.runner import warn

CLANG = "clang++-15"
FEATURES = {"device-debug": "__CUDACC_DEBUG__", "expt-relaxed-constexpr": "__CUDACC_RELAXED_CONSTEXPR__",
            "extended-lambda": "__CUDACC_EXTENDED_LAMBDA__", "expt-extended-lambda": "__CUDACC_EXTENDED_LAMBDA__"}
PREPROCESSOR = re.compile(r"-(?:[DUI]|isystem|iquote|include|idirafter|imacros)")
UNKNOWN = re.compile(r"error: (?:unknown argument|unsupported option):? '([^']+)'")
LENIENT = ("-Wno-c++11-narrowing", "-Wno-implicit-const-int-float-conversion")  # nvcc takes both: {n, 0.5f} in an int2, rand() / RAND_MAX
LATE_ALIGNAS = re.compile(r"(__attribute__\(\(shared\)\)\s*)\salignas\b")  # nvcc takes it there; clang takes C's keyword with the same meaning
SPLIT_LAUNCH = re.compile(r'"(?:\\.|[^"\\\n])*"|'  # not in a literal
                          r"(?<!operator)(?<=[\w>])(\s*)<< +<(?!<)([^;{}\"\n]*?)>>( *)>(?!>)")  # k << <g, b>> >(x)
REWRITABLE = re.compile("an attribute list cannot appear here|expected expression")  # what clang says of these two
NOT_FOR_CLANG = re.compile(r"-(?:Werror\b|fopenmp|flto|m64$|Wl,|l|L|s$|static)")  # what the link takes, and what is settled here


def preprocessor_options(words):
    """Those of -Xcompiler's options that count for the device part, too."""
    found, left = [], list(words)
    while left:
        word = left.pop(0)
        if PREPROCESSOR.match(word):
            found.append(word)
            if PREPROCESSOR.fullmatch(word) and left:
                found.append(left.pop(0))
    return found


def standard(settings, default):
    """The dialect; the headers need C++11."""
    return {"c++03": "c++11"}.get(settings.said.get("std"), settings.said.get("std", default))


def version_macros():
    major, minor, build = layout.RELEASE
    return ["-D__NVCC__", f"-D__CUDACC_VER_MAJOR__={major}", f"-D__CUDACC_VER_MINOR__={minor}", f"-D__CUDACC_VER_BUILD__={build}",
            f"-D__CUDA_API_VER_MAJOR__={major}", f"-D__CUDA_API_VER_MINOR__={minor}"]


def macros(settings):
    """What nvcc defines for .cu files."""
    names = dict.fromkeys(macro for option, macro in FEATURES.items() if settings.has(option))
    words = ["-D__CUDACC__", *version_macros(), f"-D__CUDA_ARCH_LIST__={settings.architecture * 10}", *(f"-D{name}" for name in names)]
    if settings.relocatable:
        words.append("-D__CUDACC_RDC__")
    if settings.said.get("default-stream") == "per-thread":
        words.append("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1")
    return words


def compiler(settings, language="c++"):
    """-ccbin, for C++ or C: a folder, or a compiler whose sister is taken for the other language."""
    given = settings.said.get("compiler-bindir", "")
    if pathlib.Path(given).is_dir() and given:
        given = str(pathlib.Path(given, "g++"))
    name = pathlib.PurePath(given or "g++")
    pairs = (("gcc", "g++"), ("clang", "clang++"), ("cc", "c++"), ("mpicc", "mpicxx"))
    for c_name, cpp_name in pairs:
        wanted, other = (cpp_name, c_name) if language == "c++" else (c_name, cpp_name)
        found = re.fullmatch(rf"(.*-)?{re.escape(other)}(-[\d.]+)?", name.name)
        if found:
            sister = str(name.with_name(f"{found[1] or ''}{wanted}{found[2] or ''}"))
            return sister if shutil.which(sister) else str(name)
    return str(name)


@functools.cache
def openmp_headers():
    """Where omp.h of the host's compiler is: clang has none of its own."""
    done = subprocess.run(["g++", "-print-file-name=include/omp.h"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    path = pathlib.Path(done.stdout.strip() or "/nonexistent")
    return ["-idirafter", str(path.parent)] if path.is_file() else []


def _common(settings):
    """Options that every compiler takes."""
    words = []
    if settings.has("optimize"):
        words.append(f"-O{settings.said['optimize']}")
    if settings.has("debug") or settings.has("device-debug"):
        words.append("-g")
    for name, word in (("profile", "-pg"), ("no-exceptions", "-fno-exceptions"), ("disable-warnings", "-w"),
                       ("Wno-deprecated-declarations", "-Wno-deprecated-declarations")):
        if settings.has(name):
            words.append(word)
    for name in ("ftemplate-depth", "ftemplate-backtrace-limit"):
        if settings.has(name):
            words.append(f"-{name}={settings.said[name]}")
    return words


def dependency_options(settings, target):
    """-MD and its relatives. `target`: the object."""
    kind = next((word for name, word in (("generate-dependencies-with-compile", "-MD"), ("generate-nonsystem-dependencies-with-compile", "-MMD"),
                                         ("generate-dependencies", "-M"), ("generate-nonsystem-dependencies", "-MM")) if settings.has(name)), None)
    if not kind:
        return []
    words = [kind, "-MT", settings.said.get("dependency-target-name", target)]
    if kind in ("-MD", "-MMD"):
        words += ["-MF", settings.said.get("dependency-output", str(pathlib.PurePath(target).with_suffix(".d")))]
    return words + (["-MP"] if settings.has("generate-dependency-targets") else [])


def cuda_command(settings, source, left_out=()):
    """clang's command line for the host part of a .cu file, without what is to be made of it."""
    given = [word for word in settings.host if not NOT_FOR_CLANG.match(word) and word not in left_out]
    words = [CLANG, "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-Xclang",
             f"-target-sdk-version={layout.release(2)}", f"-std={standard(settings, 'gnu++17')}", *macros(settings),
             "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument", "-Wno-register", "-Wno-unknown-assumption",
             *LENIENT, "-Qunused-arguments", "-Xclang", "-fcuda-allow-variadic-functions"]
    if settings.relocatable:
        words += ["-fgpu-rdc", "-Xclang", f"-cuid={identity(settings, source)}"]
    words += [*_common(settings), *given, *openmp_headers()]
    return [*words, *settings.preprocessor, "-isystem", str(layout.include()),
            "-include", "cuda_runtime.h", source]


def c_command(settings, source, language):
    """The host's compiler for a .c or .cpp file."""
    standard = settings.said.get("std")
    words = [compiler(settings, language), "-x", language, *version_macros(), *_common(settings), *settings.host]
    if standard and language == "c++":
        words.append(f"-std={standard}")
    return [*words, *settings.preprocessor, "-isystem", str(layout.include()), source]


def _joined(found):
    before, between, after = found.groups()
    return found[0] if between is None else f"{before} <<<{between}>>>{after}"


def preprocessed(runner, command, dependencies, container):
    """`command` for the preprocessed file, with alignments and launches as clang takes them; none if it takes all."""
    path = pathlib.Path(container).with_name("host.cui")
    runner.messages([*command, *dependencies, "-E", "-o", str(path)])
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    changed = SPLIT_LAUNCH.sub(_joined, LATE_ALIGNAS.sub(r"\1_Alignas", text))
    if changed == text:
        return None
    path.write_text(changed, encoding="utf-8", errors="surrogateescape")
    # clang's driver forgets the other target's built-in functions for such a file.
    rest = command[command.index("cuda") + 1:command.index("-include", -3)]
    return [CLANG, "-x", "cuda-cpp-output", "-Xclang", "-aux-triple", "-Xclang", "nvptx64-nvidia-cuda", *rest, "-Wno-c11-extensions", str(path)]


def compile_cuda(runner, settings, source, container, output, made="-c"):
    """The object of a .cu file, its device part included, or its assembly (-S) as a C++ compiler's assembler takes it: the compiler's warnings."""
    action = ["-Xclang", "-fcuda-include-gpubinary", "-Xclang", container, *(("-fno-integrated-as", "-g0") if made == "-S" else ()), made, "-o", output]
    dependencies = dependency_options(settings, output)
    left_out, rewritten = [], None
    while True:
        command = cuda_command(settings, source, left_out)
        try:
            messages = runner.messages([*(rewritten or [*command, *dependencies]), *action])
            break
        except Failed as error:
            if not rewritten and REWRITABLE.search(error.messages):
                rewritten = preprocessed(runner, command, dependencies, container)
                if rewritten:
                    continue
            refused = UNKNOWN.findall(error.messages)
            more = [word for word in settings.host if word not in left_out and word.startswith(tuple(refused))]
            if not more:
                raise
            left_out += more
    for word in left_out:
        warn(f"clang, which compiles the host part of {source}, does not know '{word}': ignored")
    if settings.relocatable:
        make_unique(runner, settings, source, output)
    return messages


def write_as_cpp(assembly, output):
    """A C++ file whose object is that of `assembly`."""
    lines = pathlib.Path(assembly).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    texts = ['"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '\\n"' for line in (*lines, ".text")]
    try:
        pathlib.Path(output).write_text("__asm__(" + "\n".join(texts) + ");\n", encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise Fatal(f"Could not write to '{output}': {error.strerror}") from error


def identity(settings, source):
    """What tells a relocatable object's own names from those of other objects; the same for host part and device part."""
    key = "\0".join([os.path.abspath(source), *settings.preprocessor])
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def make_unique(runner, settings, source, output):
    """Clang names a relocatable object's registration after its source as given: a/util.cu and b/util.cu, each compiled in
    its folder, would have one name."""
    if runner.dry:
        return
    listed = subprocess.run(["nm", output], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    found = re.search(r"__cudaRegisterLinkedBinary__nv_(\w+)", listed)
    if found:
        pairs = [word for name in ("__cudaRegisterLinkedBinary__nv_", "__fatbinwrap__nv_")
                 for word in ("--redefine-sym", f"{name}{found[1]}={name}{identity(settings, source)}")]
        runner.run(["objcopy", *pairs, output])


def compile_c(runner, settings, source, language, output):
    runner.say(runner.messages([*c_command(settings, source, language), *dependency_options(settings, output), "-c", "-o", output]))
