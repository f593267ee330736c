"""The types of the page's data for report/src: `python3 -m warpscope.show.page.typescript` writes report/src/types.ts. report/build.mjs calls it."""
import types
import typing

from warpscope.show.page.data import Page

WORDS = {int: "number", float: "number", str: "string", bool: "boolean", object: "unknown", type(None): "null"}


def _literal(values):
    return " | ".join(f"'{value}'" for value in values)


class Declarations:
    """The declarations of all types that a type needs, each once."""

    def __init__(self):
        self.of, self.names = {}, {}

    def word(self, kind):
        """How TypeScript calls a type."""
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if typing.is_typeddict(kind):
            return self._name(kind)
        if origin is list:
            item = self.word(inner[0])
            return f"({item})[]" if " | " in item else f"{item}[]"
        if origin is tuple:
            return f"[{', '.join(map(self.word, inner))}]"
        if origin is dict:
            record = f"Record<{self.word(inner[0])}, {self.word(inner[1])}>"
            return f"Partial<{record}>" if typing.get_origin(inner[0]) is typing.Literal else record
        if origin is typing.Literal:
            return _literal(inner)
        if origin in (typing.Union, types.UnionType):
            return " | ".join(dict.fromkeys(map(self.word, inner)))
        return WORDS[kind]

    def _name(self, kind):
        name = kind.__name__
        if self.names.setdefault(name, kind) is not kind:
            raise TypeError(f"{kind.__module__}.{name}: {self.names[name].__module__} has a type of this name, expected another")
        if name not in self.of:
            self.of[name] = ""  # of itself, if it refers to itself
            self.of[name] = self._declaration(name, typing.get_type_hints(kind, include_extras=True))
        return name

    def _declaration(self, name, fields):
        others = fields.pop("other_keys", None)
        lines = []
        for field, kind in fields.items():
            optional = typing.get_origin(kind) is typing.NotRequired
            lines.append(f"  {field}{'?' if optional else ''}: {self.word(typing.get_args(kind)[0] if optional else kind)};\n")
        rest = f"Record<string, {self.word(others)}> & " if others else ""
        return f"export type {name} = {rest}{{\n{''.join(lines)}}};\n"


def declarations(kind):
    """The text of types.ts for a TypedDict."""
    needed = Declarations()
    needed.word(kind)
    return "// Written by python/warpscope/show/page/typescript.py from the types in that folder.\n\n" + "\n".join(needed.of.values())


if __name__ == "__main__":
    print(declarations(Page), end="")
