"""Answers of tools are kept under all that they depend on, verified when read, and bounded."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import support
from warpscope.run import kept


class Keeping(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.capture = self.folder / "a.wtrace"
        self.capture.write_bytes(b"WSCAPTUR and so on")
        tools = self.folder / "bin"
        tools.mkdir()
        for tool in kept.TOOLS:
            (tools / tool).write_bytes(b"tool")
        self.enterContext(mock.patch.dict(os.environ, {"WARPSCOPE_CACHE": str(self.folder / "kept"), "WARPSCOPE_BIN": str(tools)}))
        self.made = 0

    def answer(self, words=("fixed",), content=b"result", whole=True, gpu="gtx480", capture=None, fresh=False):
        def make():
            self.made += 1
            return content, whole
        return kept.Kept(capture or self.capture, gpu, fresh).answer(words, make)

    def files(self):
        return sorted((self.folder / "kept").glob("*"))

    def test_the_second_answer_is_the_first(self):
        self.assertEqual((self.answer(), self.answer(content=b"another")), (b"result", b"result"))
        self.assertEqual((self.made, len(self.files())), (1, 1))

    def test_a_capture_of_another_name_and_the_same_bytes_is_the_same(self):
        self.answer()
        copy = self.folder / "b.wtrace"
        copy.write_bytes(self.capture.read_bytes())
        self.answer(capture=copy)
        self.assertEqual(self.made, 1)

    def test_all_that_it_depends_on_is_in_its_name(self):
        self.answer()
        self.answer(words=("timed",))
        self.answer(gpu="v100")
        self.capture.write_bytes(b"WSCAPTUR and more")
        self.answer()
        (self.folder / "bin" / "cachesim").write_bytes(b"built again")
        self.answer()
        self.assertEqual((self.made, len(self.files())), (5, 5))

    def test_fresh_makes_it_anew_and_keeps_it(self):
        self.answer()
        self.assertEqual(self.answer(content=b"new", fresh=True), b"new")
        self.assertEqual(self.answer(), b"new")
        self.assertEqual(self.made, 2)

    def test_what_is_not_whole_is_not_kept(self):
        self.answer(whole=False)
        self.answer()
        self.assertEqual((self.made, len(self.files())), (2, 1))

    def test_a_damaged_file_counts_as_none(self):
        for damage in (lambda old: old[:-1], lambda old: old[:-1] + b"?", lambda old: b""):
            self.answer()
            self.files()[0].write_bytes(damage(self.files()[0].read_bytes()))
            made = self.made
            self.assertEqual((self.answer(), self.made), (b"result", made + 1))

    def test_what_was_used_longest_ago_leaves(self):
        size = 1000 + 41  # with its checksum, 20 bytes as hexadecimal digits, and a newline
        path_of = {}
        with mock.patch.object(kept, "MOST_BYTES", 3 * size):
            for age, name in enumerate("abc"):
                self.answer(words=name, content=b"x" * 1000)
                path_of[name] = next(path for path in self.files() if path not in path_of.values())
                os.utime(path_of[name], (age, age))
            self.answer(words="a")
            self.answer(words="d", content=b"x" * 1000)
            self.assertEqual([name for name, path in path_of.items() if path.exists()], ["a", "c"])
            self.answer(words="larger than all", content=b"x" * 4 * size)
            self.assertEqual(len(self.files()), 3)

    def test_a_folder_that_cannot_be_written_is_one_line_and_costs_no_answer(self):
        (self.folder / "kept").write_bytes(b"a file is in the way")
        messages = io.StringIO()
        with contextlib.redirect_stderr(messages):
            one = kept.Kept(self.capture, "gtx480")
            self.assertEqual([one.answer(words, lambda: (b"result", True)) for words in ("fixed", "timed")], [b"result"] * 2)
        self.assertRegex(messages.getvalue(), r"^warpscope: .*/kept: simulations are not kept \(.*\), expected a folder that can be written; set "
                                              r"WARPSCOPE_CACHE to another, or to nothing to keep none\n$")

    def test_nothing_is_kept_where_the_variable_is_empty(self):
        with mock.patch.dict(os.environ, {"WARPSCOPE_CACHE": ""}):
            self.answer()
            self.answer()
        self.assertEqual((self.made, self.files()), (2, []))

    def test_the_folder(self):
        for environment, expected in (({"WARPSCOPE_CACHE": "here"}, "here"), ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/warpscope"),
                                      ({"XDG_CACHE_HOME": "not absolute", "HOME": "/h"}, "/h/.cache/warpscope"), ({}, None)):
            with mock.patch.dict(os.environ, environment, clear=True):
                self.assertEqual(kept.folder(), expected and pathlib.Path(expected))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.store = kept.Store(self.folder / "store")
        self.made = 0

    def make(self, path):
        self.made += 1
        path.write_bytes(b"capture " * 1000)

    def test_a_file_is_made_once_and_again_when_it_is_damaged(self):
        path = self.store.make_file("a", ".wtrace", self.make)
        self.assertEqual((self.store.make_file("a", ".wtrace", self.make), self.made), (path, 1))
        for damage in (lambda: path.write_bytes(b"cut"), path.unlink, lambda: self.store.path("a.wtrace").write_bytes(b"")):
            damage()
            self.assertIsNone(self.store.file("a", ".wtrace"))
            made = self.made
            self.assertEqual((self.store.make_file("a", ".wtrace", self.make).read_bytes(), self.made), (b"capture " * 1000, made + 1))

    def test_nothing_is_left_of_what_fails(self):
        with self.assertRaises(ValueError):
            self.store.make_file("a", ".wtrace", lambda path: (self.make(path), int("x")))
        self.assertEqual([path.name for path in self.store.folder.iterdir()], ["a.lock"])

    def test_what_a_killed_writer_left_goes_after_a_day(self):
        parts = [self.store.folder / name for name in ("part-a.kept", "part-b", "part-new.kept")]
        parts[1].mkdir(parents=True)
        (parts[1] / "a.wtrace").write_bytes(b"half")
        parts[0].write_bytes(b"half")
        parts[2].write_bytes(b"half")
        for path in parts[:2]:
            os.utime(path, (0, 0))
        kept.Store(self.store.folder)
        self.assertEqual([path.exists() for path in parts], [False, False, True])

    def test_writers_side_by_side(self):
        """Each process makes some of the same files, and puts the same answer; all read what is whole."""
        code = """
import pathlib, sys
from warpscope.run import kept
store = kept.Store(sys.argv[1])
for number in range(30):
    path = store.make_file(f"f{number % 5}", ".wtrace", lambda path: path.write_bytes(bytes([number % 5]) * 20000))
    assert path.read_bytes() == bytes([number % 5]) * 20000
    store.put("answer", bytes([number]) * 20000)
    found = store.get("answer")
    assert found is not None and len(set(found)) == 1, found
"""
        environment = {**os.environ, "PYTHONPATH": str(support.SOURCE / "python")}
        writers = [subprocess.Popen([sys.executable, "-B", "-c", code, str(self.store.folder)], env=environment) for _ in range(4)]
        self.assertEqual([writer.wait() for writer in writers], [0] * 4)
        self.assertEqual([path for path in self.store.folder.iterdir() if path.name.startswith("part-")], [])

    def test_a_program_is_its_build(self):
        """Of a large ELF file the note that its linker has made counts: by hand, name size 4, 20 bytes, type 3, "GNU"."""
        note = b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0"
        paths = [self.folder / name for name in "abc"]
        for path, identity, rest in zip(paths, (b"1" * 20, b"1" * 20, b"2" * 20), (b"x", b"y", b"x")):
            path.write_bytes(b"\x7fELF" + note + identity + rest * (2 << 20))
        first, same, other = map(kept.of_file, paths)
        self.assertEqual(first, same)
        self.assertNotEqual(first, other)

    def test_files_with_what_they_include(self):
        (self.folder / "a.cl").write_text('#include "in/b.h"\n')
        (self.folder / "in").mkdir()
        (self.folder / "in" / "b.h").write_text('# include "../c.h"\n#include <d.h>\n')
        (self.folder / "c.h").write_text("")
        (self.folder / "a.launch").write_text('{"A": "fill=file:values.bin"}')
        (self.folder / "values.bin").write_bytes(b"\0")
        names = [path.name for path in kept.with_includes([self.folder / "a.cl", None, self.folder / "a.launch", self.folder / "none"])]
        self.assertEqual(sorted(names), ["a.cl", "a.launch", "b.h", "c.h", "values.bin"])


if __name__ == "__main__":
    unittest.main()
