"""warpscope judge refuses each kernel of cheats/ with the code that its second line expects, and accepts those of honest/."""
import json
import pathlib
import re
import shutil
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import ToolTest  # noqa: E402
from sampled import load_tests  # noqa: F401,E402

MM = (FOLDER / "references" / "mm.cl").read_text()
ENDLESS = ("--cpu-seconds", 10)


def files(folder):
    return sorted(path for path in (FOLDER / folder).iterdir() if path.suffix in (".cl", ".cu"))


class Judged(ToolTest):
    def judge(self, candidate, *words, reference=None, costs=False):
        """(exit status, the report, the messages)."""
        right = FOLDER / "references" / f"{reference or candidate.stem.partition('_')[0]}.cl"
        done = self.call("warpscope", "judge", candidate, "--reference", right, "--json", "verdict.json", *([] if costs else ["--no-cost"]), *words,
                         environment={"WARPSCOPE_CACHE": ""})
        path = self.folder / "verdict.json"
        return done.returncode, json.loads(path.read_text()) if path.exists() else {}, done.stderr.decode()

    def own(self, text, launch=None, name="mm_own.cl"):
        """A candidate in a folder of its own."""
        path = self.folder / "own" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        if launch:
            path.with_suffix(".launch").write_text(launch)
        return path


class Cheats(Judged):
    """A method for each file, below."""

    def refused(self, path):
        code = re.search(r"^// Expected: ([\w-]+)$", path.read_text(), re.MULTILINE)[1]
        faster = code == "not-shown-faster"
        status, report, messages = self.judge(path, *ENDLESS, *(["--at-least", "1.1x"] if faster else []), costs=faster)
        self.assertEqual(status, 4, messages)
        self.assertIn(code, {reason["code"] for reason in report["reasons"]})


class Honest(Judged):
    def accepted(self, path):
        status, report, messages = self.judge(path)
        self.assertEqual((status, report.get("reasons")), (0, []), messages)
        self.assertEqual([fault for fault in report["faults"] if fault["level"] == "error"], [])
        self.assertEqual(len(report["compared"]), 6)


class Ways(Judged):
    """Ways around the judge that are no kernel."""

    def test_answers_that_come_along_count_for_the_seed(self):
        """Else one could compute what the seed of a kernel draws, and put the answers next to it."""
        seeds = []
        path = self.own('#include "answers.h"\n' + MM.replace("= sum", "= ANSWER"))
        for answer in ("sum", "1"):
            (path.parent / "answers.h").write_text(f"#define ANSWER {answer}\n")
            status, report, messages = self.judge(path, "--sizes", "odd")
            self.assertEqual(status, 0 if answer == "sum" else 4, messages)
            seeds.append(report["seed"])
        for more in ("", " "):
            self.own('#include "answers.h"\n' + MM.replace("= sum", "= ANSWER"), launch=(FOLDER / "references" / "mm.launch").read_text() + more)
            seeds.append(self.judge(path, "--sizes", "odd")[1]["seed"])
        self.assertEqual(len(set(seeds)), 4)

    def test_what_does_not_count_is_not_read(self):
        path = self.own('#define FILE "answers.h"\n#include FILE\n' + MM)
        (path.parent / "answers.h").write_text("\n")
        status, _, messages = self.judge(path, "--sizes", "odd")
        self.assertEqual(status, 2)
        self.assertIn("answers.h': Permission denied", messages)

    def test_code_that_is_not_traced(self):
        """It would cost nothing, and could do anything."""
        status, _, messages = self.judge(self.own(MM.replace("  C[", '  __asm__ volatile("nop");\n  C[')), "--sizes", "odd")
        self.assertEqual((status, "inline assembly" in messages), (3, True), messages)

    def test_memory_under_another_name(self):
        """Local memory and constants cost less; what is called so by a cast is global memory still."""
        for space in ("constant", "local"):
            text = MM.replace("A[", f"((const {space} float*)(ulong)A)[")
            status, _, messages = self.judge(self.own(text), "--sizes", "odd")
            self.assertEqual((status, f"access to {space} memory by an address of other memory" in messages), (3, True), messages)

    def test_names_that_are_ours(self):
        """What our functions do is one instruction of the hardware, and not traced."""
        for name in ('__warpscope_dot', '__warp\\\nscope_dot'):
            text = f"__attribute__((noinline)) float {name}(float a, float b) {{ return a * b; }}\n" + MM
            status, _, messages = self.judge(self.own(text), "--sizes", "odd")
            self.assertEqual((status, "names of Warpscope's own functions" in messages), (2, True), messages)

    def test_names_that_are_ours_by_the_compiler(self):
        """Text that only the compiler puts together. Where our headers have the name, it is there twice."""
        joined = "#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)\n#define TEXT_(a) #a\n#define TEXT(a) TEXT_(a)\n"
        hidden = "extern \"C\" __device__ __attribute__((noinline, nodebug)) float take(const float *a, int i)"
        body = " { return a[i]; }\n__global__ void k(const float *in, float *out) { out[threadIdx.x] = take(in, threadIdx.x); }\n"
        label = hidden + " asm(TEXT(JOIN(__warp, scope_texel_weight)));\n" + hidden + body
        renamed = "#pragma redefine_extname take __warpscope_grid_barrier\n" + hidden + body
        named = joined + "#define take JOIN(__warp, scope_texel_filtered)\n" + hidden + body
        for text, why in ((joined + label, "an asm label"), (renamed, "same mangled name"), (named, "same mangled name")):
            (self.folder / "k.cu").write_text(text)
            done = self.call("trace-kernel", "k.cu", "--global", 64, "--local", 64, "--arg", "in=count=64", "--arg", "out=count=64", "-o", "k.wtrace")
            self.assertEqual(done.returncode, 2, done.stderr.decode())
            self.assertRegex(done.stderr.decode(), why)

    def test_functions_of_the_host(self):
        status, _, messages = self.judge(self.own("int getpid(void);\n" + MM.replace("= sum", "= sum + 0 * getpid()")), "--sizes", "odd")
        self.assertEqual((status, "getpid" in messages), (2, True), messages)

    def test_variables_of_the_process(self):
        """One that a file declares only would be one of whatever runs the kernel."""
        text = 'extern constant int beyond __asm__("stdin");\n' + MM.replace("= sum", "= sum + 0.0f * beyond")
        status, _, messages = self.judge(self.own(text), "--sizes", "odd")
        self.assertEqual((status, "kernel 'mm': variable 'stdin' is declared, and defined nowhere" in messages), (2, True), messages)

    def test_integers_that_are_places(self):
        """Where the reference cannot take large ones, the candidate gets small ones, and a line says so."""
        text = "kernel void add(global const int* a, global const int* b, global int* c) { c[get_global_id(0)] = b[a[get_global_id(0)]]; }\n"
        path = self.own(text, (FOLDER / "references" / "add.launch").read_text(), "add_own.cl")
        right = self.own("// the same\n" + text, path.with_suffix(".launch").read_text(), "add_right.cl")
        done = self.call("warpscope", "judge", path, "--reference", right, "--no-cost", "--json", "verdict.json")
        report = json.loads((self.folder / "verdict.json").read_text())
        self.assertEqual((done.returncode, len(report["compared"])), (0, 6), done.stderr)
        self.assertEqual(report["left_out"], [f"size {size}, values extreme: integers below 0 and above 99, where the reference has faults (out-of-bounds)"
                                              for size in ("odd", "default")])

    def test_a_launch_that_does_not_scale(self):
        """Then no size is left that its author does not know: a line says so, and who asks for the odd size gets no acceptance."""
        known = MM.replace("get_global_id(0), y = get_global_id(1)", "get_global_id(0) % 64, y = get_global_id(0) / 64").replace("k < width", "k < 64")
        path = self.own(known, json.dumps({"kernel": "mm", "global": [4096], "local": [64], "args": {"A": 4096, "B": 4096, "C": 4096, "width": 64}}))
        status, report, messages = self.judge(path)
        self.assertEqual((status, [one["name"] for one in report["sizes"]]), (0, ["default"]), messages)
        self.assertIn("do not scale", report["left_out"][0])
        status, report, _ = self.judge(path, "--sizes", "odd,default")
        self.assertEqual((status, [reason["code"] for reason in report["reasons"]]), (4, ["no-odd-size"]))

    def test_code_in_the_compiler(self):
        """A plug-in could write the buffers itself."""
        launch = (FOLDER / "references" / "mm.launch").read_text()
        for options in ("-fplugin=evil.so", "-Xclang -load -Xclang evil.so", "-mllvm -x", "-include /etc/passwd", "-fpass-plugin=evil.so", "-D X=1 @file"):
            path = self.own(MM, launch.replace('"kernel"', f'"build_options": "{options}", "kernel"'))
            status, _, messages = self.judge(path, "--sizes", "odd")
            self.assertEqual((status, "not in a candidate's launch file" in messages), (2, True), messages)
        path = self.own(MM, launch.replace('"kernel"', '"build_options": "-DX=1 -cl-std=CL1.2 -O2", "kernel"'))
        self.assertEqual(self.judge(path, "--sizes", "odd")[0], 0)

    def test_the_reference_next_to_the_candidate_is_not_its_result(self):
        """What the reference left is in a folder that a candidate cannot open, and nothing is left from one run to the next."""
        shutil.copy(FOLDER / "references" / "mm.cl", self.folder)
        path = self.own(MM.replace("sum +=", "sum -="))
        status, report, _ = self.judge(path, "--sizes", "odd")
        self.assertEqual((status, {reason["code"] for reason in report["reasons"]}), (4, {"wrong-value"}))


def add_methods():
    for kind, name, method in ((Cheats, "cheats", "refused"), (Honest, "honest", "accepted")):
        for path in files(name):
            setattr(kind, f"test_{path.name.replace('.', '_')}", lambda self, path=path, method=method: getattr(self, method)(path))


add_methods()

if __name__ == "__main__":
    unittest.main()
