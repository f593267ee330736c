"""Advice as a part of a result file."""
from warpscope import clocks, results
from warpscope.advice import engine


def to_file(capture, values, file, seconds):
    """Tries remedies for `seconds` and appends `advice` to the result.json `file`, which was simulated with the options `values`; the whole
    result."""
    result = results.load(file)
    told = engine.of_capture(capture, values, result, seconds, file.parent)
    clocks.append(file, {"advice": told}, None)
    result["advice"] = told
    return result
