"""pip install python/: without a network, into an environment of its own, from where it finds the programs on PATH."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin")).resolve()
USE = """
import warpscope
print(warpscope.__file__)
mm = warpscope.capture("mm.cl", global_size=(32, 32), local_size=(16, 16))
print(mm.simulate(gpu="gtx480").total["load"]["lanes"], len(mm.addresses(limit=10)))
"""


class Pip(unittest.TestCase):
    def test_installs_offline_and_answers(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("mm.cl", "mm.launch"):
            (folder / name).write_bytes((SOURCE / "benchmarks" / "kernels" / "mm" / name).read_bytes())
        environment = folder / "environment"
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", "--without-pip", environment], check=True)
        python = environment / "bin" / "python"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "WARPSCOPE"))}
        clean["PATH"] = f"{BIN}:/usr/bin:/bin"
        done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--quiet", SOURCE / "python"], cwd=folder,
                              env=clean, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        used = subprocess.run([python, "-c", USE], cwd=folder, env=clean, capture_output=True, text=True)
        self.assertEqual(used.returncode, 0, used.stderr)
        where, numbers = used.stdout.splitlines()
        self.assertTrue(where.startswith(str(environment)), where)
        self.assertEqual(numbers, f"{2 * 32**3} 10")
        packages = pathlib.Path(where).parent
        self.assertTrue((packages / "py.typed").exists())
        commands = {path.name for path in (environment / "bin").iterdir()}
        self.assertLessEqual({"warpscope", "warpscope-nvcc"}, commands)
        self.assertFalse([path for path in (SOURCE / "python").iterdir() if path.suffix in (".egg-info", ".whl") or path.name == "build"])


if __name__ == "__main__":
    unittest.main()
