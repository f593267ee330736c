"""warpscope kernels, and which code of a fat binary is executed. Fat binaries are put together here, of committed cubins."""
import json
import struct
import subprocess
import sys
import unittest

from test_inputs import BIN, CUBINS, PTX, PTXAS, SOURCE, WithFolder

DATA = SOURCE / "tests" / "unit" / "machine" / "data"
ONLY_HERE, FAMILY = 0x100000, 0x200000  # flags of sm_90a and sm_100f
ATAX = ("--grid", 1, "--block", 32, "--dynamic-shared", 4096, "--arg", "param_0=count=1024", "--arg", "param_1=count=32", "--arg", "param_2=count=32", "--arg", "param_3=32")


def image(content, architecture, flags=0, kind=2):
    content += bytes(-len(content) % 8)
    return struct.pack("<HHIQIIIIIIQIIII", kind, 0x101, 64, len(content), 0, 0, 0, architecture, 0, 0, 0x11 | flags, 0, 0, 0, 0) + content


def fat_binary(*images):
    body = b"".join(images)
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body


def atax(architecture, flags=0):
    return image((CUBINS / f"sm_{architecture}" / "atax.cubin").read_bytes(), architecture, flags)


class Kernels(WithFolder):
    def kernels(self, *words, status=0):
        done = subprocess.run([sys.executable, "-B", SOURCE / "scripts" / "warpscope", "kernels", *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, env={"PATH": "/usr/bin:/bin", "WARPSCOPE_BIN": str(BIN)})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, *words):
        return [line.split(maxsplit=5) for line in self.kernels(*words).stdout.splitlines()[1:]]

    def test_a_cubin_has_what_ptxas_said_and_the_names_of_the_source(self):
        rows = {row[-1].split("(")[0]: row for row in self.rows(DATA / "saxpy_sm75.cubin")}
        self.assertEqual(rows["saxpy"], ["sm_75", "24", "8", "1024", "yes", "saxpy(a: 4, x: 8, y: 8, n: 4)"])
        self.assertEqual(rows["spill"][:5], ["sm_75", "40", "584", "0", "yes"])

    def test_ptx_has_no_registers(self):
        (self.folder / "k.ptx").write_text("// a comment\n/* and\nanother */ " + PTX)
        self.assertEqual(self.rows("k.ptx"), [["compute_75", "-", "-", "0", "no", "scale(from: 8, to: 8, factor: 4, n: 4)"]])

    def test_an_object_of_the_host_has_all_its_images(self):
        self.assertEqual([row[0] for row in self.rows(DATA / "tiny.o")], ["sm_75", "sm_90", "compute_75"] if len(self.rows(DATA / "tiny.o")) == 3
                         else ["sm_75", "compute_75"])

    def test_json(self):
        found = json.loads(self.kernels(DATA / "saxpy_sm90.cubin", "--json").stdout)
        self.assertEqual((found["schema"], found["unread"], found["notes"]), (1, [], []))
        saxpy = next(one for one in found["kernels"] if one["name"] == "saxpy")
        self.assertEqual((saxpy["code"], saxpy["registers"], saxpy["lineinfo"], saxpy["shared_bytes"]), ("sm_90", 24, True, 1024))
        self.assertEqual([one["bytes"] for one in saxpy["parameters"]], [4, 8, 8, 4])

    def test_one_line_for_what_cannot_be_read(self):
        damaged = (CUBINS / "sm_80" / "atax.cubin").read_bytes()[:900]
        code = image(b"\0" * 64, 90, kind=8)
        (self.folder / "k.fatbin").write_bytes(fat_binary(atax(75), image(damaged, 80), code))
        lines = self.kernels("k.fatbin").stdout.splitlines()
        self.assertEqual(len(lines), 4, lines)
        self.assertIn("atax(", lines[1])
        self.assertTrue(any(line.startswith("not read: k.fatbin: image 2 (sm_80)") for line in lines), lines)
        self.assertIn("not read: k.fatbin: image 3 (sm_90) is code for -dlto, expected machine code or PTX", lines)

    def test_what_is_listed_but_not_executed_is_said(self):
        cubin = bytearray((CUBINS / "sm_75" / "atax.cubin").read_bytes())
        if cubin[7] == 0x41:  # CUDA 13
            cubin[49] = 61
        else:
            cubin[48] = 61
        (self.folder / "k.cubin").write_bytes(cubin)
        self.assertIn("k.cubin: sm_61 is not executed here, expected sm_70 to sm_90", self.kernels("k.cubin").stdout)

    def test_only_one_architecture(self):
        (self.folder / "k.fatbin").write_bytes(fat_binary(atax(75), atax(80), atax(90, ONLY_HERE)))
        self.assertEqual([row[0] for row in self.rows("k.fatbin")], ["sm_75", "sm_80", "sm_90a"])
        self.assertEqual([row[0] for row in self.rows("k.fatbin", "--arch", "sm_80")], ["sm_80"])
        self.assertIn("no code for sm_86", self.kernels("k.fatbin", "--arch", "sm_86", status=2).stderr)

    def test_bad_input_is_one_line(self):
        (self.folder / "text").write_text("hello")
        (self.folder / "libcublas.so.13").write_bytes((DATA / "tiny.o").read_bytes())
        for words, expected in ((("text",), "unrecognised file format"), (("libcublas.so.13",), "a library of NVIDIA's"), ((), "usage"), (("missing",), "cannot"),
                                (("a", "b"), "expected one file"), (("/bin/true",), "has no kernels, expected a program or library that nvcc linked")):
            done = self.kernels(*words, status=2)
            if words:
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(expected, done.stderr)


class Choice(WithFolder):
    def code(self, content, gpu, status=0, **environment):
        """What trace-kernel says that it executes of a fat binary."""
        (self.folder / "k.fatbin").write_bytes(content)
        done = self.run_tool("trace-kernel", "k.fatbin", f"--machine={gpu}", "--kernel", "atax", *ATAX, "-o", "x.wtrace", status=status, **environment)
        lines = [line for line in done.stderr.splitlines() if "machine code: " in line]
        return lines[0].split("machine code: ")[1].split(",")[0].split(";")[0] if lines else done.stderr

    def test_the_highest_minor_version_that_is_not_above_the_gpus(self):
        content = fat_binary(atax(89), atax(80), atax(75), atax(86))
        for gpu, expected in (("sm_80", "sm_80"), ("sm_86", "sm_86"), ("sm_87", "sm_86"), ("sm_89", "sm_89"), ("sm_75", "sm_75")):
            self.assertEqual(self.code(content, gpu), expected, gpu)
        self.assertIn("code for sm_75, sm_80, sm_86, sm_89, none of which h100 (9.0) runs", self.code(content, "h100", status=2))

    def test_code_for_the_gpu_alone_comes_first_wherever_it_is(self):
        for images in ((atax(90), atax(90, ONLY_HERE)), (atax(90, ONLY_HERE), atax(90))):
            self.assertEqual(self.code(fat_binary(*images), "h100"), "sm_90a")

    def test_code_for_a_gpu_alone_runs_on_no_other(self):
        content = fat_binary(atax(80, ONLY_HERE), atax(75))
        self.assertIn("none of which sm_86 (8.6) runs", self.code(content, "sm_86", status=2))
        self.assertEqual(self.code(content, "sm_80"), "sm_80a")

    def test_each_fat_binary_is_chosen_from_on_its_own(self):
        other = image((CUBINS / "sm_86" / "bitonic.cubin").read_bytes(), 86)
        self.assertEqual(self.code(fat_binary(atax(80)) + fat_binary(other), "sm_86"), "sm_80")

    def test_a_missing_or_ambiguous_name_lists_the_kernels(self):
        for words, expected in ((("--kernel", "atux"), "no kernel 'atux', expected one of: "), ((), "2 kernels, expected --kernel with one of: ")):
            done = self.run_tool("trace-kernel", DATA / "saxpy_sm90.cubin", *words, status=2)
            self.assertIn(expected, done.stderr)
            self.assertIn("saxpy", done.stderr)

    def test_a_launch_file_next_to_it(self):
        (self.folder / "k.launch").write_text(json.dumps({"kernel": "atax", "global": 32, "local": 32, "args": {
            "param_0": {"count": 1024}, "param_1": {"count": 32}, "param_2": {"count": 32}, "param_3": 32}}))
        (self.folder / "k.fatbin").write_bytes(fat_binary(atax(90)))
        done = self.run_tool("trace-kernel", "k.fatbin", "--dynamic-shared", 4096, "-o", "x.wtrace")
        self.assertIn("kernel atax, global 32x1x1", done.stderr)

    @unittest.skipUnless(PTXAS, "no ptxas")
    def test_ptx_comes_last_and_is_said_NeedsCudaToolkit(self):
        text = image(PTX.encode(), 75, kind=1)
        words = ("--kernel", "scale", "--grid", 1, "--block", 32, "--arg", "from=count=32,type=float", "--arg", "to=count=32,type=float", "--arg", "factor=2",
                 "--arg", "n=32", "-o", "x.wtrace")
        (self.folder / "p.fatbin").write_bytes(fat_binary(atax(80), text))
        done = self.run_tool("trace-kernel", "p.fatbin", "--machine=h100", *words)
        self.assertIn("trace-kernel: p.fatbin: no machine code for h100, only PTX: the GPU's driver would use its own compiler, here ptxas ", done.stderr)
        self.run_tool("trace-kernel", "p.fatbin", "--machine=sm_80", *words, status=2)  # there is machine code for it, of another kernel

    @unittest.skipUnless(PTXAS, "no ptxas")
    def test_ptx_that_is_newer_than_ptxas_is_one_line_NeedsCudaToolkit(self):
        (self.folder / "v.ptx").write_text(PTX.replace(".version 7.0", ".version 99.1"))
        done = self.run_tool("trace-kernel", "v.ptx", status=2)
        self.assertRegex(done.stderr, r"^trace-kernel: v.ptx: PTX of version 99.1, while ptxas [0-9.]+ knows versions up to [0-9.]+; expected a newer toolkit "
                                      r"in \$CUDA_HOME\n$")


if __name__ == "__main__":
    unittest.main()
