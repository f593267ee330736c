"""The options of a command: one table, from which its words are read, and its --help, --help-all and --options-json are written. Man pages,
completions and the tables in docs/tools come from these."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Callable, Optional, Sequence, Union

from warpscope.base.errors import InputError

FLAG, ONCE, LAST, MANY = "flag", "once", "last", "many"


@dataclasses.dataclass(frozen=True)
class Option:
    """`value`: how --help calls its value; `meaning`: its lines; `alias`: a second name that --help shows, `hidden`: one that it does not.
    `rare`: only --help-all shows it. `choices`: the only values that it takes, if there are some. Given again, an option is refused (ONCE), replaces the first (LAST), or adds to a list (MANY); a FLAG has no value."""

    name: str
    value: str = ""
    meaning: str = ""
    kind: str = ONCE
    default: Any = None
    alias: str = ""
    hidden: str = ""
    rare: bool = False
    choices: Sequence[str] = ()

    def head(self) -> str:
        names = f"{self.alias}, {self.name}" if self.alias else self.name
        return f"{names} {self.value}" if self.value else names

    def start(self) -> Any:
        """Its value where it is not given."""
        return [] if self.kind == MANY else False if self.kind == FLAG else self.default


Row = Union[str, Option, Sequence[Option]]


def meaning_of(row: Union[Option, Sequence[Option]]) -> str:
    """Options of one row share the meaning of the last one."""
    return row.meaning if isinstance(row, Option) else row[-1].meaning


def no_value(word: str) -> InputError:
    return InputError(f"{word}: has no value, expected one behind it")


def given_twice(name: str, value: str, known: str) -> InputError:
    return InputError(f"{name} {value}: is given already ({known}), expected it once")


def gpu_given_twice(name: str, value: str, known: str) -> InputError:
    return InputError(f"{name} {value}: a GPU is given already ({known}), expected --gpu or its alias --preset, once")


class Options:
    """Rows in the order of --help: an option, several options that share the meaning of the last one, or a heading. `column` is where
    meanings begin; behind a longer option they begin after two spaces. A meaning whose first line is empty begins in the next line.
    `title`: of the options before the first heading, for scripts."""

    def __init__(self, *rows: Row, column: int = 23, title: str = "Options") -> None:
        self.rows, self.column, self.title = rows, column, title
        self.all = [one for row in rows if not isinstance(row, str) for one in ([row] if isinstance(row, Option) else row)]
        self.by_name = {name: one for one in self.all for name in (one.name, one.alias, one.hidden) if name}

    def text(self, everything: bool = False) -> str:
        """The part of --help that lists them; `everything`: of --help-all."""
        lines: list[str] = []
        heading: list[str] = []  # until an option below it is shown
        for row in self.rows:
            if isinstance(row, str):
                heading = [row]
            elif own := self._lines(row, everything):
                lines += heading + own
                heading = []
        return "\n".join(lines)

    def has_rare(self) -> bool:
        return any(one.rare for one in self.all)

    def help_all(self) -> str:
        """The line of --help that says that there are more."""
        return "  --help-all".ljust(self.column) + "all options, with those that are rarely used"

    def listed(self) -> list[dict[str, Any]]:
        """For --options-json: the form that the C++ tools give."""
        found, group = [], self.title
        for row in self.rows:
            if isinstance(row, str):
                group = row.split(". ")[0].rstrip(":")
                continue
            for one in [row] if isinstance(row, Option) else row:
                meaning = " ".join((one.meaning or meaning_of(row)).split())
                kind = {FLAG: "switch", MANY: "list"}.get(one.kind, "value")
                found.append({"name": one.name, "alias": one.alias or None, "kind": kind, "value": one.value or None,
                              "default": one.default, "meaning": meaning, "group": group, "shown": "help-all" if one.rare else "help"})
        return found

    def _lines(self, row: Union[Option, Sequence[Option]], everything: bool) -> list[str]:
        shown = [one for one in ([row] if isinstance(row, Option) else row) if everything or not one.rare]
        if not shown:
            return []
        head, (first, *more) = "  " + ", ".join(one.head() for one in shown), meaning_of(row).split("\n")
        begin = head.ljust(self.column) + first if len(head) < self.column else f"{head}  {first}"
        return [begin.rstrip(), *(" " * self.column + line for line in more)]

    def read(self, words: Sequence[str], unknown: Optional[Callable[[str], None]] = None) -> tuple[dict[str, Any], list[str]]:
        """({option: value}, the other words) of a command line; an option is NAME VALUE or NAME=VALUE. `unknown` is called with a word that
        looks like an option and is none: it raises, or the word is one of the others. Raises InputError."""
        values, others, given, queue = {one.name: one.start() for one in self.all}, [], set[str](), list(words)
        while queue:
            word = queue.pop(0)
            name, equals, value = word.partition("=")
            option = self.by_name.get(name)
            if option is None or option.kind == FLAG and equals:
                if unknown and word.startswith("-") and word != "-":
                    unknown(word)
                others.append(word)
                continue
            if option.kind == FLAG:
                values[option.name] = True
                continue
            if not equals and not queue:
                raise no_value(word)
            value = value if equals else queue.pop(0)
            if option.kind == ONCE and option.name in given:
                twice = gpu_given_twice if option.hidden == "--preset" else given_twice
                raise twice(name if option.hidden else option.name, value, values[option.name])
            if option.choices and value not in option.choices:
                raise InputError(f"{name} {value}: expected one of {', '.join(option.choices)}")
            given.add(option.name)
            values[option.name] = [*values[option.name], value] if option.kind == MANY else value
        return values, others


def unknown_option(options: Options, help_of: str) -> Callable[[str], None]:
    """For Options.read(): refuses what is none of `options`. `help_of`: the rest of a message, where they are explained."""
    def refuse(word: str) -> None:
        raise InputError(f"'{word}': unknown option, expected one of {', '.join(one.name for one in options.all)}; {help_of}")
    return refuse


def not_an_option(command: str, help_of: str = "--help") -> Callable[[str], None]:
    """The same, of a command whose options are too many to be listed."""
    def refuse(word: str) -> None:
        raise InputError(f"{word}: not an option of {command}; see {help_of}")
    return refuse


def shown_help(words: Sequence[str], text: str, *tables: Options, needs_words: bool = False) -> bool:
    """Answers --help, --help-all and --options-json; --help, too, if there are no words and the command needs some. Whether it answered.
    `text`: of --help, which has the text() of each of `tables`."""
    asked = {word.partition("=")[0] for word in words}
    if "--options-json" in asked:
        print(json.dumps({"options": [one for table in tables for one in table.listed()]}, indent=1, ensure_ascii=False))
        return True
    everything = "--help-all" in asked
    if not everything and not asked & {"-h", "--help"} and not (needs_words and not words):
        return False
    with_rare = [table for table in tables if table.has_rare()]
    for table in with_rare:
        last = "\n" + table.help_all() if table is with_rare[-1] and not everything else ""
        text = text.replace(table.text(), table.text(everything) + last)
    print(text.strip())
    return True
