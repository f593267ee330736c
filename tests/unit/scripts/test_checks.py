"""The scripts that check: skipped tests are found, setup says what it would install."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import support


class SkippedTests(unittest.TestCase):
    def status(self, xml):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "report.xml").write_text(xml)
            return subprocess.run([support.SCRIPTS / "stages" / "no_skipped_tests.py", folder], capture_output=True).returncode

    def test_fail_in_both_report_formats(self):
        self.assertEqual(self.status('<testsuite><testcase name="a" status="run"/></testsuite>'), 0)
        self.assertEqual(self.status('<testsuite><testcase name="a" status="notrun"/></testsuite>'), 1)
        self.assertEqual(self.status('<testsuite><testcase name="a" status="run" result="skipped"/></testsuite>'), 1)
        self.assertEqual(self.status('<testsuite><testcase name="a"><skipped/></testcase></testsuite>'), 1)

    def test_cannot_be_ruled_out_without_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            for place in (folder, f"{folder}/nowhere"):
                done = subprocess.run([support.SCRIPTS / "stages" / "no_skipped_tests.py", place], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn("no report of a test in it", done.stderr)

    def test_are_allowed_where_a_gpu_is_needed(self):
        self.assertEqual(self.status('<testsuite><testcase name="NeedsGpuCounters" status="notrun"/></testsuite>'), 0)


class Pages(unittest.TestCase):
    def check_links(self, folder):
        done = subprocess.run([support.SCRIPTS / "check_links", folder], capture_output=True, text=True)
        return done.returncode, done.stderr.splitlines()

    def test_links_lead_somewhere(self):
        self.assertEqual(self.check_links(support.SOURCE), (0, []))

    def test_a_link_without_a_target_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            gone = "/".join(("docs", "gone.md"))
            page, code = pathlib.Path(folder, "page.md"), pathlib.Path(folder, "code.h")
            page.write_text("# One, two\n\n[here](#one-two) [web](https://example.org)\n\n    [code](not-checked.md)\n\n`[x](y.md)`\n")
            self.assertEqual(self.check_links(folder), (0, []))
            page.write_text("# One\n\n[a](page.md#one)\n[b](gone.md)\n[c](page.md#two)\n")
            code.write_text(f"// as {gone} says\n")
            status, lines = self.check_links(folder)
            self.assertEqual(status, 4)
            self.assertEqual(lines, [f"code.h:1: {gone}: no such page", "page.md:4: gone.md: no such file",
                                     "page.md:5: page.md#two: no such heading, expected one of one"])


    def test_a_file_that_a_comment_names_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            code, script = pathlib.Path(folder, "core.h"), pathlib.Path(folder, "run.py")
            gone = "gone" + ".h"
            code.write_text(f'#include "{gone}"\n// core.h, driver_types.h and NAME.cpp\nint a;  ///< run.py\n')
            script.write_text(f'"""Reads core.h."""\nprint("{gone}")\n')
            self.assertEqual(self.check_links(folder), (0, []))
            code.write_text(f"int a;  ///< {gone}, other/core.h\n")
            script.write_text(f'"""Reads\n{gone}."""\n')
            status, lines = self.check_links(folder)
            self.assertEqual((status, lines), (4, [f"{file}: no such file, but a comment names it" for file in (
                f"core.h:1: {gone}", "core.h:1: other/core.h", f"run.py:2: {gone}")]))


class Setup(unittest.TestCase):
    def run_setup(self, installed, *options, candidate=None, tools=("awk", "grep", "printf", "sed", "id", "env", "bash")):
        """With a PATH that holds a stand-in package manager only."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for tool in tools:
                target = f"/usr/bin/{tool}" if os.path.exists(f"/usr/bin/{tool}") else f"/bin/{tool}"
                (folder / tool).symlink_to(target)
            if installed is not None:
                (folder / "dpkg-query").write_text("#!/bin/bash\n" + "".join(
                    f"echo '{name} installed'\n" for name in installed))
                (folder / "apt-get").write_text('#!/bin/bash\necho "apt-get $*"\n[ "${*: -1}" != broken ]\n')
                (folder / "apt-cache").write_text(f"#!/bin/bash\necho '  Candidate: {candidate or '(none)'}'\n")
                for name in ("dpkg-query", "apt-get", "apt-cache"):
                    (folder / name).chmod(0o755)
            return subprocess.run(["/bin/bash", support.SCRIPTS / "setup", *options], capture_output=True, text=True,
                                  env={"PATH": str(folder)})

    def missing(self, *options):
        return self.run_setup([], "--list", *options).stdout.split()

    def test_lists_what_is_missing(self):
        self.assertIn("pocl-opencl-icd", self.missing())
        self.assertNotIn("oclgrind", self.missing())
        self.assertIn("oclgrind", self.missing("--tests"))

    def test_installs_only_what_is_missing_and_says_so(self):
        everything = self.missing()
        done = self.run_setup([name for name in everything if name != "cmake"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("installing 1 packages: cmake\n", done.stdout)
        self.assertRegex(done.stdout, r"apt-get -o DPkg::Lock::Timeout=400 install -y .* cmake\n")

    def test_does_nothing_when_everything_is_there(self):
        done = self.run_setup(self.missing())
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("apt-get", done.stdout)

    def test_installs_nvidias_toolkit_where_the_sources_have_it(self):
        done = self.run_setup(self.missing(), "--with-cuda", candidate="11.8.89~11.8.0-5~deb12u1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("installing 1 packages: nvidia-cuda-toolkit\n", done.stdout)
        done = self.run_setup([], "--with-cuda")
        self.assertEqual(done.returncode, 2)
        self.assertIn("add the word non-free to the line of bookworm in /etc/apt/sources.list", done.stderr)
        self.assertNotIn("apt-get -o", done.stdout)

    def test_says_what_to_do_on_a_system_without_apt(self):
        done = self.run_setup(None)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no apt-get; expected Debian 12", done.stderr)
        self.assertIn("pocl-opencl-icd", done.stderr)


if __name__ == "__main__":
    unittest.main()
