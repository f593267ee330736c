"""What the driver runs and what arrives in objects, libraries and programs, with the made-up installation of support.py."""
import os
import subprocess
import unittest

import support
from warpscope.nvcc import container, device, runner

HELLO = 'extern "C" int puts(const char *);\n__global__ void hello(int n) {}\nint main() { hello<<<1, 2>>>(3); puts("main"); }\n'
USES = 'extern "C" int puts(const char *);\nextern __device__ int shared_counter;\nvoid from_b();\n__global__ void first(int *p) {}\n' \
       'int main() { first<<<1, 1>>>(nullptr); from_b(); puts("main"); }\n'
DEFINES = "__device__ int shared_counter;\n__global__ void second() {}\nvoid from_b() { second<<<1, 1>>>(); }\n"


class WholePrograms(support.WithInstallation):
    def test_one_file_to_a_program(self):
        self.write("app.cu", HELLO)
        self.assertEqual(self.nvcc("app.cu"), ("", ""))
        self.assertEqual(self.program(), [
            "wrapper 466243b1",
            "object WSCUDA01optimised<app.cu 80>instrumented<app.cu 80>kernels<app.cu 80>signatures<app.cu 80>" + HELLO.splitlines()[0],
            *HELLO.splitlines()[1:], "", "kernel _Z5helloi", "end", "launch", "main"])

    def test_objects_and_programs_go_where_they_are_sent(self):
        self.write("sub/app.cu", HELLO)
        self.nvcc("-c", "sub/app.cu")
        self.nvcc("-c", "sub/app.cu", "-o", "named.o", "-arch=sm_80")
        (self.folder / "out").mkdir()
        self.nvcc("-c", "sub/app.cu", "-odir", "out")
        self.nvcc("named.o", "-o", "app")
        self.assertIn("optimised<app.cu 80>", self.program("app")[1])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["app", "app.o", "named.o", "out", "sub", "tmp"])
        self.assertEqual(os.listdir(self.folder / "out"), ["app.o"])

    def test_a_package_that_a_library_will_need(self):
        self.write("app.cu", HELLO)
        library = self.prefix / "cuda" / "lib64" / "libcublas.so"
        library.write_text(f"INPUT({self.prefix}/libruntime.so)\n")
        self.addCleanup(library.unlink)
        compiler = self.write("with-a-blas/g++", '#!/bin/sh\ncase $1 in -print-file-name=*) echo /found/libblas.so.3; exit;; esac\nexec g++ "$@"\n')
        compiler.chmod(0o755)
        self.assertEqual(self.nvcc("app.cu", "-lcublas", "-ccbin", "with-a-blas")[1], "")
        compiler.write_text(compiler.read_text().replace("/found/", ""))  # as gcc does with a file that it does not find
        self.assertEqual(self.nvcc("app.cu", "-lcublas", "-ccbin", "with-a-blas")[1],
                         "nvcc warning : -lcublas: the program will need libblas.so.3, which is not installed: apt-get install libblas3\n")
        self.assertEqual(self.nvcc("app.cu", "-ccbin", "with-a-blas")[1], "")

    def test_the_compilers_get_their_options(self):
        self.write("p.h", "#define FROM_HEADER 5\n")
        self.write("app.cu", '#if __CUDACC_VER_MAJOR__ != 11 || __CUDACC_VER_MINOR__ != 5 || !defined __NVCC__ || !defined __CUDACC__\n'
                   '#error nvcc\n#endif\n'
                   '#if X != 2 || FROM_HEADER != 5 || FROM_XCOMPILER != 7 || __cplusplus != 201402L || !defined __OPTIMIZE__\n'
                   '#error options\n#endif\n#ifndef __CUDACC_RELAXED_CONSTEXPR__\n#error constexpr\n#endif\n#ifdef __CUDA_ARCH__\n#error the host has none\n#endif\n__global__ void k() {}\n')
        self.nvcc("app.cu", "-DX=2", "-include", "p.h", "-Xcompiler", "-DFROM_XCOMPILER=7,-Wall", "-std=c++14", "-O2",
                  "--expt-relaxed-constexpr", "-c", "-keep")
        options = container.find_all((self.folder / "app.o").read_bytes())[0].options
        self.assertEqual(options, ["-std=c++14", "-DX=2", "-include", "p.h", "-DFROM_XCOMPILER=7"])
        self.assertEqual((self.folder / "app.fatbin").read_bytes()[:8], b"WSCUDA01")

    def test_the_device_part_gets_what_it_depends_on(self):
        self.write("app.cu", HELLO)
        _, said = self.nvcc("--dryrun", "app.cu", "-DX=2", "-Xcompiler", "-I/include,-Wall,-isystem,/system", "-arch=sm_61", "-O2", "--extended-lambda")
        line = next(line for line in said.splitlines() if "compile-kernel" in line)
        own, clang = line.split(" -- ")
        self.assertRegex(own, r"compile-kernel app\.cu -o \S+ --cuda-program --cuda-arch 61 --pass-option=-warpscope-boxes "
                              r"--pass-option=-warpscope-lockstep=exchanges$")
        for words in ("-std=c++17", "-D__CUDACC_EXTENDED_LAMBDA__", "-DX=2", "-I/include", "-isystem /system", "-D__CUDA_ARCH_LIST__=610"):
            self.assertIn(f" {words}", f" {clang} ")
        self.assertNotRegex(clang, "-Wall|-O2")

    def test_what_clang_does_not_know_of_the_hosts_compiler_is_left_out(self):
        self.write("app.cu", HELLO)
        _, messages = self.nvcc("app.cu", "-Xcompiler", "-fipa-pta,-Wall")
        self.assertEqual(messages, "nvcc warning : clang, which compiles the host part of app.cu, does not know '-fipa-pta': ignored\n")
        self.assertIn("launch", self.program())

    def test_cuda_makes_a_file_for_the_hosts_compiler(self):
        self.write("sub/app.cu", "#include <cstdio>\ntemplate <class T> void say(T text) { std::puts(text); }\n"
                   "__global__ void k() {}\nint main() { k<<<1, 1>>>(); say(\"a\\t\\\\\\\"%d{}b\"); }\n")
        self.nvcc("-cuda", "sub/app.cu", "-O2")
        for name, words in (("plain.o", ()), ("debug.o", ("-g", "-O2"))):
            subprocess.run(["g++", *words, "-c", "app.cu.cpp.ii", "-o", name], cwd=self.folder, check=True)
            self.nvcc(name)
            self.assertEqual([line for line in self.program() if line in ("launch", "kernel _Z1kv", "a\t\\\"%d{}b")],
                             ["kernel _Z1kv", "launch", "a\t\\\"%d{}b"])
        self.nvcc("--cuda", "sub/app.cu", "-o", "other.ii", "-g")
        subprocess.run(["g++", "-g", "-c", "other.ii"], cwd=self.folder, check=True)
        _, message = self.nvcc("-cuda", "-rdc=true", "sub/app.cu", status=1)
        self.assertEqual(message, "nvcc fatal   : -cuda does not go with relocatable device code, expected -dc, which makes an object\n")

    def test_cpp_files_have_the_hosts_compiler(self):
        self.write("app.cu", "extern int f();\nextern \"C\" int g();\n__global__ void k() {}\nint main() { return f() + g() - 3; }\n")
        self.write("f.cpp", "#ifdef __clang__\n#error host\n#endif\n#ifndef __NVCC__\n#error nvcc\n#endif\n"
                   "#include <cuda_runtime.h>\nint f() { return 1; }\n")
        self.write("g.c", "int g(void) { int class = 2; return class; }\n")
        self.nvcc("app.cu", "f.cpp", "g.c", "-ccbin", "gcc")
        self.program()

    def test_x_says_which_language(self):
        self.write("app.cpp", HELLO)
        self.nvcc("-x", "cu", "app.cpp", "-o", "app")
        self.assertIn("kernel _Z5helloi", self.program("app"))

    def test_libraries(self):
        self.write("k.cu", "__global__ void k() {}\nextern \"C\" void run() { k<<<1, 1>>>(); }\n")
        self.write("main.c", "void run(void);\nint main(void) { run(); return 0; }\n")
        self.nvcc("-lib", "k.cu", "-o", "libk.a")
        self.nvcc("main.c", "-L.", "-lk", "-o", "static")
        self.nvcc("-shared", "-Xcompiler", "-fPIC", "k.cu", "-o", "libs.so")
        self.nvcc("main.c", "-L", ".", "-l", "s", "-Xlinker", "-rpath,$ORIGIN", "-o", "dynamic", "-cudart", "none")
        for name in ("static", "dynamic"):
            self.assertEqual([line for line in self.program(name) if line in ("launch", "kernel _Z1kv")], ["kernel _Z1kv", "launch"])

    def test_a_rule_for_make(self):
        self.write("h.h", "")
        self.write("app.cu", '#include "h.h"\n' + HELLO)
        self.nvcc("-MD", "-MF", "app.d", "-MT", "target", "-MP", "-c", "app.cu", "-o", "x.o")
        rule = (self.folder / "app.d").read_text()
        self.assertTrue(rule.startswith("target: app.cu"))
        self.assertIn(" h.h", rule)
        self.assertIn("\nh.h:\n", rule)
        self.nvcc("-MMD", "-c", "app.cu", "-o", "y.o")
        self.assertNotIn("cuda_runtime", (self.folder / "y.d").read_text())
        self.assertRegex(self.nvcc("-MM", "app.cu")[0], r"^app\.o: app\.cu h\.h\n")
        self.assertIn("void hello(int n)", self.nvcc("-E", "app.cu")[0])

    def test_run(self):
        self.write("app.c", '#include <stdio.h>\nint main(int n, char **v) { puts(v[1]); return 0; }\n')
        self.assertEqual(self.nvcc("-run", "-run-args", "hi", "app.c")[0], "hi\n")


class Relocatable(support.WithInstallation):
    def relocated(self):
        self.write("a.cu", USES)
        self.write("b.cu", DEFINES)

    def check(self, lines):
        linked = [line for line in lines if line.startswith("linked")]
        self.assertEqual(len(linked), 1)
        self.assertIn("optimised<a.cu 80><b.cu 80>", linked[0])
        self.assertLess(lines.index(linked[0]), lines.index("wrapper 466243b1"))
        self.assertEqual({line for line in lines if line.startswith(("kernel", "variable"))},
                         {"kernel _Z5firstPi", "kernel _Z6secondv", "variable shared_counter"})
        self.assertEqual([line for line in lines if line in ("launch", "main")], ["launch", "launch", "main"])

    def test_two_files_at_once(self):
        self.relocated()
        self.nvcc("-rdc=true", "a.cu", "b.cu", "-o", "app")
        self.check(self.program("app"))

    def test_objects_then_a_link(self):
        self.relocated()
        self.nvcc("-dc", "a.cu", "b.cu")
        parts = [container.find_all((self.folder / name).read_bytes())[0] for name in ("a.o", "b.o")]
        self.assertEqual([(part.relocatable, part.section("device")) for part in parts], [(True, b"<a.cu 80>"), (True, b"<b.cu 80>")])
        self.nvcc("a.o", "b.o", "-o", "app")
        self.check(self.program("app"))

    def test_a_device_link_then_the_hosts_linker(self):
        self.relocated()
        self.nvcc("-dc", "a.cu", "b.cu")
        self.nvcc("-dlink", "a.o", "b.o", "-o", "linked.o")
        library = self.prefix / "cuda" / "lib64"
        subprocess.run(["g++", "a.o", "b.o", "linked.o", f"-L{library}", "-lcudart", "-o", "by_host"], cwd=self.folder, check=True)
        self.check(self.program("by_host"))
        self.nvcc("a.o", "b.o", "linked.o", "-o", "again")
        self.check(self.program("again"))

    def test_parts_in_a_library(self):
        self.relocated()
        self.nvcc("-dc", "a.cu")
        self.nvcc("-rdc=true", "-lib", "b.cu", "-o", "libb.a")
        for words in (["libb.a"], ["-L.", "-lb"]):
            self.nvcc("a.o", *words, "-o", "app")
            self.check(self.program("app"))

    def test_files_of_one_name_in_two_folders(self):
        self.write("a/part.cu", USES)
        self.write("b/part.cu", DEFINES)
        self.nvcc("-dc", "part.cu", folder="a")
        self.nvcc("-dc", "part.cu", folder="b")
        self.nvcc("a/part.o", "b/part.o")
        self.assertEqual([line for line in self.program() if line in ("launch", "main")], ["launch", "launch", "main"])

    def test_a_part_without_kernels(self):
        self.write("a.cu", HELLO)
        self.write("b.cu", "__device__ int helper() { return 1; }\n")
        self.nvcc("-rdc=true", "a.cu", "b.cu")
        self.assertIn("optimised<a.cu 80><b.cu 80>", self.program()[0])

    def test_without_relocatable_code_a_device_link_is_empty(self):
        self.write("a.cu", HELLO)
        self.nvcc("-c", "a.cu")
        self.nvcc("-dlink", "a.o")
        self.nvcc("a.o", "a_dlink.o")
        self.assertIn("main", self.program())


class StaticVariables(unittest.TestCase):
    def test_get_one_name(self):
        for suffix in (".static.0123456789abcdef", ".static.f42406578d5625f"):  # clang leaves out leading zeros
            text = ("@_ZL1a = external addrspace(1) global i32, align 4\n@_ZL2ab = addrspace(1) global i32 0\n"
                    f"@_ZL1a{suffix} = addrspace(1) global i32 0\n  load @_ZL1a, @_ZL2ab\n  linkageName: \"_ZL1a\"\n")
            self.assertEqual(device.with_one_name(text),
                             f"@_ZL2ab = addrspace(1) global i32 0\n@_ZL1a{suffix} = addrspace(1) global i32 0\n"
                             f"  load @_ZL1a{suffix}, @_ZL2ab\n  linkageName: \"_ZL1a\"\n")


class Messages(support.WithInstallation):
    def test_the_device_part_is_first(self):
        self.write("bad.cu", "DEVICE_ERROR\n")
        _, messages = self.nvcc("bad.cu", "-o", "bad", status=1)
        self.assertEqual(messages, "bad.cu:1:1: error: of the device part\n")
        self.assertFalse((self.folder / "bad").exists())
        self.write("sub/bad.cu", "DEVICE_ERROR\n")
        _, messages = self.nvcc("sub/bad.cu", status=1)
        self.assertEqual(messages, "sub/bad.cu:1:1: error: of the device part\n")

    def test_a_header_that_a_package_has(self):
        for header, package in (("thrust/sort.h", "libthrust-dev"), ("cub/cub.cuh", "libcub-dev"), ("nv/target", "libcu++-dev"), ("cuda/std/atomic", "libcu++-dev")):
            message = f"a.cu:1:10: fatal error: '{header}' file not found\n#include <{header}>"
            self.assertTrue(runner.with_owner(message).endswith(f"note: '{header}' is in Debian's package {package}: apt-get install {package}"))
        self.assertEqual(runner.with_owner("a.cu:1:10: fatal error: 'own.h' file not found"), "a.cu:1:10: fatal error: 'own.h' file not found")

    def test_a_header_of_a_library_that_there_is_not(self):
        for name, include in (("a.cu", "cudnn.h"), ("b.cpp", "cusparse_v2.h")):
            self.write(name, f"#include <{include}>\n")
            _, messages = self.nvcc("-c", name, status=1)
            library = {"cudnn.h": "cuDNN", "cusparse_v2.h": "cuSPARSE"}[include]
            self.assertEqual(messages.count(f"\nnote: '{include}' belongs to {library}, which Warpscope does not support\n"), 1, messages)

    def test_an_error_of_the_host_part(self):
        self.write("bad.cu", "int main() { return nothing; }\n")
        _, messages = self.nvcc("-c", "bad.cu", status=1)
        self.assertEqual(messages.count("bad.cu:1:21: error: use of undeclared identifier 'nothing'"), 1)
        self.assertFalse((self.folder / "bad.o").exists())

    def test_what_both_parts_say_is_said_once(self):
        self.write("shared.h", "\n\n#warning said\n")
        self.write("a.cu", '// SAME_WARNING\n#include "shared.h"\nint main() {}\n')
        _, messages = self.nvcc("-c", "a.cu")
        self.assertEqual((messages.count("said by both parts"), messages.count("#warning said") > 0), (1, True))

    def test_a_kernel_that_cannot_be_traced_still_compiles(self):
        self.write("a.cu", f"// UNTRACEABLE\n{HELLO}")
        self.nvcc("a.cu")
        self.assertIn("main", self.program())

    def test_nvcc_itself(self):
        for words, message in ((["--foo", "a.cu"], "Unknown option '--foo'"),
                               ([], "No input files specified; use option --help for more information"),
                               (["missing.cu"], "Could not open input file 'missing.cu': No such file or directory"),
                               (["-c", "-o", "x.o", "a.cu", "b.cu"],
                                "A single input file is required for a non-link phase when an outputfile is specified")):
            self.assertEqual(self.nvcc(*words, status=1), ("", f"nvcc fatal   : {message}\n"))
        self.write("a.c", "int main(void) { return 0; }\n")
        _, messages = self.nvcc("-arch=sm_90", "a.c")
        self.assertRegex(messages, r"^nvcc warning : the architecture sm_90 is newer than release 11\.5: [^\n]*\n$")

    def test_a_link_that_fails_has_the_linkers_status_and_leaves_nothing(self):
        self.write("a.c", "int f(void);\nint main(void) { return f(); }\n")
        _, messages = self.nvcc("a.c", "-o", "app", status=1)
        self.assertIn("undefined reference to `f'", messages)
        self.assertFalse((self.folder / "app").exists())

    def test_what_cmake_reads(self):
        self.write("a.cu", HELLO)
        _, plain = self.nvcc("-v", "__cmake_determine_cuda", status=1)
        self.assertIn(f"#$ TOP={self.prefix}/cuda\n", plain)
        _, said = self.nvcc("--dryrun", "a.cu", "-arch=sm_75")
        self.assertFalse((self.folder / "a.out").exists())
        libraries = f"-L{self.prefix}/cuda/lib64"
        self.assertIn(f"#$ LIBRARIES={libraries}\n", said)
        self.assertIn(f"#$ INCLUDES=-I{self.prefix}/cuda/include\n", said)
        self.assertRegex(said, r"\n#\$ cicc -arch compute_75 .*a\.cu\n")
        self.assertRegex(said.splitlines()[-1], rf"^#\$ g\+\+ -m64 -o a\.out .*{libraries} -lcudadevrt -lcudart_static ")
        self.assertTrue(all(line.startswith("#$ ") for line in said.splitlines()))
        version, _ = self.nvcc("--version")
        self.assertRegex(version, r"nvcc: NVIDIA \(R\) Cuda compiler driver\n(.*\n)*.* release 11\.5, V11\.5\.119\n")

    def test_native_takes_the_chosen_gpu(self):
        self.write("a.cu", HELLO)
        self.assertIn("-arch compute_75 ", self.nvcc("--dryrun", "-arch=native", "a.cu", warpscope_gpu="turing")[1])

    def test_the_environment(self):
        self.write("a.c", "#if A != 1 || B != 2\n#error\n#endif\nint main(void) { return 0; }\n")
        self.nvcc("a.c", nvcc_prepend_flags="-DA=1", nvcc_append_flags="-DB=2")


if __name__ == "__main__":
    unittest.main()
