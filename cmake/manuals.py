#!/usr/bin/python3
"""Writes man pages and shell completions from what the programs say with --help, so that they cannot differ from it.

  cmake/manuals.py BIN OUTPUT --version VERSION     BIN: folder of the programs; OUTPUT: share/ of the build

OUTPUT/man/man1/NAME.1.gz, OUTPUT/bash-completion/completions/NAME, OUTPUT/zsh/vendor-completions/_NAME. Same programs, same bytes.
"""
import argparse
import dataclasses
import gzip
import pathlib
import re
import subprocess
import sys

NAME = re.compile(r"-{1,2}[A-Za-z][\w-]*(?: \[ --[\w-]+ \])?")
VALUE = re.compile(r"(?: |(?=\[=))('[^']*'|arg(?!\w)|[^\s']*[A-Z|=\[][^\s']*)( \(=[^)]*\))?")
EXAMPLE_HEAD = re.compile(r"^Examples?:$")
FILES = re.compile(r"FILE|CAPTURE|STREAM|FOLDER|DIR|OUTPUT|STEM|BITCODE|PATH")


@dataclasses.dataclass
class Option:
    """`names`: -o, --output; `value`: how the program calls its value, "" for none; `text`: its lines of description."""

    names: list
    value: str
    text: list

    @property
    def takes_value(self):
        """Whether the next word is its value; --name[=value] does without."""
        return bool(self.value) and not self.value.startswith("[")

    def choices(self):
        """The values that the option knows by name: a|b|c, or lines "name: meaning" of its description."""
        bare = re.sub(r"[\[(=].*", "", self.value).strip()
        if "|" in bare:
            return [word for word in bare.split("|") if not re.search(r"[A-Z]{2}|^[A-Z]$", word)]
        named = [found[1] for line in self.text[1:] if (found := re.match(r"([A-Za-z][\w-]*): ", line))]
        return named if len(named) > 1 else []


@dataclasses.dataclass
class Page:
    """One --help: `head` (usage and what it is), `sections` [(title, [Option or line])], `examples`."""

    command: list
    text: str
    usage: list = dataclasses.field(default_factory=list)
    lines: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)
    examples: list = dataclasses.field(default_factory=list)

    @property
    def name(self):
        return " ".join(self.command)

    @property
    def summary(self):
        """What the program does, in a phrase for the NAME section."""
        first = next((line for line in self.text.splitlines() if line.strip()), "")
        if (said := re.match(r"[\w .|{}\[\]-]+?: (?=[a-z])(.*)", first)) and not first.lower().startswith("usage"):
            return said[1].rstrip(".").split(". ")[0]
        plain = [line.strip() for line in self.text.splitlines()
                 if re.match(r"[A-Z][a-z]", line) and not re.match(r"Usage|usage", line) and not line.rstrip().endswith(":")]
        return (plain[0] if plain else self.name).split(". ")[0].rstrip(".:")


def options_of(line):
    """([Option without text], description) of a line such as "  -o, --output FILE  where", "  --set KEY=VALUE, --kernel NAME  as …"."""
    at, items, rest = len(line) - len(line.lstrip()), [], ""
    while found := NAME.match(line, at):
        at = found.end()
        value = VALUE.match(line, at)
        at = value.end() if value else at
        said = value[0].strip() if value else ""
        more = line[at:at + 2] == ", " or said.endswith(",") and line[at:at + 2] == " -"
        items.append(Option(re.findall(r"(?<![\w-])-{1,2}[A-Za-z][\w-]*", found[0]), said.rstrip(",") if more else said, []))
        rest = line[at:].strip()
        if not more:
            break
        at += 2 if line[at] == "," else 1
    grouped = []
    for item in items:
        if grouped and (not grouped[-1].value or grouped[-1].value == item.value and not grouped[-1].names[0].startswith("--")):  # -o, --output FILE; -o OUTPUT, --output OUTPUT
            grouped[-1] = Option(grouped[-1].names + item.names, item.value, [])
        else:
            grouped.append(item)
    return grouped, rest


def parse(command, text):
    """Takes a --help apart: Boost.Program_options', argparse's and this project's own form."""
    page, option, column, in_examples = Page(command, text), None, 0, False
    for line in text.splitlines():
        found, said = options_of(line) if re.match(r" {1,4}-{1,2}[A-Za-z]", line) else ([], "")
        if EXAMPLE_HEAD.match(line):
            in_examples, option = True, None
        elif in_examples and line.startswith("  "):
            page.examples.append(line.strip())
        elif found:
            in_examples = False
            text_of = [said] if said else []  # which options of one line share
            column = line.rindex(said) if said else 0
            for option in found:
                option.text = text_of
                page.options.append(option)
                page.lines.append(option)
        elif option and line.strip() and (len(line) - len(line.lstrip()) >= max(column - 1, 6)):
            option.text.append(line.strip())
        else:
            in_examples = in_examples and not line.strip()
            option = None
            page.lines.append(line)
    return page


def help_of(folder, command):
    """What --help-all says, or, of a command that has no rare options, --help."""
    for word in ("--help-all", "--help"):
        done = subprocess.run([folder / command[0], *command[1:], word], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=word == "--help")
        if done.returncode == 0:
            break
    return done.stdout


def pages_of(folder, name):
    """The page of a program, and of its subcommands: those that it names in its usage and that answer --help."""
    main = parse([name], help_of(folder, [name]))
    found = [main]
    for word in dict.fromkeys(re.findall(rf"(?m)^(?:Usage:)?\s*{re.escape(name)} ([a-z][a-z-]+)\b", main.text.split("\nExamples:")[0])):
        text = help_of(folder, [name, word])
        found.append(parse([name, word], text))
    return found


def roff(text):
    """Text for man: what it would take for its own commands is escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def man_page(pages, version):
    """One man page for a program and its subcommands."""
    main = pages[0]
    name = main.command[0]
    lines = [f'.TH {name.upper()} 1 "" "Warpscope {version}" "User Commands"', ".SH NAME", f"{roff(name)} \\- {roff(main.summary)}"]
    for page in pages:
        lines += [f".SH {'DESCRIPTION' if page is main else roff(page.name.upper())}"]
        if page is not main and page.text == main.text:
            lines += [f"Has the options of {roff(name)}."]
            continue
        lines += _body(page)
    if main.examples:
        lines += [".SH EXAMPLES", ".nf", *(roff(example) for page in pages for example in dict.fromkeys(page.examples)), ".fi"]
    lines += [".SH SEE ALSO", "The documentation in", ".I /usr/share/doc/warpscope/docs"]
    return "\n".join(lines) + "\n"


def _body(page):
    lines, is_open = [], False
    for one in page.lines:
        if isinstance(one, Option):
            if is_open:
                lines.append(".fi")
            is_open = False
            value = f" \\fI{roff(one.value)}\\fR" if one.value else ""
            lines += [".TP", ", ".join("\\fB" + roff(word) + "\\fR" for word in one.names) + value]
            lines += [roff(text) if number == 0 or not re.match(r"[A-Za-z][\w-]*: ", text) else f".br\n{roff(text)}"
                      for number, text in enumerate(one.text or ["(no description)"])]
        elif one.strip():
            if not is_open:
                lines += [".PP", ".nf"]
            is_open = True
            lines.append(roff(one.rstrip()))
        else:
            if is_open:
                lines.append(".fi")
            is_open = False
    return lines + ([".fi"] if is_open else [])


def gpus(folder):
    listed = subprocess.run([folder / "cachesim", "--list-presets"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(?m)^([a-z0-9]\S*)", listed)


def values_of(option, presets):
    """How a shell completes the option's value: its choices, "files", or "" for nothing."""
    if {"--gpu", "--preset"} & set(option.names):
        return presets
    if choices := option.choices():
        return choices
    return "files" if FILES.search(option.value) else ""


def bash_completion(pages, presets):
    name = pages[0].command[0]
    function = "_" + re.sub(r"\W", "_", name)
    cases, values = [], []
    for page in pages:
        words = " ".join(word for option in page.options for word in option.names)
        more = " ".join(other.command[1] for other in pages[1:]) if page is pages[0] else ""
        cases.append(f"    {page.command[1] if len(page.command) > 1 else '*'}) options='{words}' commands='{more}' ;;")
        for option in page.options:
            how = values_of(option, presets)
            if option.takes_value:
                of = page.command[1] if len(page.command) > 1 else ""
                action = "files=1" if how == "files" else f"values='{' '.join(how)}'" if how else "values=''"
                values += [f"      '{of} {word}') {action}; known=1 ;;" for word in option.names]
    order = [case for case in cases if not case.startswith("    *)")] + [case for case in cases if case.startswith("    *)")]
    return "\n".join([
        f"# Completion of {name}, made from its --help.", f"{function}() {{",
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' options='' commands='' values='' files='' known=''",
        f"  case ${{COMP_WORDS[1]}} in {'|'.join(page.command[1] for page in pages[1:]) or '-'}) [ \"$COMP_CWORD\" -gt 1 ] && command=${{COMP_WORDS[1]}} ;; esac",
        "  case \"$command\" in", *order, "  esac",
        "  case \"$command $before\" in", *values, "  esac",
        "  if [ -n \"$files\" ]; then COMPREPLY=($(compgen -f -- \"$word\"))",
        "  elif [ -n \"$known\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))",
        "  elif [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))",
        "  else",
        "    COMPREPLY=($(compgen -f -- \"$word\"))",
        "    [ \"$COMP_CWORD\" = 1 ] && COMPREPLY+=($(compgen -W \"$commands\" -- \"$word\"))",
        "  fi", "}", f"complete -o filenames -F {function} {name}", ""])


def zsh_quoted(text):
    return re.sub(r"([\[\]:\\'`$\"])", r"\\\1", text).replace("\\'", "'\\''")


def zsh_arguments(page, presets, indent):
    lines = []
    for option in page.options:
        how = values_of(option, presets)
        said = zsh_quoted(" ".join(option.text[:1])[:70])
        action = ":value:_files" if how == "files" else f":value:({' '.join(how)})" if how else ":value:"
        lines += [f"{indent}'*{word}[{said}]{action if option.takes_value else ''}' \\" for word in option.names]
    return [f"{indent[2:]}_arguments \\", *lines, f"{indent}'*:file:_files'"]


def zsh_completion(pages, presets):
    name = pages[0].command[0]
    lines = [f"#compdef {name}", f"# Made from the --help of {name}."]
    if len(pages) > 1:
        words = " ".join(page.command[1] for page in pages[1:])
        lines += [f"if (( CURRENT == 2 )); then compadd -- {words}; fi", "case ${words[2]} in"]
        for page in pages[1:]:
            lines += [f"  {page.command[1]})", *zsh_arguments(page, presets, "      "), "    ;;"]
        lines += ["  *)", *zsh_arguments(pages[0], presets, "      "), "    ;;", "esac"]
    else:
        lines += zsh_arguments(pages[0], presets, "  ")
    return "\n".join(lines) + "\n"


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--version", required=True, help="of the project")
    arguments = parser.parse_args()
    presets = gpus(arguments.bin)
    for program in sorted(path for path in arguments.bin.iterdir() if path.is_file() and path.stat().st_mode & 0o100):
        try:
            pages = pages_of(arguments.bin, program.name)
        except subprocess.CalledProcessError as error:  # a plot without matplotlib
            print(f"manuals: {program.name}: --help ends with status {error.returncode}, so it gets no page: {error.stderr.strip()}", file=sys.stderr)
            continue
        write(arguments.output / "man" / "man1" / f"{program.name}.1.gz",
              gzip.compress(man_page(pages, arguments.version).encode(), 9, mtime=0))
        write(arguments.output / "bash-completion" / "completions" / program.name, bash_completion(pages, presets).encode())
        write(arguments.output / "zsh" / "vendor-completions" / f"_{program.name}", zsh_completion(pages, presets).encode())


if __name__ == "__main__":
    main()
