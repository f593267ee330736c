"""One behaviour of the compilation per file; the expected text is next to the input (FileCheck)."""
import os

import lit.formats

config.name = "warpscope"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".cl", ".cu"]
config.excludes = ["ptx"]
config.test_source_root = os.path.dirname(__file__)
build = lit_config.params["build"]
config.test_exec_root = os.path.join(build, "tests", "lit", "out")

plugin = os.path.join(build, "lib", "warpscope", "libwarpscope-passes.so")
tools = os.path.join(build, "bin")
config.substitutions += [
    ("%opt", f"opt-15 -load-pass-plugin={plugin}"),
    ("%compile", os.path.join(tools, "compile-kernel")),
    ("%dis", "llvm-dis-15"),
    ("%check", "FileCheck-15"),
    ("%not", "/usr/lib/llvm-15/bin/not"),
]
config.environment["PATH"] = os.environ["PATH"]
