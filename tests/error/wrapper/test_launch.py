"""Launches that cannot be: sizes, arguments, launch files. Each is one line that says where, what and what was expected."""
import os
import unittest

from refusals import COMPLETE, KERNELS, Refusal


class Sizes(Refusal):
    def refuse(self, *words, expected):
        with self.subTest(words):
            self.assert_one_line(self.trace("two.cl", "--kernel", "second", *words), *expected)

    def test_are_refused(self):
        self.refuse(expected=("kernel 'second'", "number of work-items is not known", "--global"))
        self.refuse("--global", "0", expected=("global size x: '0' is 0", "from 1"))
        self.refuse("--global", "4,0", expected=("global size y: '0' is 0",))
        self.refuse("--global", "4", "--local", "0", expected=("local size x: '0' is 0",))
        self.refuse("--global", "-4", expected=("'-4' is -4",))
        self.refuse("--global", "10", "--local", "4",
                    expected=("global size 10 is not divisible by local size 4 in dimension x", "such as 12"))
        self.refuse("--global", "4,6", "--local", "4,4", expected=("global size 6", "dimension y", "such as 8"))
        self.refuse("--global", "1,2,3,4", expected=("--global: '1,2,3,4'", "one to three sizes"))
        self.refuse("--global", "8192", "--local", "8192", expected=("8192 work-items per work-group", "at most 4096"))
        self.refuse("--global", "1099511627776,1099511627776", "--local", "1", expected=("at most 2^32",))

    def test_in_bad_expressions_are_refused(self):
        self.refuse("--global", "4*(2", expected=("global size x: '4*(2': ')' is missing",))
        self.refuse("--global", "4*", expected=("'4*': it ends too early",))
        self.refuse("--global", "4/0", expected=("division by zero",))
        self.refuse("--global", "gx", expected=("'gx' is not known yet",))
        self.refuse("--global", "4", "--arg", "a=count=gx*n", expected=("--arg a=count=gx*n: 'gx*n': unknown name 'n'",
                                                                        "gx, gy"))
        self.refuse("--global", "4", "--arg", "a=count=pow(2,3)", expected=("unknown function 'pow'", "ceil_div"))


class Options(Refusal):
    def test_misspelt_ones_are_recognised(self):
        for word, meant in (("--glboal", "--global"), ("--args", "--arg"), ("-gpu", "--gpu"), ("--grids=4", "--grid")):
            self.assert_one_line(self.trace("two.cl", word), f"unrecognised option '{word}' (did you mean {meant}?); trace-kernel --help")


class Arguments(Refusal):
    def refuse(self, *words, expected, kernel="first"):
        with self.subTest(words):
            self.assert_one_line(self.trace("two.cl", "--kernel", kernel, "--global", "4", *words), *expected)

    def test_missing_ones_are_asked_for_by_name(self):
        self.refuse("--arg", "s=4", expected=("argument 'v' (int2) has no value", "expected for example --arg v=4"))
        self.refuse("--arg", "v=4", expected=("size of local memory 's' (__local int *) is not known, in bytes", "--arg s=1024"))  # 256 work-items
        self.assert_one_line(self.trace("two.cl", "--kernel", "first"), "the number of work-items is not known; the size of local memory 's'",
                             "argument 'v' (int2) has no value", ", expected for example --global 1024 --arg s=1024 --arg v=1024\n")

    def test_unknown_ones_list_the_known(self):
        self.refuse("--arg", "b=4", expected=("kernel 'first' has no argument 'b'", "__global int * a", "int2 v"))

    def test_of_the_wrong_kind_or_type_are_refused(self):
        self.refuse("--arg", "v=count=4", "--arg", "s=4", expected=("'v' is a value of type int2",))
        self.refuse("--arg", "s=zero", expected=("'s' is local memory and has no content",))
        self.refuse("--arg", "v=1,2,3", "--arg", "s=4", expected=("3 values, expected 2 for type int2",))
        self.refuse("--arg", "v=0.5", "--arg", "s=4", expected=("0.5 is not a whole number",))
        self.refuse("--arg", "v=5000000000", "--arg", "s=4", expected=("5000000000 does not fit into int2",))
        self.refuse("--arg", "a=type=quad", "--arg", "v=1", "--arg", "s=4", expected=("unknown type 'quad'", "uint"))
        self.refuse("--arg", "a", expected=("--arg a: expected NAME=SPEC",))
        self.refuse("--arg", "a=length=3", expected=("'length=3'", "count=, bytes=, fill="))
        self.refuse("--arg", "v=1", "--arg", "v=2", expected=("argument 'v' is given twice",))
        self.refuse("--arg", "a=rand(1)", "--arg", "v=1", "--arg", "s=4", expected=("unknown function 'rand'",))
        self.refuse("--arg", "a=fill=rand(1)", expected=("fill 'rand(1)', expected zero, iota",))

    def test_buffers_beyond_memory_are_refused_before_they_are_made(self):
        self.refuse("--arg", "a=count=200000000000", kernel="second",
                    expected=("'a' has 800000000000 bytes", "do not fit into memory"))
        self.refuse("--arg", "a=count=2000000000000", kernel="second", expected=("--arg a=count=2000000000000: ",))

    def test_files_of_content_must_be_there_and_long_enough(self):
        (self.folder / "five").write_bytes(b"12345")
        self.refuse("--arg", "a=file:none", kernel="second", expected=("none: No such file or directory",))
        self.refuse("--arg", "a=file:five", kernel="second", expected=("five: 5 bytes, expected a multiple of 4 (int)",))
        self.refuse("--arg", "a=count=4,file:five", kernel="second", expected=("five: 5 bytes, expected at least 16",))


class LaunchFiles(Refusal):
    def refuse(self, text, *expected):
        with self.subTest(text):
            self.write("one.launch", text)
            self.assert_one_line(self.trace("one.cl"), *expected)

    def test_with_mistakes_are_refused(self):
        self.refuse("", "one.launch:1: not valid JSON")
        self.refuse('{"global": 4,\n "local":\n}', "one.launch:3: not valid JSON")
        self.refuse("[4]", "one.launch:1: expected a JSON object")
        self.refuse('{"globl": 4}', "one.launch: unknown key 'globl'", "kernel, global, local")
        self.refuse('{"global": []}', "one.launch: global", "one to three sizes")
        self.refuse('{"global": {}}', "one.launch: global", "a number or an expression")
        self.refuse('{"args": {"a": {"size": 4}}}', "one.launch: argument 'a': unknown key 'size'")
        self.refuse('{"args": {"a": {"null": 4}}}', "one.launch: argument 'a': null is 4, expected true or false")
        self.refuse('{"args": {"a": {"fill": "blue"}}}', "one.launch: argument 'a': fill 'blue'")
        self.refuse('{"args": 4}', "one.launch: args: expected an object")
        self.refuse('{"global": 4, "args": {"by": "by+1"}}', "the value of 'by' depends on itself")
        self.refuse('{"defines": {"a b": 4}}', "define 'a b': not a macro's name")
        self.refuse('{"kernel": "none", "global": 4}', "one.cl: no kernel 'none', expected one of: scale")

    def test_that_are_missing_are_refused(self):
        for name in ("none.launch", "."):
            self.assert_one_line(self.trace("one.cl", *COMPLETE, "--launch-file", name), f"{name}: cannot read")


class SimFiles(Refusal):
    START = "one.cl\nscale\n8 1 1\n4 1 1\n"

    def refuse(self, text, *expected):
        with self.subTest(text):
            self.write("l.sim", text)
            self.assert_one_line(self.trace("l.sim"), *expected)

    def test_with_mistakes_are_refused(self):
        self.refuse("one.cl\nscale\n8 1 1\n", "l.sim:4: the file ends, expected three global and three local sizes")
        self.refuse(self.START + "<size=32 fill=1>\n", "l.sim: 1 arguments, expected 2 for kernel 'scale'")
        self.refuse(self.START + "<size=32\n", "l.sim:5: the argument's header has no '>'")
        self.refuse(self.START + "<fill=1>\n", "l.sim:5: the argument's header has no size")
        self.refuse(self.START + "<size=32 sized>\n", "l.sim:5: 'sized', expected size=")
        self.refuse(self.START + "1 2 3\n", "l.sim:5: '1', expected the header")
        self.refuse(self.START + "<size=32>\n1 2 3\n<size=4>\n2\n", "l.sim:5: argument 0: values for 12 bytes, expected 32")
        self.refuse(self.START.replace("8 1 1", "9 1 1") + "<size=36 noinit>\n<size=4>\n2\n", "not divisible")
        self.refuse(self.START.replace("one", "none") + "<size=32 noinit>\n<size=4>\n2\n", "none.cl: cannot read")


class Pipes(Refusal):
    def test_named_as_a_kernel_or_a_sim_file_are_refused_at_once(self):
        """Nobody writes to them."""
        for name in ("l.sim", "k.cl", "k.cu"):
            os.mkfifo(self.folder / name)
            self.assert_one_line(self.trace(name, *COMPLETE, timeout=20), f"{name}: is a pipe, expected a file: it is read more than once")

    def test_next_to_a_kernel_are_no_launch_files(self):
        for extension in ("launch", "sim"):
            os.mkfifo(self.folder / f"one.{extension}")
        self.run_tool("trace-kernel", "one.cl", *COMPLETE, "-o", "x.wtrace", timeout=60)

    def test_names_with_a_new_line(self):
        for name in ("a\nb.cl", 'q"uo\\te.cl', "t\tab.cl"):
            self.write(name, KERNELS["one.cl"])
            self.run_tool("trace-kernel", name, *COMPLETE, "-o", "x.wtrace")
            self.assertNotIn(b"\nb.cl", self.run_tool("trace-view", "--sites", "x.wtrace"))
        self.run_tool("trace-kernel", "a\nb.cl", *COMPLETE, "-o", "x.wtrace")
        self.assertIn(b"launch 0: kernel scale (a\\nb.cl)\n", self.run_tool("trace-view", "x.wtrace"))
        self.write("a\nb.cl", "__kernel void k(__global int* a) { a[0] = ; }")
        messages = self.trace("a\nb.cl", *COMPLETE).stderr.decode()
        self.assertIn("a\\nb.cl:1:43: error: expected expression", messages)


if __name__ == "__main__":
    unittest.main()
