"""Kernel Tuner's JSON: T1 (a tuning problem: parameters, conditions, kernel) is read and written, T4 (results) written and read.

Schemas of ours, written from the published ones of the auto-tuning community (github.com/odgaard/TuningSchema, T1 and T4 1.0.0, as
Kernel Tuner distributes them): docs/schema/t1-1.0.0.json and docs/schema/t4-1.0.0.json.
"""
from __future__ import annotations

import ast
import json
import pathlib
import re
from typing import Any, Iterable, Mapping, Optional, Sequence

from warpscope.base.errors import InputError
from warpscope.base.inputs import complete, read_json
from warpscope.explore.tuning import expressions
from warpscope.explore.tuning.space import Configuration, Parameter, Space
from warpscope.explore.tuning.variants import Variant

T4_VERSION = "1.0.0"
T1 = "a tuning problem of Kernel Tuner (T1)"
T4 = "results of Kernel Tuner (T4)"
UNITS = {"cycles": "cycles", "load_latency_cycles_mean": "cycles", "core_to_l2_bytes": "bytes", "l2_to_core_bytes": "bytes",
         "dram_read_bytes": "bytes", "time": "ms"}
FILLS = {"Random": "random(1)", "Constant": "zero"}


def _axis(sizes: Mapping[str, Any]) -> list[str]:
    return [str(sizes.get(axis, "1")) for axis in "XYZ"]


def _arguments(specification: Mapping[str, Any], path: str) -> list[str]:
    """--arg and --dynamic-shared of trace-kernel."""
    words: list[str] = []
    for one in specification.get("Arguments", []):
        name, size = one.get("Name", ""), one.get("Size", 1)
        if one["MemoryType"] == "Scalar":
            words += ["--arg", f"{name}={one['FillValue']:g}"]
        elif one["MemoryType"] == "Vector":
            fill = FILLS.get(one.get("FillType", "Random"))
            if fill is None:
                raise InputError(f"{path}: argument {name}: FillType {one['FillType']}, expected Constant or Random; another fill goes into "
                                 "a launch file")
            if fill == "zero" and one.get("FillValue", 0):
                fill = f"constant({one['FillValue']:g})"
            words += ["--arg", f"{name}=count={size},fill={fill}"]
        elif one["MemoryType"] == "Local":
            words += ["--arg", f"{name}=count={size}"]
    if specification.get("SharedMemory"):
        words += ["--dynamic-shared", str(specification["SharedMemory"])]
    return words


class Problem:
    """A T1 file: `kernel` (path), `parameters`, `restrictions`, `options` of trace-kernel, and `sizes_of` a variant."""

    def __init__(self, path: str) -> None:
        said = read_json(path, T1)
        with complete(path, T1):
            space, kernel = said["ConfigurationSpace"], said["KernelSpecification"]
            self.kernel = pathlib.Path(path).parent / kernel["KernelFile"]
            self.parameters = [Parameter(one["Name"], tuple(self._values(one, path))) for one in space["TuningParameters"]]
            self.restrictions = [one["Expression"] for one in space.get("Conditions", [])]
            self.options = ["--kernel", kernel["KernelName"], *_arguments(kernel, path)]
            if flags := kernel.get("CompilerOptions"):
                self.options += ["--build-options", " ".join(flags)]
            self._where = path
            is_grid = kernel.get("GlobalSizeType", kernel["Language"]) == "CUDA"
            self._global = ("--grid" if is_grid else "--global", [expressions.parse(text, path) for text in _axis(kernel["GlobalSize"])])
            self._local = [expressions.parse(text, path) for text in _axis(kernel["LocalSize"])]
            budget = [one["BudgetValue"] for one in said.get("Budget", []) if one["Type"] == "ConfigurationCount"]
            self.budget: Optional[int] = int(budget[0]) if budget else None

    @staticmethod
    def _values(one: Mapping[str, Any], path: str) -> list[Any]:
        values = expressions.evaluate(expressions.parse(str(one["Values"]), path), {}, f"{path}: {one['Name']}")
        if not isinstance(values, list):
            raise InputError(f"{path}: {one['Name']}: Values '{one['Values']}', expected a list such as [16, 32]")
        return [int(value) if isinstance(value, bool) else value for value in values]

    def size_words(self, named: Mapping[str, Any]) -> list[str]:
        """--grid or --global, and --local, of a variant. Raises InputError."""
        words = []
        for option, trees in (self._global, ("--local", self._local)):
            sizes = [expressions.evaluate(tree, named, self._where) for tree in trees]
            if any(size != int(size) or size < 1 for size in sizes):
                raise InputError(f"{self._where}: {option} of {dict(named)} is {sizes}, expected whole numbers above 0")
            words += [option, ",".join(str(int(size)) for size in sizes)]
        return words


def results(variants: Iterable[Variant], objective: str) -> dict[str, Any]:
    """T4: what `variants` gave, in their order. Times are milliseconds; those that Kernel Tuner measures on a host are 0 here."""
    return {"results": [_result(variant, objective) for variant in variants], "schema_version": T4_VERSION}


def _result(variant: Variant, objective: str) -> dict[str, Any]:
    measured = {**(variant.timed or {}), **{name: value for name, value in (variant.fixed or {}).items()}}
    if variant.milliseconds is not None:
        measured = {"time": variant.milliseconds, **measured}
    times: dict[str, Any] = {"compilation_time": 0, "framework": 0, "search_algorithm": 0, "validation": 0,
                             "runtimes": [] if variant.milliseconds is None else [variant.milliseconds]}
    row: dict[str, Any] = {
        "configuration": variant.configuration, "times": times, "invalidity": variant.invalidity,
        "correctness": 1 if variant.is_valid else 0,
        "measurements": [{"name": name, "value": value, "unit": UNITS.get(name, "")} for name, value in measured.items()
                         if value is not None],
        "objectives": [objective]}
    if variant.why:
        row["measurements"] = [{"name": "reason", "value": variant.why, "unit": ""}]
    return row


def read_results(path: str) -> tuple[list[Parameter], list[Configuration], list[Optional[float]]]:
    """A T4 file: its parameters, its configurations and the first objective of each (None if invalid)."""
    said = read_json(path, T4)
    with complete(path, T4):
        rows = said["results"]
        names = list(rows[0]["configuration"])
        configurations = [tuple(row["configuration"][name] for name in names) for row in rows]
        parameters = [Parameter(name, tuple(dict.fromkeys(one[at] for one in configurations))) for at, name in enumerate(names)]
        measured = []
        for row in rows:
            values = {one["name"]: one["value"] for one in row.get("measurements", [])}
            objective = (row.get("objectives") or ["time"])[0]
            value = values.get(objective)
            measured.append(float(value) if row["invalidity"] == "correct" and isinstance(value, (int, float)) else None)
        return parameters, configurations, measured


class _Python(ast.NodeTransformer):
    """Expressions of launch files (whole numbers, ceil_div) as those of T1 (Python)."""

    def __init__(self, sizes: Mapping[str, ast.expr]) -> None:
        self.sizes = sizes

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # pylint: disable=invalid-name
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            node.op = ast.FloorDiv()
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:  # pylint: disable=invalid-name
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "ceil_div":
            above, below = node.args
            one = ast.BinOp(ast.BinOp(above, ast.Add(), below), ast.Sub(), ast.Constant(1))
            return ast.BinOp(one, ast.FloorDiv(), below)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:  # pylint: disable=invalid-name
        return self.sizes.get(node.id, node)


def _sizes(launch: Mapping[str, Any], key: str, constants: Mapping[str, Any]) -> dict[str, str]:
    known: dict[str, ast.expr] = {name: ast.Constant(value) for name, value in constants.items()}
    given = launch[key] if isinstance(launch[key], list) else [launch[key]]
    found = {}
    for axis, text in zip("XYZ", [*given, 1, 1]):
        tree = _Python(known).visit(ast.parse(str(text), mode="eval"))
        found[axis] = ast.unparse(ast.fix_missing_locations(tree))
    return found


def launch_text(path: pathlib.Path) -> dict[str, Any]:
    """A launch file without its comments, expressions as they are written."""
    text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda found: found[1] or "", path.read_text(encoding="utf-8"))
    said: dict[str, Any] = json.loads(text)
    return said


def problem(space: Space, kernel: pathlib.Path, launch: Mapping[str, Any], arguments: Sequence[Mapping[str, Any]], most: int) -> dict[str, Any]:
    """T1 of a space of macros. `launch`: the launch file as written, with "global" and "local"; `arguments`: as launch-file prints them."""
    if other := [one.name for one in space.parameters if one.kind != "define"]:
        raise InputError(f"--write-t1: parameter {other[0]} is no macro, which T1 cannot say; expected -D only")
    tuning = [{"Name": one.name, "Type": "int" if all(isinstance(value, int) for value in one.values) else "string",
               "Values": repr(list(one.values))} for one in space.parameters]
    conditions = [{"Expression": text, "Parameters": sorted(expressions.names_in(expressions.parse(text, "--restrict")) & set(space.names))}
                  for text in space.restrictions]
    return {
        "General": {"FormatVersion": 1, "TimeUnit": "Milliseconds", "OutputFormat": "JSON"},
        "ConfigurationSpace": {"TuningParameters": tuning, "Conditions": conditions},
        "Budget": [{"Type": "ConfigurationCount", "BudgetValue": most}],
        "KernelSpecification": {
            "Language": "CUDA" if kernel.suffix == ".cu" else "OpenCL", "KernelName": launch["kernel"], "KernelFile": kernel.name,
            "GlobalSizeType": "OpenCL", "CompilerOptions": [f"-D{name}={value}" for name, value in space.constants.items()],
            "GlobalSize": _sizes(launch, "global", space.constants), "LocalSize": _sizes(launch, "local", space.constants),
            "Arguments": [_argument(one) for one in arguments]}}


def _argument(one: Mapping[str, Any]) -> dict[str, Any]:
    """An argument of a launch file; element types are the kernel's, which T1 calls custom."""
    if one.get("values") is not None:
        value = one["values"][0]
        return {"Name": one["name"], "Type": "int32" if isinstance(value, int) else "float", "MemoryType": "Scalar", "FillType": "Constant",
                "FillValue": value}
    if one.get("local"):
        return {"Name": one["name"], "Type": "custom", "TypeSize": 1, "MemoryType": "Local", "Size": one["bytes"]}
    is_zero = (one.get("fill") or {}).get("kind") == "zero"
    return {"Name": one["name"], "Type": "custom", "MemoryType": "Vector", "Size": one.get("count", 1),
            "FillType": "Constant" if is_zero else "Random", **({"FillValue": 0} if is_zero else {})}
