"""Expressions over a variant's parameters, such as TILE*TILE <= 1024: a small part of Python, evaluated without running Python."""
from __future__ import annotations

import ast
import operator
from typing import Any, Callable, Mapping, Union

from warpscope.base.errors import InputError

Value = Union[int, float, str, bool]
MOST_CHARACTERS = 2000
MOST_BITS = 512  # of a whole number, so that no expression fills the memory
MOST_VALUES = 100_000  # of a list

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda value, values: value in values, ast.NotIn: lambda value, values: value not in values}
_CALLS: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "abs": abs, "int": int, "float": float, "list": list,
    "ceil_div": lambda above, below: -(-above // below)}
SYNTAX = "expected numbers, names, + - * / // % ** << >> & | ^, comparisons, and, or, not, min, max, abs, ceil_div"


class _Refused(Exception):
    pass


def _range(*bounds: Any) -> list[int]:
    values = range(*bounds)
    if len(values) > MOST_VALUES:
        raise _Refused(f"range of {len(values)} values, expected at most {MOST_VALUES}")
    return list(values)


def _limited(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MOST_BITS or isinstance(value, (str, list, tuple)) and len(value) > MOST_VALUES:
        raise _Refused("a value gets too large")
    return value


def _binary(node: ast.BinOp, names: Mapping[str, Any]) -> Any:
    left, right = _value(node.left, names), _value(node.right, names)
    if not all(isinstance(side, (int, float)) for side in (left, right)):
        raise _Refused("an operator between what are no numbers")
    if isinstance(node.op, (ast.Pow, ast.LShift)) and abs(right) > MOST_BITS:
        raise _Refused("a value gets too large")
    return _limited(_BINARY[type(node.op)](left, right))


def _compare(node: ast.Compare, names: Mapping[str, Any]) -> bool:
    left = _value(node.left, names)
    for how, other in zip(node.ops, node.comparators):
        right = _value(other, names)
        if type(how) not in _COMPARE:
            raise _Refused("a comparison by identity")
        if not _COMPARE[type(how)](left, right):
            return False
        left = right
    return True


def _call(node: ast.Call, names: Mapping[str, Any]) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    function = _range if name == "range" else _CALLS.get(name)
    if function is None or node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
        raise _Refused(f"a call of '{ast.unparse(node.func)}'")
    return _limited(function(*(_value(one, names) for one in node.args)))


def _logic(node: ast.BoolOp, names: Mapping[str, Any]) -> Any:
    value: Any = None
    for each in node.values:
        value = _value(each, names)
        if bool(value) != isinstance(node.op, ast.And):
            return value
    return value


def _value(node: ast.AST, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return _limited(node.value)
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise _Refused(f"no parameter '{node.id}', there are {', '.join(sorted(names)) or 'none'}")
        return names[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(each, names) for each in node.elts]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _binary(node, names)
    if isinstance(node, ast.UnaryOp):
        return _limited(_UNARY[type(node.op)](_value(node.operand, names)))
    if isinstance(node, ast.BoolOp):
        return _logic(node, names)
    if isinstance(node, ast.Compare):
        return _compare(node, names)
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, names) else node.orelse, names)
    if isinstance(node, ast.Call):
        return _call(node, names)
    raise _Refused(f"'{ast.unparse(node)}'")


def parse(text: str, where: str) -> ast.expr:
    """The expression as a tree. Raises InputError that begins with `where`."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"{where}: {len(text)} characters, expected at most {MOST_CHARACTERS}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{where}: '{text}' is no expression, {SYNTAX}") from error


def names_in(tree: ast.AST) -> set[str]:
    """The names of values that an expression needs."""
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - called


def evaluate(tree: ast.expr, names: Mapping[str, Any], where: str) -> Any:
    """The value, with Python's rules (/ gives a fraction, // a whole number). Raises InputError that begins with `where`."""
    try:
        return _value(tree, names)
    except _Refused as error:
        raise InputError(f"{where}: '{ast.unparse(tree)}': {error}; {SYNTAX}") from error
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise InputError(f"{where}: '{ast.unparse(tree)}': {error}") from error
