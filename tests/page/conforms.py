"""Whether the data in a page has the types that report/src takes it to have."""
import types
import typing


def _members(kind, value, place):
    """(type, value, place) of what is in a list, tuple or dictionary."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return [(inner[0], one, f"{place}[{number}]") for number, one in enumerate(value)]
    if origin is tuple:
        return [(one, member, f"{place}[{number}]") for number, (one, member) in enumerate(zip(inner, value))]
    return [pair for key, one in value.items() for pair in ((inner[0], key, f"{place}, key {key}"), (inner[1], one, f"{place}.{key}"))]


def _fields(kind, value, place):
    hints = typing.get_type_hints(kind, include_extras=True)
    others = hints.pop("other_keys", None)
    for field, hint in hints.items():
        optional = typing.get_origin(hint) is typing.NotRequired
        if field in value:
            yield from differences(typing.get_args(hint)[0] if optional else hint, value[field], f"{place}.{field}")
        elif not optional:
            yield f"{place}.{field}: is missing"
    for field in value.keys() - hints.keys():
        yield from differences(others, value[field], f"{place}.{field}") if others else [f"{place}.{field}: has no type"]


def _class_of(kind):
    """The class that JSON's reader makes of a type's values."""
    if typing.is_typeddict(kind):
        return dict
    return {tuple: list, float: (int, float)}.get(typing.get_origin(kind) or kind, typing.get_origin(kind) or kind)


def differences(kind, value, place="page"):
    """Lines about where a value, as JSON has it, is not of its type."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        found = [list(differences(one, value, place)) for one in inner]
        return [] if [] in found else min(found, key=len)
    if origin is typing.Literal:
        return [] if value in inner else [f"{place}: is {value!r}, expected one of {inner}"]
    if kind is not object and (not isinstance(value, _class_of(kind)) or (isinstance(value, bool) and kind in (int, float))):
        return [f"{place}: is {value!r:.60}, expected {kind}"]
    if typing.is_typeddict(kind):
        return list(_fields(kind, value, place))
    if origin is tuple and len(value) != len(inner):
        return [f"{place}: has {len(value)} elements, expected {len(inner)}"]
    return [line for member in (_members(kind, value, place) if origin else []) for line in differences(*member)]
