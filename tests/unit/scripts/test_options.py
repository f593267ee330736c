"""A command's table of options: how words are read, how --help is written, and what is refused in which words."""
import contextlib
import io
import json
import unittest

import support  # noqa: F401  (the path of the package)

from warpscope.base.errors import InputError
from warpscope.base.options import FLAG, LAST, MANY, Option, Options, not_an_option, shown_help, unknown_option

TABLE = Options(
    Option("--output", "FOLDER", "where it goes", alias="-o"),
    Option("--gpu", "GPU", "which", hidden="--preset"),
    Option("--clock", "CLOCK", "auto or\nfixed", kind=LAST, default="auto"),
    "Others:",
    Option("--details", meaning="more", kind=FLAG),
    (Option("--set", "KEY=VALUE", kind=MANY), Option("--kernel", "NAME[,NAME]", "as elsewhere", kind=MANY)),
    Option("--fail-if", "'PATH OP NUMBER'", "\nthe next line", kind=MANY))


class Reading(unittest.TestCase):
    def test_values_follow_or_stand_behind_an_equals_sign_and_other_words_keep_their_order(self):
        values, others = TABLE.read(["a", "-o", "x", "--set=k=1", "--set", "k=2", "-", "--details", "b", "--preset=h100"])
        self.assertEqual(others, ["a", "-", "b"])
        self.assertEqual(values, {"--output": "x", "--gpu": "h100", "--clock": "auto", "--details": True, "--set": ["k=1", "k=2"],
                                  "--kernel": [], "--fail-if": []})

    def test_nothing_given_leaves_the_defaults_and_lists_of_another_call_alone(self):
        self.assertEqual(TABLE.read(["--set", "a"])[0]["--set"], ["a"])
        self.assertEqual(TABLE.read([])[0]["--set"], [])

    def test_only_some_options_may_be_repeated(self):
        self.assertEqual(TABLE.read(["--clock", "a", "--clock", "b"])[0]["--clock"], "b")
        for words, said in ((["-o", "a", "--output", "b"], "--output b: is given already (a), expected it once"),
                            (["--gpu", "a", "--preset", "b"], "--preset b: a GPU is given already (a), expected --gpu or its alias --preset, once"),
                            (["--gpu"], "--gpu: has no value, expected one behind it")):
            with self.assertRaises(InputError) as refused:
                TABLE.read(words)
            self.assertEqual(str(refused.exception), said)

    def test_what_is_no_option_is_refused_or_left_to_the_caller(self):
        self.assertEqual(TABLE.read(["--size", "small", "--details=1"])[1], ["--size", "small", "--details=1"])
        with self.assertRaisesRegex(InputError, r"^'--size': unknown option, expected one of --output, --gpu, .*--fail-if; see x$"):
            TABLE.read(["--size", "small"], unknown_option(TABLE, "see x"))
        with self.assertRaisesRegex(InputError, "^--size=1: not an option of warpscope x; see --help$"):
            TABLE.read(["--size=1"], not_an_option("warpscope x"))


class Help(unittest.TestCase):
    def test_meanings_begin_in_one_column_or_behind_a_longer_option(self):
        self.assertEqual(TABLE.text().splitlines(), [
            "  -o, --output FOLDER  where it goes",
            "  --gpu GPU            which",
            "  --clock CLOCK        auto or",
            "                       fixed",
            "Others:",
            "  --details            more",
            "  --set KEY=VALUE, --kernel NAME[,NAME]  as elsewhere",
            "  --fail-if 'PATH OP NUMBER'",
            "                       the next line"])

    def test_it_is_shown_when_asked_for_or_when_words_are_missing(self):
        for words, needs, shown in ((["a", "-h"], False, True), (["--help"], True, True), ([], True, True), ([], False, False), (["a"], True, False)):
            with contextlib.redirect_stdout(io.StringIO()) as text:
                self.assertEqual(shown_help(words, "\nHelp.\n", needs_words=needs), shown)
            self.assertEqual(text.getvalue(), "Help.\n" if shown else "")

    def test_rare_options_are_in_help_all_and_in_the_list_for_scripts(self):
        table = Options(Option("--a", "A", "often"), "Seldom:", Option("--b", "B|C", "rarely", kind=MANY, rare=True, alias="-b", choices=("B", "C")))
        text = f"Usage.\n\n{table.text()}\n\nEnd."
        shown = {}
        for word in ("--help", "--help-all", "--options-json"):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                self.assertTrue(shown_help([word], text, table))
            shown[word] = printed.getvalue()
        usual, rare = "  --a A                often\n", "Seldom:\n  -b, --b B|C          rarely\n"
        self.assertEqual(shown["--help"], f"Usage.\n\n{usual}  --help-all           all options, with those that are rarely used\n\nEnd.\n")
        self.assertEqual(shown["--help-all"], f"Usage.\n\n{usual}{rare}\nEnd.\n")
        self.assertEqual(json.loads(shown["--options-json"])["options"][1], {
            "name": "--b", "alias": "-b", "kind": "list", "value": "B|C", "default": None, "meaning": "rarely", "group": "Seldom", "shown": "help-all"})
        with self.assertRaisesRegex(InputError, "^-b D: expected one of B, C$"):
            table.read(["-b", "D"])


if __name__ == "__main__":
    unittest.main()
