"""The driver: which steps a command line asks for, and in which order."""
import os
import pathlib
import sys
import tempfile

from warpscope.base import presets
from warpscope.nvcc import device, help as help_texts, host, inputs, layout, link, options, with_nvcc
from warpscope.nvcc.errors import Failed, Fatal
from warpscope.nvcc.runner import Runner, warn

SINGLE = ("compile", "intermediate", "preprocess", "depend")  # phases with one result per input


def main(words):
    if words == ["--options-json"]:
        print(help_texts.as_json(), end="")
        return 0
    os.environ.setdefault("PATH", "/usr/local/bin:/usr/bin:/bin")  # compilers find their parts by it
    if with_nvcc.is_asked(words):
        return with_nvcc.main(words)
    settings = options.parse(options.from_environment(words), presets.folder())
    for name, text in (("help", help_texts.text), ("version", help_texts.version), ("list-gpu-arch", lambda: help_texts.architectures("compute")),
                       ("list-gpu-code", lambda: help_texts.architectures("sm"))):
        if settings.has(name):
            print(text(), end="")
            return 0
    runner = Runner(settings.has("verbose"), settings.has("dryrun"))
    try:
        with tempfile.TemporaryDirectory(prefix="warpscope-nvcc-") as work:
            return build(runner, settings, work)
    except Failed as error:
        runner.say(error.messages)
        raise


def build(runner, settings, work):
    if not settings.inputs:
        raise Fatal("No input files specified; use option --help for more information")
    runner.environment()
    language = settings.said.get("x")
    files = [(name, inputs.kind_of(name, language)) for name in settings.inputs]
    for text in settings.warnings:
        warn(text)
    sources = [name for name, kind in files if inputs.is_source(kind)]
    if settings.phase in SINGLE and settings.has("output-file") and len(sources) > 1:
        raise Fatal("A single input file is required for a non-link phase when an outputfile is specified")
    for name, _ in files:
        if not runner.dry and not os.path.exists(name):
            raise Fatal(f"Could not open input file '{name}': No such file or directory")
    steps = {"compile": compile_all, "intermediate": intermediate, "preprocess": preprocess, "depend": preprocess}
    if settings.phase in steps:
        return steps[settings.phase](runner, settings, files, work)
    return combine(runner, settings, files, work)


def compile_one(runner, settings, name, kind, output, work, made="-c"):
    """One source to the object `output`, or to assembly (`made`: -S)."""
    if kind != "cu":
        host.compile_c(runner, settings, name, kind, output)
        return
    with tempfile.TemporaryDirectory(dir=work) as folder:
        container, messages = device.compile_part(runner, settings, name, folder)
        runner.say(host.compile_cuda(runner, settings, name, container, output, made))
        runner.say(messages)


def compile_all(runner, settings, files, work):
    for name, kind in files:
        if inputs.is_source(kind):
            output = settings.said.get("output-file") or inputs.object_name(name, settings.said.get("output-directory"))
            compile_one(runner, settings, name, kind, output, work)
    return 0


def intermediate(runner, settings, files, work):
    """-cuda: a C++ file that holds what clang makes of the host part."""
    if settings.relocatable:
        raise Fatal("-cuda does not go with relocatable device code, expected -dc, which makes an object")
    for name, kind in files:
        if kind == "cu":
            assembly = str(pathlib.Path(work, "host.s"))
            compile_one(runner, settings, name, kind, assembly, work, "-S")
            if not runner.dry:
                output = settings.said.get("output-file") or inputs.intermediate_name(name, settings.said.get("output-directory"))
                host.write_as_cpp(assembly, output)
    return 0


def preprocess(runner, settings, files, _work):
    """-E, -M, -MM: to standard output, -o or -MF."""
    output = settings.said.get("output-file")
    if settings.phase == "depend":
        output = settings.said.get("dependency-output", output)
    for name, kind in files:
        if not inputs.is_source(kind):
            continue
        command = host.cuda_command(settings, name) if kind == "cu" else host.c_command(settings, name, kind)
        what = host.dependency_options(settings, inputs.object_name(name)) if settings.phase == "depend" else ["-E"]
        runner.run([*command, *what, *(["-o", output] if output else [])])
    return 0


def combine(runner, settings, files, work):
    """Compiles the sources, then links or archives all of it."""
    objects = []
    for number, (name, kind) in enumerate(files):
        if not inputs.is_source(kind):
            objects.append(name)
            continue
        folder = pathlib.Path(work, str(number))
        folder.mkdir()
        objects.append(str(folder / inputs.object_name(name)))
        compile_one(runner, settings, name, kind, objects[-1], work)
    output = settings.said.get("output-file")
    if settings.phase == "lib":
        link.archive(runner, settings, objects, output or "a.a")
    elif settings.phase == "dlink":
        link.device_link(runner, settings, objects, output or "a_dlink.o", work)
    else:
        link.program(runner, settings, objects, output or "a.out", work)
        if settings.has("run"):
            sys.stdout.flush()
            runner.run([os.path.join(".", output or "a.out") if "/" not in (output or "") else output, *settings.run_arguments])
    return 0
