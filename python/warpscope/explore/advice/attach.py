"""Races and advice as parts of a result file."""
from warpscope.explore.advice import engine
from warpscope.result import results
from warpscope.run import clocks
from warpscope.show.summary import races


def to_file(capture, values, file, seconds):
    """Looks for races and tries remedies for `seconds`, and appends `races` and `advice` to the result.json `file`, which was simulated
    with the options `values`; the whole result."""
    result = results.load(file)
    told = engine.of_capture(capture, values, result, seconds, file.parent)
    more = {"races": races.of_capture(capture, values, result), "advice": told}
    clocks.append(file, more, None)
    return {**result, **more}
