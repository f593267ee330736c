"""warpscope doctor: what is found, with its version, and what to install for the rest."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def tool(self, folder, name, says):
        path = self.folder / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{says}'\n")
        path.chmod(0o755)

    def doctor(self, *words):
        return subprocess.run([sys.executable, "-B", support.SCRIPTS / "warpscope", "doctor", *words], capture_output=True, text=True,
                              env={"PATH": str(self.folder / "bin"), "CUDA_HOME": str(self.folder / "cuda"), "WARPSCOPE_BIN": "/nowhere"})

    def found(self):
        done = self.doctor("--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {one["name"]: one for one in json.loads(done.stdout)["tools"]}

    def test_versions_are_what_the_tools_say(self):
        self.tool("cuda/bin", "ptxas", "Cuda compilation tools, release 99.1, V99.1.7")
        self.tool("cuda/bin", "nvcc", "nvcc: NVIDIA (R) Cuda compiler driver\\nCuda compilation tools, release 99.1, V99.1.7")
        self.tool("bin", "clang-15", "Debian clang version 15.0.6")
        found = self.found()
        self.assertEqual([found[name]["version"] for name in ("nvcc", "ptxas", "clang-15")], ["99.1", "99.1", "15.0.6"])
        self.assertFalse(found["g++"]["found"])

    def test_a_compiler_without_ptxas_next_to_it_is_not_nvidias(self):
        self.tool("bin", "nvcc", "warpscope-nvcc, release 12.0")
        self.assertNotEqual(self.found()["nvcc"]["path"], str(self.folder / "bin" / "nvcc"))

    def test_the_table_says_what_to_install(self):
        done = self.doctor()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"clang-15 +missing +compiling")
        self.assertIn("  apt-get install clang-15 llvm-15\n", done.stdout)
        done = self.doctor("x")
        self.assertEqual((done.returncode, done.stderr), (2, "warpscope: x: expected no input; warpscope doctor --help\n"))


if __name__ == "__main__":
    unittest.main()
