"""Races, advice and the instructions of executed machine code as parts of a result file."""
from warpscope.explore.advice import engine
from warpscope.explore.whatif import beyond_l2, resident, unrolled
from warpscope.result import code_facts, instructions, results
from warpscope.run import budget, clocks
from warpscope.show.summary import races


def to_file(capture, request, file, given, gpus=1):
    """Looks for races, tries remedies, what compilers may do to loops, an L2 that keeps nothing written and other registers, and appends `races`, `advice`, `unrolled`,
    `beyond_l2`, `resident` and, of machine code, `instructions` to the result.json `file`, which was simulated for `request`; the whole result. `given`: --advice-budget, which so many `gpus` share; `context.work` says what was used."""
    result = results.load(file)
    limit = budget.of_advice(given, budget.timed_work(result.get("timed")), gpus)
    advice = engine.of_capture(capture, request, result, limit, file.parent)
    left = budget.Work(limit - advice["used"])
    more = {"races": races.of_capture(capture, request.chosen, result), "advice": advice,
            "unrolled": unrolled.of_capture(capture, request, result, left, file.parent),
            "beyond_l2": beyond_l2.of_capture(capture, request, result, left, file.parent)}
    beyond_l2.put_gain(advice, more["beyond_l2"], capture, request, result, left, file.parent)
    more["resident"] = resident.of_capture(capture, request, result, left, file.parent)
    if executed := instructions.of_capture(capture, result):
        found = code_facts.of_result({**result, "instructions": executed})
        more["instructions"] = [{**code, "facts": [code_facts.as_json(fact) for fact in found if fact.kernel == code["kernel"]]} for code in executed]
    clocks.append(file, more, None)
    work = {"work": clocks.work_in_context(result, request, limit, advice["used"] + left.used)}
    clocks.put_in_context(file, work)
    return {**result, "context": {**work, **result["context"]}, **more}
