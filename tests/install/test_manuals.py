"""Man pages and completions: every program has them, they name every option that --help-all has, and man, bash and zsh take them."""
import functools
import gzip
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin")).resolve()
SHARE = BIN.parent / "share"
MAN, BASH, ZSH = SHARE / "man" / "man1", SHARE / "bash-completion" / "completions", SHARE / "zsh" / "vendor-completions"
PROGRAMS = sorted(path.name for path in BIN.iterdir())
SUBCOMMANDS = {"cachesim": {"coalesce", "sweep", "timed", "infer"},
               "warpscope": {"report", "model", "what-if", "diff", "compare-ncu", "tune", "export", "disassemble", "kernels", "doctor", "study", "plot"}}


@functools.cache
def help_of(*words):
    """With the rare options, where there are some."""
    done = subprocess.run([BIN / words[0], *words[1:], "--help-all"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return done.stdout
    return subprocess.run([BIN / words[0], *words[1:], "--help"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def options_in(text):
    """Long options that begin a line of a help text, in any of its forms."""
    return set(re.findall(r"(?m)^ {1,4}(?:-\w[ ,](?:[A-Z_]+, )?\[? ?)?(--[a-z][a-z0-9_-]*)", text))


def complete(program, *words):
    """What bash offers for the last word of a command line."""
    line = " ".join(f"'{word}'" for word in (program, *words))
    function = "_" + re.sub(r"\W", "_", program)
    script = (f"source '{BASH / program}'; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); {function}; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-uc", script], capture_output=True, text=True, cwd="/")
    if done.returncode:
        raise AssertionError(done.stderr)
    return set(done.stdout.split())


class Manuals(unittest.TestCase):
    def test_every_program_has_all_three_and_three_examples(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.assertTrue((MAN / f"{program}.1.gz").is_file() and (BASH / program).is_file() and (ZSH / f"_{program}").is_file())
                for words in ((program,), *((program, word) for word in SUBCOMMANDS.get(program, ()))):
                    text = help_of(*words)
                    self.assertGreaterEqual(len(re.findall(r"(?m)^  \S.*", text.split("Examples:\n")[1].split("\n\n")[0])), 3, words)

    def test_examples_have_options_that_exist(self):
        for program in PROGRAMS:
            for words in ((program,), *((program, word) for word in SUBCOMMANDS.get(program, ()))):
                text = help_of(*words)
                known = options_in(text) | options_in(help_of("trace-kernel") + help_of("trace-change") + help_of("cachesim", "timed"))
                for line in text.split("Examples:\n")[1].split("\n\n")[0].splitlines():
                    for option in re.findall(r"(?<!\S)--[a-z][\w-]*", line.split(" -- ")[0]):
                        self.assertTrue(option in known or option in text.split("Examples:\n")[0], (words, line))

    def test_completions_offer_every_option(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.assertLessEqual(options_in(help_of(program)), complete(program, "-"))
                for word in SUBCOMMANDS.get(program, ()):
                    self.assertIn(word, complete(program, word[:2]))
                    self.assertLessEqual(options_in(help_of(program, word)), complete(program, word, "x", "--"), word)
        self.assertEqual(complete("cachesim", "timed", "x", "--warp-scheduler", "g"), {"gto", "gty"})
        self.assertEqual(complete("warpscope", "x", "--gpu", "h"), {path.stem for path in (SOURCE / "gpus").glob("h*.json")})
        self.assertEqual(complete("cachesim", "x", "--launches", ""), {"all", "groups"})
        self.assertIn("usr", complete("trace-view", "us"))

    def test_zsh_takes_its_completions(self):
        for program in PROGRAMS:
            done = subprocess.run(["zsh", "-n", ZSH / f"_{program}"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            text = (ZSH / f"_{program}").read_text(encoding="utf-8")
            self.assertTrue(text.startswith(f"#compdef {program}\n"))
            for option in options_in(help_of(program)):
                self.assertIn(f"'*{option}[", text)

    def test_man_shows_the_pages_without_a_warning(self):
        for program in PROGRAMS:
            page = MAN / f"{program}.1.gz"
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True,
                                  env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            text = gzip.decompress(page.read_bytes()).decode()
            self.assertIn(".SH NAME\n" + program.replace("-", "\\-") + " \\- ", text)
            for option in options_in(help_of(program)):
                self.assertIn(option.replace("-", "\\-"), text)

    def test_a_terminal_shows_them(self):
        done = subprocess.run(["man", "-l", MAN / "warpsched.1.gz"], capture_output=True, text=True,
                              env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "PAGER": "cat", "MANPAGER": "cat"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?s)NAME\n +warpsched +- +Orders +the +accesses.*--policy P\n.*EXAMPLES\n +warpsched mm\.wtrace --gpu h100")


if __name__ == "__main__":
    unittest.main()
