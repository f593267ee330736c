"""nvcc's command line: every spelling of a value, lists, options files, the environment, architectures, and what is refused."""
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import support
from warpscope.nvcc import architecture, help as help_texts, inputs, option_table, options
from warpscope.nvcc.errors import Fatal


def parse(*words):
    return options.parse(list(words))


class Options(unittest.TestCase):
    def refused(self, message, *words):
        with self.assertRaisesRegex(Fatal, message):
            parse(*words)

    def test_a_value_follows_in_every_way_of_nvcc(self):
        for words in (["-std", "c++14"], ["-std=c++14"], ["--std", "c++14"], ["--std=c++14"]):
            self.assertEqual(parse(*words, "a.cu").said["std"], "c++14", words)
        for words in (["-I", "dir"], ["-Idir"], ["-I=dir"], ["--include-path", "dir"], ["--include-path=dir"]):
            self.assertEqual(parse(*words).preprocessor, ["-I", "dir"], words)
        for words in (["-O3"], ["-O", "3"], ["-O=3"], ["--optimize=3"], ["--optimize", "3"]):
            self.assertEqual(parse(*words).said["optimize"], "3", words)

    def test_short_options_do_not_hide_longer_ones(self):
        said = parse("-lineinfo", "-lm", "-dc", "-DX", "-G", "-gencode", "arch=compute_75,code=sm_75", "-t8", "-o", "x", "-odir", "y")
        self.assertEqual((said.libraries, said.preprocessor, said.phase), (["m"], ["-DX"], "compile"))
        self.assertEqual((said.said["threads"], said.said["output-file"], said.said["output-directory"]), ("8", "x", "y"))

    def test_the_order_of_what_the_preprocessor_gets_is_kept(self):
        given = parse("-DA=1", "-isystem=sys", "-UA", "-I", "x,y", "-include", "p.h", "--define-macro", r"B=a\,b")
        self.assertEqual(given.preprocessor, ["-DA=1", "-isystem", "sys", "-UA", "-I", "x", "-I", "y", "-include", "p.h", "-DB=a,b"])

    def test_lists_are_taken_apart_at_commas(self):
        self.assertEqual(parse("-Xcompiler", "-Wall,-fPIC").host, ["-Wall", "-fPIC"])
        self.assertEqual(parse("-Xcompiler=-O3 -fopenmp").host, ["-O3", "-fopenmp"])
        self.assertEqual(parse("-Xcompiler", '"-Wl,-rpath,/x"').host, ["-Wl,-rpath,/x"])
        self.assertEqual(parse("-Xcompiler", r"-Wl\,-rpath\,/x,-g").host, ["-Wl,-rpath,/x", "-g"])
        self.assertEqual(parse("-Xcompiler", "-g,-Wl,-rpath,/x").host, ["-g", "-Wl,-rpath,/x"])
        self.assertEqual(parse("-Xlinker", "-rpath,/x", "-lfoo,bar").linker, ["-rpath", "/x"])

    def test_macros_are_taken_apart_at_commas_of_their_own(self):
        """As `nvcc --dryrun` of release 13.0 prints them."""
        for word, macros in (("-DA=1,B", ["-DA=1", "-DB"]), (r"-DT=pair<int\,int>,N=2", ["-DT=pair<int,int>", "-DN=2"]), ("-DF=f(1,2)", ["-DF=f(1", "-D2)"]),
                             ('-DS="a,b",C', ['-DS="a,b"', "-DC"]), (r'-DS=\"a,b\"', ['-DS="a', '-Db"']), ("-UA,B", ["-UA", "-UB"])):
            self.assertEqual(options.parse([word, "a.cu"]).preprocessor, macros)

    def test_phases(self):
        for word, phase in (("-c", "compile"), ("-dc", "compile"), ("-dw", "compile"), ("-dlink", "dlink"), ("-lib", "lib"), ("-E", "preprocess"),
                            ("-M", "depend"), ("-shared", "link"), ("-MD", "link"), ("-run", "link")):
            self.assertEqual(parse(word).phase, phase)
        self.assertTrue(parse("-dc").relocatable and parse("-rdc=true").relocatable and parse("--relocatable-device-code", "true").relocatable)
        self.assertFalse(parse("-dw").relocatable or parse("-rdc=false").relocatable or parse("-c").relocatable)
        self.assertEqual((parse("-lib", "-c").phase, parse("-c", "-dc").phase), ("compile", "compile"))

    def test_what_it_does_not_know_is_refused_or_forwarded(self):
        for word in ("--foo", "-Wall", "-march=native", "-fopenmp", "-pthread", "-mavx2", "-extended-lamda", "-Ofast", "-openmp"):
            self.refused(f"^Unknown option '{word}'$", word)
            self.assertEqual(parse("-forward-unknown-to-host-compiler", word).host, [word])
        self.assertEqual(parse("--forward-unknown-to-host-linker", "-zdefs").linker, ["-zdefs"])

    def test_what_is_no_value_is_refused(self):
        for words, message in (  # as nvcc 13.0 says
                (["a.cu", "-o"], "argument expected after '-o'"), (["-std=c++98"], "Value 'c++98' is not defined for option 'std'"),
                (["-rdc=maybe"], "'maybe': expected true or false"), (["-O", "a.cu"], "'a.cu': expected a number"),
                (["-lineinfo=yes"], "no argument expected after '-lineinfo'"), (["-arch=sm_x"], "Unsupported gpu architecture 'sm_x'"),
                (["-gencode", "code=sm_80"], "Option '--generate-code code=sm_80', missing architecture"),
                (["-code=sm_80"], "-arch option not specified"), (["-cudart=foo"], "Value 'foo' is not defined for option 'cudart'"),
                (["-x", "f"], "Value 'f' is not defined for option 'x'")):
            self.refused(f"^{re.escape(message)}$", *words)

    def test_the_last_of_two_values_counts(self):
        given = parse("-o", "x", "-o", "y", "-O2", "-O2", "-arch=sm_80", "-arch=sm_75", "-DA", "-DB")
        self.assertEqual((given.said["output-file"], given.architecture), ("y", 75))
        self.assertEqual(given.warnings, [f"incompatible redefinition for option '{name}', the last value of this option was used"
                                          for name in ("output-file", "gpu-architecture")])

    def test_every_refused_option_names_itself(self):
        for row in option_table.REFUSED:
            for word in (f"-{row.short}", f"--{row.long}"):
                value = [] if row.kind == option_table.FLAG else ["1"]
                self.refused(f"^'-{row.short}': refused, because {re.escape(row.text)}", word, *value)

    def test_every_ignored_option_changes_nothing(self):
        plain = parse("a.cu")
        for row in option_table.IGNORED:
            words = [f"-{row.short}"] + ([] if row.kind == option_table.FLAG else ["1"])
            given = parse(*words, "a.cu")
            given.said.clear()
            self.assertEqual(given, plain, words)

    def test_spellings_are_unique(self):
        rows = [*option_table.TAKEN, *option_table.IGNORED, *option_table.REFUSED]
        for part in ("long", "short"):
            names = [getattr(row, part) for row in rows]
            self.assertEqual(len(names), len(set(names)), part)

    def test_options_files(self):
        with tempfile.TemporaryDirectory() as folder:
            inner, outer = pathlib.Path(folder, "inner.rsp"), pathlib.Path(folder, "outer.rsp")
            inner.write_text('-I"/with space"\n# a comment\n-DQ=\'"t"\'\n')
            outer.write_text(f"a.cu --options-file {inner}\n")
            given = parse("-DBEFORE", "--options-file", str(outer), "-DAFTER")
            self.assertEqual((given.inputs, given.preprocessor), (["a.cu"], ["-DBEFORE", "-I", "/with space", '-DQ="t"', "-DAFTER"]))
            self.assertEqual(parse(f"-optf={outer}").inputs, ["a.cu"])
            inner.write_text(f"-optf {outer}")
            self.refused("name each other", "-optf", str(outer))
            self.refused("^Could not open options file '.*none': No such file", "-optf", f"{folder}/none")
            self.refused("^Options file '/dev/zero': more than 1 MiB", "-optf", "/dev/zero")
            inner.write_text("-DQ='open")
            self.refused("^Options file '.*inner.rsp': No closing quotation", "-optf", str(inner))

    def test_the_environment_is_put_in_front_and_behind(self):
        with mock.patch.dict(os.environ, NVCC_PREPEND_FLAGS="-DFIRST '-I a b'", NVCC_APPEND_FLAGS="-DLAST"):
            self.assertEqual(options.from_environment(["x.cu"]), ["-DFIRST", "-I a b", "x.cu", "-DLAST"])


class Documentation(unittest.TestCase):
    def test_the_help_lists_every_option(self):
        text = help_texts.text()
        for row in (*option_table.TAKEN, *option_table.IGNORED, *option_table.REFUSED):
            self.assertRegex(text, rf"(?m)^  (--{row.long}|-{row.short})\b.*(\n.*)?{re.escape(row.text)}$")


class Architectures(unittest.TestCase):
    def test_arch_or_the_first_gencode_counts(self):
        for words, number in (([], 80), (["-arch=sm_80"], 80), (["-arch", "compute_61"], 61), (["--gpu-architecture=sm_75"], 75),
                              (["-arch=sm_90a"], 90),
                              (["-gencode", "arch=compute_60,code=sm_60", "-gencode=arch=compute_80,code=[sm_80]"], 60),
                              (["-gencode", "arch=compute_60,code=sm_60", "-arch=sm_72"], 72), (["-arch=sm_72", "-gencode=arch=compute_60"], 72),
                              (["-arch=compute_70", "-code=sm_70,compute_70"], 70)):
            self.assertEqual(parse(*words).architecture, number, words)

    def test_old_and_new_ones_are_taken_with_a_warning(self):
        self.assertEqual(parse("-arch=sm_86").warnings, [])
        newer, older = parse("-arch=sm_90"), parse("-arch=sm_20")
        self.assertEqual((newer.architecture, older.architecture), (90, 35))
        self.assertRegex(newer.warnings[0], "sm_90 is newer than release 11.5: __CUDA_ARCH__ is 900")
        self.assertRegex(older.warnings[0], "sm_20 is older than sm_35: __CUDA_ARCH__ is 350")

    def test_native_is_that_of_the_chosen_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "turing.json").write_text('{"compute_capability": {"value": "7.5"}}')
            pathlib.Path(folder, "other.json").write_text('{"compute_capability": "unknown"}')
            for gpu, number in (("turing", 75), ("other", 80), ("missing", 80), ("", 80), ("../turing", 80)):
                with mock.patch.dict(os.environ, WARPSCOPE_GPU=gpu):
                    for word in ("native", "all", "all-major"):
                        self.assertEqual(options.parse([f"-arch={word}"], pathlib.Path(folder)).architecture, number, gpu)
        self.assertEqual(architecture.DEFAULT, 80)


class Inputs(unittest.TestCase):
    def test_kinds(self):
        for name, kind in (("a.cu", "cu"), ("d/a.cc", "c++"), ("a.c", "c"), ("liba.a", "library"), ("a.o", "object"), ("libx.so", "shared"),
                           ("libx.so.1.2", "shared")):
            self.assertEqual(inputs.kind_of(name), kind)
        self.assertEqual((inputs.kind_of("a.cpp", "cu"), inputs.kind_of("a.foo", "cu"), inputs.kind_of("a.o", "cu")), ("cu", "cu", "object"))
        for name, message in (("a.foo", "Don't know what to do with 'a.foo'"), ("k.ptx", "runs no ptx files"), ("k.cubin", "runs no cubin files")):
            with self.assertRaisesRegex(Fatal, message):
                inputs.kind_of(name)

    def test_objects_are_named_after_sources(self):
        self.assertEqual((inputs.object_name("sub/a.b.cu"), inputs.object_name("sub/a.cu", "out")), ("a.b.o", "out/a.o"))


if __name__ == "__main__":
    unittest.main()
