"""The time of a model over values of its inputs."""
import itertools
import re

from warpscope.base import csv_cells
from warpscope.base.errors import InputError
from warpscope.base.table import aligned
from warpscope.explore.models import gather, output

MOST = 10_000  # points
RANGE = re.compile(r"(\d+)-(\d+)(?:([:*])(\d+))?")


def values_of(text):
    """The values of LIST: numbers, names, ranges 8-64:8 (steps of 8) and 8-256*2 (doubling), separated by commas."""
    found = []
    for word in text.split(","):
        matched = RANGE.fullmatch(word)
        if not matched:
            if not word:
                raise InputError(f"--sweep: '{text}' has an empty value, expected numbers or names between commas")
            found.append(gather.number_or_name(word))
            continue
        first, last, how, step = int(matched[1]), int(matched[2]), matched[3] or ":", int(matched[4] or 1)
        if last < first or step < (2 if how == "*" else 1) or (how == "*" and first == 0):
            raise InputError(f"--sweep: range '{word}', expected FIRST-LAST, FIRST-LAST:STEP or FIRST-LAST*FACTOR, ascending")
        while first <= last and len(found) <= MOST:
            found.append(first)
            first = first * step if how == "*" else first + step
    return found


def _split(word):
    name, equals, text = word.partition("=")
    if not equals:
        raise InputError(f"--sweep {word}: expected NAME=LIST")
    return name, text


def points(words, specs):
    """[{name: value}], all combinations. Raises InputError for inputs that the model does not take, or too many points."""
    lists = {}
    for name, text in map(_split, words):
        if name not in specs or name in lists:
            raise InputError(f"--sweep {name}: {'is given twice' if name in lists else 'is no input'}, expected one of "
                             f"{', '.join(specs)}")
        if name == "algorithm":
            raise InputError("--sweep algorithm: other algorithms have other inputs, expected one algorithm at a time")
        lists[name] = values_of(text)
    combinations = 1
    for values in lists.values():
        combinations *= len(values)
    if combinations > MOST:
        raise InputError(f"--sweep: {combinations} points, expected at most {MOST}")
    return [dict(zip(lists, point)) for point in itertools.product(*lists.values())]


def best(answers):
    """The number of the point with the least time, the first of equal ones."""
    return min(range(len(answers)), key=lambda number: answers[number][1].seconds)


def table(answers):
    """Lines: the values, the time, the bottleneck, the best marked."""
    names = list(answers[0][0])
    cells = [[*names, "time", "bottleneck"]]
    cells += [[*(output.number(point[name]) for name in names), output.duration(answer.seconds), answer.bottleneck]
              for point, answer in answers]
    marks = ["", *(" <- least time" if number == best(answers) else "" for number in range(len(answers)))]
    return [line + mark for line, mark in zip(aligned(cells, left=(len(names) + 1,)), marks)]


def csv_text(answers):
    return csv_cells.text([[*answers[0][0], "seconds", "bottleneck"],
                           *([*point.values(), answer.seconds, answer.bottleneck] for point, answer in answers)])


def as_json(model, inputs, answers):
    """The fixed inputs and a cell per point."""
    swept = set(answers[0][0])
    return {"schema": output.SCHEMA, "kind": "model sweep", "model": model,
            "inputs": {name: value.as_json() for name, value in inputs.items() if name not in swept},
            "cells": [{"values": point, "seconds": answer.seconds, "bottleneck": answer.bottleneck} for point, answer in answers]}


def chart(title, answers, stem):
    """The time over the first swept input, a line per value of the others."""
    from warpscope.show.plots import model_sweep
    return model_sweep.save(title, [(point, answer.seconds) for point, answer in answers], stem)
