"""The scripts that check: skipped tests are found, setup says what it would install."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import support


class SkippedTests(unittest.TestCase):
    def status(self, xml):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "report.xml").write_text(xml)
            return subprocess.run([support.SCRIPTS / "no_skipped_tests.py", folder], capture_output=True).returncode

    def test_fail_in_both_report_formats(self):
        self.assertEqual(self.status('<testsuite><testcase name="a" status="run"/></testsuite>'), 0)
        self.assertEqual(self.status('<testsuite><testcase name="a" status="notrun"/></testsuite>'), 1)
        self.assertEqual(self.status('<testsuite><testcase name="a" status="run" result="skipped"/></testsuite>'), 1)
        self.assertEqual(self.status('<testsuite><testcase name="a"><skipped/></testcase></testsuite>'), 1)

    def test_cannot_be_ruled_out_without_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            for place in (folder, f"{folder}/nowhere"):
                done = subprocess.run([support.SCRIPTS / "no_skipped_tests.py", place], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn("no report of a test in it", done.stderr)

    def test_are_allowed_where_a_gpu_is_needed(self):
        self.assertEqual(self.status('<testsuite><testcase name="NeedsGpuCounters" status="notrun"/></testsuite>'), 0)


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        pages = [page for page in support.SOURCE.rglob("*.md") if "build" not in page.relative_to(support.SOURCE).parts]
        self.assertGreater(len(pages), 5)
        for page in pages:
            for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
                if not re.match(r"[a-z]+:", link):
                    self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")


class Setup(unittest.TestCase):
    def run_setup(self, installed, *options, tools=("awk", "grep", "printf", "sed", "id", "env", "bash")):
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
                for name in ("dpkg-query", "apt-get"):
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

    def test_says_what_to_do_on_a_system_without_apt(self):
        done = self.run_setup(None)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no apt-get; expected Debian 12", done.stderr)
        self.assertIn("pocl-opencl-icd", done.stderr)


if __name__ == "__main__":
    unittest.main()
