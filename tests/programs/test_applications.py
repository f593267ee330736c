"""Programs that were never written for us: their output and exit status are those of an untraced run."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from support import BIN, TEST_BIN, ProgramTest
from support import load_third as load_tests  # noqa: F401

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kernels"))
from counts import interpreted, recorded  # noqa: E402  (next to the other tests against Oclgrind)

PYTHON = "/usr/bin/python3"
OCLGRIND = ("oclgrind", "--build-options", "-cl-opt-disable", "--inst-counts")
# Lines of clinfo about the device that a GPU answers otherwise than PoCL; some are equal on some machines.
CHANGED_IN_CLINFO = {"Device Name", "Device Vendor", "Device Vendor ID", "Device Type", "Max compute units", "Max number of sub-devices",
                     "Supported partition types", "Max work item sizes", "Max work group size", "Preferred work group size multiple (device)",
                     "Preferred work group size multiple (kernel)", "char", "short", "int", "long", "half", "float", "double",
                     "Local memory type", "Local memory size", "Max constant buffer size"}


def accesses(counts):
    """Loads and stores of global and local memory."""
    return {key: value for key, value in counts.items() if key[0] in ("load", "store") and key[1] in ("global", "local")}


def interpreted_counts(listing):
    parts = re.split(r"Instructions executed for kernel '(\w+)':\n", listing)[1:]
    return [(name, accesses(interpreted(text))) for name, text in zip(parts[::2], parts[1::2])]


def recorded_counts(test):
    """Of the capture x.wtrace in a test's folder: kernel and accesses of each launch."""
    shown = test.plain(BIN / "trace-view", "--sites", "--json", "x.wtrace").stdout
    return [(launch["kernel"], accesses(recorded(launch))) for launch in json.loads(shown)["launches"]]


def has_pyopencl():
    return subprocess.run([PYTHON, "-c", "import pyopencl"], capture_output=True, check=False).returncode == 0


class Applications(ProgramTest):
    @unittest.skipUnless(shutil.which("clinfo"), "needs Debian's package clinfo")
    def test_clinfo_sees_no_difference(self):
        self.assert_same_program("clinfo", options=["--device-like", "pocl"])
        # What follows is about devices of other types: a GPU is found where there was none.
        plain, like_gpu = (done.stdout.split("NULL platform behavior")[0].splitlines() for done in (self.plain("clinfo"), self.traced("clinfo")))
        self.assertEqual(len(plain), len(like_gpu))
        changed = {before.strip().split("  ")[0] for before, after in zip(plain, like_gpu) if before != after}
        self.assertLessEqual(changed, CHANGED_IN_CLINFO)
        self.assertLessEqual({"Max work group size", "Device Type"}, changed)

    @unittest.skipUnless(has_pyopencl(), "needs Debian's package python3-pyopencl")
    def test_pyopencl(self):
        done = self.assert_same_program(PYTHON, pathlib.Path(__file__).with_name("pyopencl_programs.py"), "elementwise",
                                        "reduction")
        self.assertNotRegex(done.stderr, "not traced|outside")
        self.check()
        launches = self.launches()
        line = next(launch for launch in launches if launch["kernel"] == "line")
        # z = a*x + y over 3000 elements.
        self.assertEqual((line["loads"], line["stores"]), (2 * 3000, 3000))

    @unittest.skipUnless(has_pyopencl() and shutil.which("oclgrind"), "needs Debian's packages python3-pyopencl and oclgrind")
    def test_pyopencl_counts_are_oclgrinds(self):
        program = (PYTHON, pathlib.Path(__file__).with_name("pyopencl_programs.py"), "elementwise", "scan")
        self.assertEqual(self.traced(*program, options=("--optimize", "O0", "--device-like", "pocl")).returncode, 0)
        listed = self.plain(*OCLGRIND, *program)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        # PyOpenCL asks the device how large the groups of a reduction may be, and the two devices differ there.
        ours, theirs = ([pair for pair in pairs if not pair[0].startswith("reduce")]
                        for pairs in (recorded_counts(self), interpreted_counts(listed.stdout)))
        self.assertEqual(ours, theirs)
        self.assertEqual(len(ours), 4 + 2 * 3)

    @unittest.skipUnless(shutil.which("clpeak") and shutil.which("oclgrind"), "needs Debian's packages clpeak and oclgrind")
    def test_clpeak_counts_are_oclgrinds(self):
        """Per work-item: clpeak makes as many as the device's size asks for."""
        self.assertEqual(self.traced("clpeak", "-p", "0", "--kernel-latency",
                                     options=("--optimize", "O0", "--max-launches", "1")).returncode, 0)
        [(kernel, ours)] = recorded_counts(self)
        work_items = self.launches()[0]["work_items"]
        with subprocess.Popen([*OCLGRIND, "clpeak", "--kernel-latency"], stdout=subprocess.PIPE, text=True,
                              cwd=self.folder) as interpreter:
            text = ""  # twenty thousand launches: the first two blocks will do
            while text.count("Instructions executed") < 2:
                text += interpreter.stdout.readline() or self.fail("clpeak ended early under Oclgrind: " + text)
            interpreter.kill()
        theirs = interpreted_counts(text)[0]
        self.assertEqual(theirs[0], kernel)
        their_items = theirs[1][("store", "global")][0]  # it stores once per work-item
        self.assertEqual({key: [number / work_items for number in value] for key, value in ours.items()},
                         {key: [number / their_items for number in value] for key, value in theirs[1].items()})
        self.assertEqual(ours[("load", "global")][0], 16 * work_items)

    @unittest.skipUnless((TEST_BIN / "programs_clblast").exists(), "needs Debian's package libclblast-dev")
    def test_clblast(self):
        done = self.assert_same_program(TEST_BIN / "programs_clblast", 96, "vectors")  # matrices: long_clblast.py
        self.assertNotRegex(done.stderr, "not traced|outside")
        self.check()
        # Which of the two is chosen, and how wide its vectors are, depends on what CLBlast knows about the processor.
        axpy = [launch for launch in self.launches() if launch["kernel"] in ("XaxpyFaster", "XaxpyFastest")]
        # y = a*x + y over 96 x 96 floats, in vectors of four or eight.
        self.assertIn(axpy[0]["stores"], (96 * 96 // 4, 96 * 96 // 8))
        # Vectors of x and y; the compiler loads one of eight in halves where it shuffles them.
        self.assertIn(axpy[0]["loads"], (2 * axpy[0]["stores"], 3 * axpy[0]["stores"]))
        self.assertEqual(len(axpy), 2)


if __name__ == "__main__":
    unittest.main()
