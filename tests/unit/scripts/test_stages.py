"""The parts of scripts/test: where time went and how much may, tests that record their CPU time, units of what changed."""
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

import support

STAGES = support.SCRIPTS / "stages"


def load(name, path):
    """A script as a module, whatever its suffix."""
    spec = importlib.util.spec_from_loader(name, importlib.machinery.SourceFileLoader(name, str(path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


times, changed_units = load("test_times", STAGES / "test_times.py"), load("changed_units", STAGES / "changed_units")


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))


class Limits(Folder):
    def verdict(self, minutes, slower):
        return times.verdict([("build", "", 1, 60 * minutes), ("tests", "a", 1, 1000), ("packages", "", 1, 10000)], slower)

    def test_packages_do_not_count_and_tests_do_once(self):
        status, said = self.verdict(60, 1)
        self.assertEqual(status, 0)
        self.assertTrue(said.startswith("60.0 CPU minutes"), said)

    def test_it_warns_above_one_limit_and_fails_above_the_other(self):
        for minutes, status, warns in ((80, 0, False), (80.1, 0, True), (110, 0, True), (110.1, 4, False)):
            got, said = self.verdict(minutes, 1)
            self.assertEqual((got, said.startswith("warning")), (status, warns), minutes)

    def test_a_slow_machine_gets_more(self):
        for minutes, slower, status, warns in ((160, 2, 0, False), (161, 2, 0, True), (221, 2, 4, False)):
            got, said = self.verdict(minutes, slower)
            self.assertEqual((got, said.startswith("warning")), (status, warns), minutes)

    def test_no_machine_is_faster_than_the_reference(self):
        with unittest.mock.patch.object(times, "work", return_value=times.REFERENCE / 3):
            self.assertEqual(times.calibration(), 1)
        with unittest.mock.patch.object(times, "work", side_effect=[3 * times.REFERENCE, *8 * [2 * times.REFERENCE]]):
            self.assertEqual(times.calibration(), 2)

    def test_the_table_names_the_slowest_by_cpu_time(self):
        rows = [("tests", "", 20, 30.0), *(("tests", f"t{number}", 100 - number, float(number)) for number in range(12))]
        lines = times.table(rows)
        self.assertEqual([line.split()[1] for line in lines if line.startswith("tests: ")], [f"t{number}" for number in range(11, 1, -1)])

    def test_another_file_is_refused(self):
        (self.folder / "x.csv").write_text("stage,test\nbuild,\n")
        for path in (self.folder / "x.csv", self.folder / "nowhere"):
            done = subprocess.run([STAGES / "test_times.py", path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn("expected the table that scripts/test writes", done.stderr)


class Timed(Folder):
    def run_timed(self, *command, file="times"):
        environment = {**os.environ, "WARPSCOPE_TEST_TIMES": str(self.folder / file) if file else ""}
        return subprocess.run([support.SOURCE / "tests/timed.sh", "a_test", *command], env=environment, capture_output=True, text=True)

    def test_children_of_children_count_and_the_status_stays(self):
        work = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
        done = self.run_timed("/bin/sh", "-c", f"/usr/bin/python3 -c '{work}'; sleep 0.2; echo out; exit 7")
        self.assertEqual((done.returncode, done.stdout), (7, "out\n"), done.stderr)
        name, wall, cpu = (self.folder / "times").read_text().strip().split(",")
        self.assertEqual(name, "a_test")
        self.assertGreaterEqual(float(cpu), 0.29)
        self.assertGreaterEqual(float(wall), 0.48)
        self.assertLess(float(cpu), float(wall))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["times"])

    def test_nothing_is_written_where_nobody_asked(self):
        self.assertEqual(self.run_timed("/bin/sh", "-c", "exit 3", file=None).returncode, 3)
        self.assertEqual(list(self.folder.iterdir()), [])


class ChangedUnits(Folder):
    FILES = {"one/a.h": "", "one/b.h": '#include "one/a.h"\n', "one/lone.def": "", "one/a.cpp": '#include "one/a.h"\n',
             "one/b.cpp": '#include "b.h"\n', "one/c.cpp": '#include <vector>\n#include "one/lone.def"\n', "two/d.cpp": '#include "one/b.h"\n'}

    def setUp(self):
        super().setUp()
        for name, text in self.FILES.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        build = self.folder / "build"
        build.mkdir()
        (build / "unity_0.cxx").write_text("".join(f'#include "{self.folder}/one/{name}.cpp"\n' for name in "abc"))
        command = "g++ -DX='\"y z\"' -c {0} -o out.o"
        entries = [{"directory": str(build), "file": str(path), "command": command.format(path)}
                   for path in (build / "unity_0.cxx", self.folder / "two/d.cpp")]
        (build / "compile_commands.json").write_text(json.dumps(entries))
        self.enterContext(unittest.mock.patch.object(changed_units, "ROOT", self.folder))

    def taken(self, *changed):
        sources = [name for name in self.FILES if name.endswith(".cpp")]
        return changed_units.to_check(sources, set(changed))

    def test_changed_files_and_one_that_includes_each_changed_header(self):
        self.assertEqual(self.taken(), set())
        self.assertEqual(self.taken("one/a.cpp", "page.md"), {"one/a.cpp"})
        self.assertEqual(self.taken("one/a.h"), {"one/a.cpp"})
        self.assertEqual(self.taken("one/b.h"), {"one/b.cpp"})
        self.assertEqual(self.taken("one/b.h", "two/d.cpp"), {"two/d.cpp"})
        self.assertEqual(self.taken("one/lone.def", "one/gone.h"), {"one/c.cpp"})

    def written(self, changed):
        with unittest.mock.patch.object(changed_units, "changed_files", return_value=changed), \
             unittest.mock.patch("sys.argv", ["changed_units", str(self.folder / "build"), "one", "two"]), \
             unittest.mock.patch("sys.stdout", io.StringIO()):
            self.assertEqual(changed_units.main(), 0)
        entries = json.loads((self.folder / "build/changed/compile_commands.json").read_text())
        for entry in entries:
            self.assertIn(entry["file"], entry["command"])
            self.assertIn("-DX=", entry["command"])
        return [[line.split("/")[-1].strip('"') for line in pathlib.Path(entry["file"]).read_text().splitlines()] for entry in entries]

    def test_a_unit_of_each_target_includes_what_is_looked_at(self):
        self.assertEqual(self.written({"one/a.cpp", "one/lone.def", "two/d.cpp"}), [["a.cpp", "c.cpp"], ["d.cpp"]])
        self.assertEqual(self.written({"page.md"}), [])

    def test_all_files_are_looked_at_where_git_does_not_know(self):
        self.assertEqual(self.written(None), [["a.cpp", "b.cpp", "c.cpp"], ["d.cpp"]])

    def test_a_shallow_clone_or_none_is_one_where_git_does_not_know(self):
        self.assertIsNone(changed_units.changed_files(20))  # no repository
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", self.folder]
        subprocess.run([*git, "init", "-q"], check=True)
        for number in range(2):
            (self.folder / "one/a.h").write_text(f"{number}\n")
            subprocess.run([*git, "add", "one"], check=True)
            subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
        self.assertIsNone(changed_units.changed_files(20))
        self.assertEqual({name for name in changed_units.changed_files(1) if name.startswith("one")}, {"one/a.h"})
        (self.folder / "one/b.h").write_text("not committed\n")
        self.assertLessEqual({"one/a.h", "two/d.cpp"}, changed_units.changed_files(1))
        subprocess.run([*git, "add", "."], check=True)
        self.assertIn("one/b.h", changed_units.changed_files(1))


if __name__ == "__main__":
    unittest.main()
