"""The options of a command: one table, from which its words are read and its --help is written. Man pages and completions come from --help."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Sequence, Union

from warpscope.base.errors import InputError

FLAG, ONCE, LAST, MANY = "flag", "once", "last", "many"


@dataclasses.dataclass(frozen=True)
class Option:
    """`value`: how --help calls its value; `meaning`: its lines; `alias`: a second name that --help shows, `hidden`: one that it does not.
    Given again, an option is refused (ONCE), replaces the first (LAST), or adds to a list (MANY); a FLAG has no value."""

    name: str
    value: str = ""
    meaning: str = ""
    kind: str = ONCE
    default: Any = None
    alias: str = ""
    hidden: str = ""

    def head(self) -> str:
        names = f"{self.alias}, {self.name}" if self.alias else self.name
        return f"{names} {self.value}" if self.value else names

    def start(self) -> Any:
        """Its value where it is not given."""
        return [] if self.kind == MANY else False if self.kind == FLAG else self.default


Row = Union[str, Option, Sequence[Option]]


def no_value(word: str) -> InputError:
    return InputError(f"{word}: has no value, expected one behind it")


def given_twice(name: str, value: str, known: str) -> InputError:
    return InputError(f"{name} {value}: is given already ({known}), expected it once")


def gpu_given_twice(name: str, value: str, known: str) -> InputError:
    return InputError(f"{name} {value}: a GPU is given already ({known}), expected --gpu or its alias --preset, once")


class Options:
    """Rows in the order of --help: an option, several options that share the meaning of the last one, or a heading. `column` is where
    meanings begin; behind a longer option they begin after two spaces. A meaning whose first line is empty begins in the next line."""

    def __init__(self, *rows: Row, column: int = 23) -> None:
        self.rows, self.column = rows, column
        self.all = [one for row in rows if not isinstance(row, str) for one in ([row] if isinstance(row, Option) else row)]
        self.by_name = {name: one for one in self.all for name in (one.name, one.alias, one.hidden) if name}

    def text(self) -> str:
        """The part of --help that lists them."""
        return "\n".join(line for row in self.rows for line in self._lines(row))

    def _lines(self, row: Row) -> list[str]:
        if isinstance(row, str):
            return [row]
        shown = [row] if isinstance(row, Option) else list(row)
        head, (first, *more) = "  " + ", ".join(one.head() for one in shown), shown[-1].meaning.split("\n")
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


def shown_help(words: Sequence[str], text: str, needs_words: bool = False) -> bool:
    """Prints --help if it is asked for, or if there are no words and the command needs some; whether it did."""
    asked = any(word.partition("=")[0] in ("-h", "--help") for word in words) or needs_words and not words
    if asked:
        print(text.strip())
    return asked
