"""What warpscope says to inputs that are neither a kernel file nor a capture: the command that works."""
import os
import pathlib
import tempfile
import unittest

import support  # noqa: F401  (finds the package)
from warpscope.base.errors import InputError
from warpscope.commands import other_inputs

PROGRAM = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\nint main() { k<<<1, 32>>>(nullptr); }\n"


def elf(kind, machine=62):
    return b"\x7fELF\x02\x01\x01" + bytes(9) + kind.to_bytes(2, "little") + machine.to_bytes(2, "little") + bytes(44)


class OtherInputs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def said(self, name, content, *rest):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            return other_inputs.refuse(str(path), rest)
        except InputError as error:
            return str(error).replace(f"{self.folder}/", "")

    def test_names_the_command_that_works(self):
        for name, content, expected in (
                ("app.cu", PROGRAM, "app.cu: has a main(), so its launches are known when it runs: warpscope-nvcc app.cu -o app && warpscope -- ./app "),
                ("app", elf(3), "app: a program, expected it behind --: warpscope -- app"),
                ("app.o", elf(1), "app.o: not a program yet, expected a program behind --: link it, then warpscope -- ./PROGRAM"),
                ("libapp.so", elf(3), "libapp.so: not a program yet"),
                ("train.py", "print()", "train.py: a program, expected it behind --: warpscope -- python3 train.py"),
                ("run", "#!/bin/sh\n./app\n", "run: a program, expected it behind --: warpscope -- run"),
                ("host.cpp", "int main() {}", "host.cpp: the source of a program, expected the program behind --: build it (g++ host.cpp -o host -lOpenCL), "
                 "then warpscope -- ./host"),
                ("my app.cu", PROGRAM, "my app.cu: has a main(), so its launches are known when it runs: warpscope-nvcc 'my app.cu' -o 'my app' && "
                 "warpscope -- ./'my app' "),
                ("one.cu", "__global__ void k() {} static const char* s = \"//\"; int main() {}", "one.cu: has a main()"),
                ("try.cu", "int\nmain(int n, char** words) try {} catch (...) {}", "try.cu: has a main()"),
                ("result.json", "{}", "result.json: expected a kernel file (.cl, .cu, .ptx, .cubin) or a capture; a result is shown by warpscope report result.json")):
            with self.subTest(name):
                self.assertTrue(self.said(name, content).startswith(expected), self.said(name, content))

    def test_machine_code_is_executed(self):
        """A program of the host only where machine code is asked for: else it would be run."""
        for name, content, words in (("k.cubin", elf(2, 190), ()), ("code", elf(2, 190), ()), ("k.ptx", ".version 7.5", ()), ("k.fatbin", "", ()),
                                     ("app", elf(3), ("--machine",)), ("app.o", elf(1), ("--machine=sm_80",))):
            with self.subTest(name):
                self.assertIsNone(self.said(name, content, *words))

    def test_names_the_arguments_of_programs(self):
        for name, content, command in (("app", elf(3), "app"), ("train.py", "", "python3 train.py"), ("run", "#!/bin/sh", "run")):
            self.assertIn(f"warpscope -- {command} -n 'a b'", self.said(name, content, "-n", "a b"))
        with self.assertRaisesRegex(InputError, "^sh: a program, expected it behind --: warpscope -- sh run$"):
            other_inputs.refuse("sh", ["run"])

    def test_pipes_are_not_waited_for(self):
        for name in ("k.cl", "k.sim"):
            os.mkfifo(self.folder / name)
            with self.assertRaisesRegex(InputError, f"{name}: is a pipe, expected a kernel file .* more than once$"):
                other_inputs.refuse(str(self.folder / name), [])

    def test_folders_say_what_is_in_them(self):
        with self.assertRaisesRegex(InputError, "a folder, expected a kernel file .*capture$"):
            other_inputs.refuse(str(self.folder), [])
        for name in ("a.cl", "b.cu", "c.cl", "d.wtrace", "notes.txt"):
            (self.folder / name).touch()
        with self.assertRaisesRegex(InputError, "capture: it has a.cl, b.cu, c.cl and 1 more: warpscope .*/a.cl$"):
            other_inputs.refuse(str(self.folder), [])
        (self.folder / "result.json").touch()
        with self.assertRaisesRegex(InputError, "its result is shown by warpscope report .*/result.json$"):
            other_inputs.refuse(str(self.folder), [])

    def test_takes_kernel_files_and_captures(self):
        for name, content, rest in (("k.cl", "kernel void k() {}", ()), ("k.cu", "__global__ void k() {}", ()), ("app.cu", PROGRAM, ("--grid=4",)),
                                    ("words.cu", "// int main() {\n/* int\nmain() */ void main_loop() {}\nint domain(int);", ()),
                                    ("run.wtrace", b"WSCAPTUR\x01", ()), ("k.sim", "k.cl\n", ())):
            with self.subTest(name):
                self.assertIsNone(self.said(name, content, *rest))
        (self.folder / "app.launch").touch()
        self.assertIsNone(self.said("app.cu", PROGRAM))


if __name__ == "__main__":
    unittest.main()
