"""Races and advice as parts of a result file."""
from warpscope.explore.advice import engine
from warpscope.result import results
from warpscope.run import clocks
from warpscope.show.summary import races


def to_file(capture, request, file, seconds):
    """Looks for races and tries remedies for `seconds`, and appends `races` and `advice` to the result.json `file`, which was simulated
    for `request`; the whole result."""
    result = results.load(file)
    told = engine.of_capture(capture, request, result, seconds, file.parent)
    more = {"races": races.of_capture(capture, request.chosen, result), "advice": told}
    clocks.append(file, more, None)
    return {**result, **more}
