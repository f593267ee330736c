"""The tools from a prefix: installed, moved once, run with an empty environment where source and build cannot be seen."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin")).resolve()
BUILD = BIN.parent
PACKAGES = "lib/python3/dist-packages"
LOADS_OF_MM_64 = 2 * 64**3  # every work-item reads a row of A and a column of B

# Puts an empty folder over the build, then the source, for one command.
HIDE = 'for place in "$1" "$2"; do mount -t tmpfs -o size=1m none "$place" || exit 125; done; shift 2; exec "$@"'
NAMESPACES = (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"])


class Sandbox:
    """Runs commands that cannot see source and build, or at least proves that they opened nothing there."""

    def __init__(self, folder):
        self.folder, self.reasons = folder, []
        self.log = folder / "opened.txt"
        self.words = next((words for words in self.ways() if self.works(words)), None)

    def ways(self):
        for namespace in NAMESPACES:
            yield [*namespace, "/bin/sh", "-c", HIDE, "sh", str(BUILD), str(SOURCE)]
        yield ["strace", "-f", "-qq", "-e", "trace=%file", "-o", str(self.log)]

    def works(self, words):
        look = ["/bin/sh", "-c", "! test -e \"$0\"", str(SOURCE / "CMakeLists.txt")] if words[0] == "unshare" else ["true"]
        try:
            done = subprocess.run([*words, *look], capture_output=True, text=True, check=False)
        except OSError as error:
            self.reasons.append(f"{words[0]}: {error.strerror}")
            return False
        if done.returncode != 0:
            self.reasons.append(f"{' '.join(words[:3])}: exit status {done.returncode}, {done.stderr.strip()}")
        return done.returncode == 0

    def run(self, *command, environment=()):
        done = subprocess.run([*self.words, "/usr/bin/env", "-i", *environment, *map(str, command)], cwd=self.folder,
                              capture_output=True, text=True, timeout=240, check=False)
        if self.words[0] == "strace":
            for place in (SOURCE, BUILD):
                opened = [line for line in self.log.read_text(errors="replace").splitlines() if f'"{place}' in line]
                if opened:
                    raise AssertionError(f"{command}: looks into {place}:\n" + "\n".join(opened[:5]))
        return done


class InstalledTest(unittest.TestCase):
    """One prefix for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="warpscope-install-"))).resolve()
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.folder / "first"], check=True, stdout=subprocess.DEVNULL)
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)
        for name in ("mm.cl", "mm.cu", "mm.launch"):
            shutil.copy(SOURCE / "benchmarks" / "kernels" / "mm" / name, cls.folder)
        shutil.copy(BUILD / "test-bin" / "programs_host", cls.folder / "app")
        cls.sandbox = Sandbox(cls.folder)

    def setUp(self):
        if self.sandbox.words is None:
            self.fail("no way to hide source and build from a program: " + "; ".join(self.sandbox.reasons))

    def run_tool(self, tool, *words):
        done = self.sandbox.run(self.prefix / "bin" / tool, *words)
        self.assertEqual(done.returncode, 0, f"{tool} {words}: {done.stdout}{done.stderr}")
        return done.stdout

    def loads(self, result):
        return json.loads((self.folder / result).read_text(encoding="utf-8"))["total"]["load"]["lanes"]

    def test_an_opencl_kernel_to_tables_and_plots(self):
        self.assertIn("mm, 64×64 work-items", self.run_tool("warpscope", "mm.cl", "--global", "64,64", "-o", "kernel"))
        self.assertIn("mm.cl", (self.folder / "kernel" / "report.txt").read_text(encoding="utf-8"))
        self.assertEqual(self.loads("kernel/result.json"), LOADS_OF_MM_64)
        plots = {path.suffix for path in (self.folder / "kernel").iterdir()}
        self.assertIn(".png", plots)

    def test_a_cuda_kernel(self):
        self.run_tool("warpscope", "mm.cu", "--global", "64,64", "--no-plots", "-o", "cuda")
        self.assertEqual(self.loads("cuda/result.json"), LOADS_OF_MM_64)

    def test_a_program_as_it_is(self):
        plain = subprocess.run([self.folder / "app", "one_launch"], capture_output=True, text=True, check=True).stdout
        self.assertIn(plain, self.run_tool("warpscope", "--no-plots", "-o", "program", "--", "./app", "one_launch"))
        self.assertGreater(self.loads("program/result.json"), 0)

    def test_a_cuda_program_from_source(self):
        shutil.copy(SOURCE / "tests" / "programs" / "cuda" / "host" / "openmp.cu", self.folder)
        built = self.sandbox.run(self.prefix / "cuda" / "bin" / "nvcc", "-Xcompiler", "-fopenmp", "openmp.cu", "-o", "points")
        self.assertEqual((built.returncode, built.stdout + built.stderr), (0, ""))
        self.assertIn("0 wrong, no error", self.run_tool("warpscope", "--no-plots", "-o", "points_out", "--", "./points"))
        self.assertEqual(self.loads("points_out/result.json"), 2 * 300)  # the two members of each point
        version = self.sandbox.run(self.prefix / "cuda" / "bin" / "nvcc", "--version").stdout
        self.assertIn("release 11.5", version)

    def test_the_parts_of_the_path(self):
        self.run_tool("trace-kernel", "mm.cl", "--global", "64,64", "-o", "parts.wtrace")
        self.run_tool("trace-check", "parts.wtrace")
        self.run_tool("warpsched", "parts.wtrace", "--gpu", "gtx480", "-o", "parts.wsched")
        self.run_tool("cachesim", "parts.wsched", "16", "128", "4", "LRU", "WTNA", "--json", "parts.json")
        self.assertEqual(self.loads("parts.json"), LOADS_OF_MM_64)
        self.run_tool("cachesim", "sweep", "parts.wsched", "--ways", "1-4", "--sets", "32", "--csv", "sweep.csv")
        self.run_tool("cachesim", "timed", "parts.wtrace", "--gpu", "v100", "--json", "timed.json")
        self.assertEqual(self.loads("timed.json"), LOADS_OF_MM_64)

    def test_every_preset_is_there(self):
        listed = self.run_tool("cachesim", "--list-presets")
        for preset in (SOURCE / "gpus").glob("*.json"):
            self.assertRegex(listed, rf"(?m)^\s*{preset.stem}\b")

    def test_the_programs_are_those_for_users(self):
        programs = {path.name for path in (self.prefix / "bin").iterdir()}
        self.assertLessEqual({"cachesim", "trace-change", "trace-check", "trace-kernel", "trace-view", "warpsched", "warpscope"}, programs)
        self.assertFalse([name for name in programs if re.search("test|fuzz|bench|programs_", name)])
        for name in programs:
            self.run_tool(name, "--help")

    def test_the_python_package_can_be_imported(self):
        done = self.sandbox.run("/usr/bin/python3", "-c", "from warpscope import page, results; print(results.__file__)",
                                environment=[f"PYTHONPATH={self.prefix / PACKAGES}"])
        self.assertEqual(done.stdout.strip(), str(self.prefix / PACKAGES / "warpscope" / "result" / "results.py"), done.stderr)


if __name__ == "__main__":
    unittest.main()
