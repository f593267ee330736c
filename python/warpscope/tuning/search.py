"""Which variants are simulated, and in which order. A strategy yields batches of variants and is told their costs; what it does depends
on the costs and the seed only, not on how many are simulated at once."""
from __future__ import annotations

import random
from typing import Any, Callable, Generator, Mapping, Optional, Sequence

from warpscope.tuning.space import Configuration, Space

Costs = Mapping[Configuration, Optional[float]]  # None: the variant is invalid
Strategy = Generator[list[Configuration], Costs, None]


def everything(_space: Space, allowed: Sequence[Configuration], _start: Configuration, _seed: int) -> Strategy:
    """All variants, in order of the values."""
    yield list(allowed)


def at_random(_space: Space, allowed: Sequence[Configuration], _start: Configuration, seed: int) -> Strategy:
    """Different variants, each as probable as any other."""
    yield shuffled(allowed, seed)


def shuffled(values: Sequence[Configuration], seed: int) -> list[Configuration]:
    """The same for a seed with every release of Python: random.random() is, random.shuffle() need not be."""
    numbers = random.Random(seed)
    return [value for _, value in sorted(((numbers.random(), place), value) for place, value in enumerate(values))]


def _cost(known: Mapping[Configuration, Optional[float]], one: Configuration) -> float:
    cost = known.get(one)
    return float("inf") if cost is None else cost


def _lines(space: Space, allowed: Sequence[Configuration]) -> Callable[[Configuration, int], list[Configuration]]:
    """(variant, number of a parameter) -> the variants that differ in this parameter only; the nearest values first."""
    groups: dict[tuple[int, tuple[Any, ...]], list[Configuration]] = {}
    for one in allowed:
        for at in range(len(space.parameters)):
            groups.setdefault((at, one[:at] + one[at + 1:]), []).append(one)
    place = [{value: number for number, value in enumerate(parameter.values)} for parameter in space.parameters]

    def line(one: Configuration, at: int) -> list[Configuration]:
        others = [other for other in groups.get((at, one[:at] + one[at + 1:]), []) if other != one]
        return sorted(others, key=lambda other: abs(place[at][other[at]] - place[at][one[at]]))

    return line


def _along(line: list[Configuration], best: Configuration, at: int, known: dict[Configuration, Optional[float]],
           space: Space) -> Strategy:
    """One parameter: its neighbouring values, then further in the direction that gains. `known` is filled by the caller."""
    values = list(space.parameters[at].values)
    here = values.index(best[at])
    below = [other for other in line if values.index(other[at]) < here]
    above = [other for other in line if values.index(other[at]) > here]
    yield [*below[:1], *above[:1]]
    for side in (below, above):
        before = best
        for step, other in enumerate(side):
            if step:
                yield [other]
            if _cost(known, other) >= _cost(known, before):
                break
            before = other


def greedy(space: Space, allowed: Sequence[Configuration], start: Configuration, seed: int) -> Strategy:
    """From the start one parameter after the other to its best value, as long as one gains (hill climbing over neighbours); then
    anew from a variant drawn at random."""
    line = _lines(space, allowed)
    known: dict[Configuration, Optional[float]] = {}
    starts = [start, *(one for one in shuffled(allowed, seed) if one != start)]
    order = sorted(range(len(space.parameters)), key=lambda at: len(space.parameters[at].values))
    for best in starts:
        if best in known:
            continue
        known.update((yield [best]))
        since = 0  # parameters without a gain
        while since < len(order):
            for at in order:
                moved = best
                climb = _along(line(best, at), best, at, known, space)
                for batch in climb:
                    new = [one for one in batch if one not in known]
                    if new:
                        known.update((yield new))
                moved = min([best, *line(best, at)], key=lambda one: _cost(known, one))
                since = 0 if moved != best else since + 1
                best = moved
                if since >= len(order):
                    break


STRATEGIES: dict[str, Callable[[Space, Sequence[Configuration], Configuration, int], Strategy]] = {
    "all": everything, "random": at_random, "greedy": greedy}


def run(name: str, space: Space, allowed: Sequence[Configuration], start: Configuration, seed: int, most: int,
        simulate: Callable[[list[Configuration]], Costs]) -> dict[Configuration, Optional[float]]:
    """Drives a strategy until it ends or `most` variants are simulated: {variant: cost}, in order of simulation."""
    found: dict[Configuration, Optional[float]] = {}
    steps = STRATEGIES[name](space, allowed, start, seed)
    try:
        batch = next(steps)
        while len(found) < most:
            new = [one for one in batch if one not in found][:most - len(found)]
            if new:
                found.update(simulate(new))
            batch = steps.send(found)
    except StopIteration:
        pass
    return found
