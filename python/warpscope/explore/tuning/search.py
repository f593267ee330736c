"""Which variants are simulated, and in which order. A strategy yields batches of variants and gets their costs; what it does depends
on the costs and the seed only, not on how many are simulated at once."""
from __future__ import annotations

import random
from typing import Any, Callable, Generator, Mapping, Optional, Sequence

from warpscope.explore.tuning.space import Configuration, Space

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


def _pairs(space: Space, allowed: Sequence[Configuration], best: Configuration,
           known: Mapping[Configuration, Optional[float]]) -> list[Configuration]:
    """Variants that differ from the best in two parameters, each by one value: first those whose parameters a restriction ties together,
    then by what both changes alone cost (their product, as if each had its own factor)."""
    places = [{value: number for number, value in enumerate(parameter.values)} for parameter in space.parameters]
    found = []
    for one in allowed:
        changed = [at for at in range(len(best)) if one[at] != best[at]]
        if len(changed) == 2 and all(abs(places[at][one[at]] - places[at][best[at]]) == 1 for at in changed):
            alone = [best[:at] + (one[at],) + best[at + 1:] for at in changed]
            estimate = _cost(known, alone[0]) * _cost(known, alone[1])
            found.append((not space.ties(*(space.names[at] for at in changed)), estimate, one))
    return [one for _, _, one in sorted(found, key=lambda each: each[:2])]


def _descend(space: Space, line: Callable[[Configuration, int], list[Configuration]], best: Configuration,
             known: dict[Configuration, Optional[float]]) -> Generator[list[Configuration], Costs, Configuration]:
    """One parameter after the other to its best value until none gains; returns where that ends."""
    order = sorted(range(len(space.parameters)), key=lambda at: len(space.parameters[at].values))
    since = 0  # parameters without a gain
    while True:
        for at in order:
            for batch in _along(line(best, at), best, at, known, space):
                if new := [one for one in batch if one not in known]:
                    known.update((yield new))
            moved = min([best, *line(best, at)], key=lambda one: _cost(known, one))
            since = 0 if moved != best else since + 1
            best = moved
            if since >= len(order):
                return best


def greedy(space: Space, allowed: Sequence[Configuration], start: Configuration, seed: int) -> Strategy:
    """From the start one parameter after the other to its best value, as long as one gains (hill climbing over neighbours); then two
    parameters at once; then again from a variant drawn at random."""
    line = _lines(space, allowed)
    known: dict[Configuration, Optional[float]] = {}
    for best in [start, *(one for one in shuffled(allowed, seed) if one != start)]:
        if best in known:
            continue
        known.update((yield [best]))
        gains = True
        while gains:
            best = yield from _descend(space, line, best, known)
            gains = False
            for pair in _pairs(space, allowed, best, known):
                if pair not in known:
                    known.update((yield [pair]))
                    if _cost(known, pair) < _cost(known, best):
                        best, gains = pair, True
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
