"""Puts the parts of the summary into 25 lines of 100 columns; more where names are so long that these take them, and up to 30 where facts
that cost nothing would drive out a finding that costs a fifth of the cycles, or there is no room for any of these facts."""
import shlex

from warpscope.result import code_facts, kernels, machine, outside, program, rates, results
from warpscope.show.summary import advised, bound, clock, exact, races, rate_lines, recompile, words, wrapped

LINES, COLUMNS = 25, wrapped.COLUMNS
EXTRA_LINES = 5  # for large findings next to facts, and for facts
FACTS = ((exact.MOST, len(exact.KINDS)), (1, len(exact.KINDS)))  # (most of a kind, kinds): the most that there is room for is told
FEW_FACTS = (*FACTS, (1, 2), (1, 1))
ROWS = 6  # of the table by kernel
KERNEL_ROWS = 4  # that it has at least
NOTHING = "Nothing to simulate: no launch accessed memory."
NEXT_OUTSIDE = "Next: correct the index, or the buffer's size, of the accesses outside (first line), and run again"


def _gpu(result):
    context = result["context"]
    preset = context.get("preset")
    name = (preset.get("description") or preset["name"]).split(", L1")[0] if preset else "no GPU given"
    return name + (" (default GPU)" if result.get("clocks", {}).get("default_gpu") else "")


def _cache(result):
    """The L1 in one line."""
    cache = result["context"]["cache"]
    size = results.cache_text(result).split("\n")[-1].split(", ")[0]
    return (f"{size}, {cache['ways']} ways of {cache['line_bytes']} bytes, {cache['replacement']}, {cache['set_index']}; "
            f"{result['context']['cores']} cores{'; GPU not validated' if machine.not_validated(result) else ''}")


def ran(result):
    """What ran: one launch, launches of one kernel, or a program."""
    groups, launches = results.launch_groups(result), results.launch_count(result)
    names = {kernel["kernel"] for kernel in result.get("kernels") or groups}
    if not groups:
        return result["context"]["input"]["name"]
    if launches == 1:
        return results.launch_text(groups[0])
    if len(names) == 1:
        sizes = {(tuple(group["global"]), tuple(group["local"])) for group in groups if group.get("global")}
        more = f" and {len(sizes) - 1:,} other size{'s' if len(sizes) > 2 else ''}" if len(sizes) > 1 else ""
        return f"{launches:,} launches: {results.launch_text(groups[0])}{more}"
    return f"{launches:,} launches of {len(names):,} kernels"


def _skipped(skipped):
    """The first kernel that does not fit the GPU, and how many others there are."""
    one = skipped[0]
    more = f" (and {len(skipped) - 1:,} more)" if len(skipped) > 1 else ""
    return f"SKIPPED: kernel {one['kernel']}, launches {one['launches']}: {one['needs']} {one['what']}, {one['gpu']} allows {one['limit']}{more}"


def _what_ran(result):
    """What ran on which GPU, and the L1; accesses outside come first."""
    wrong = outside.line(result)
    untimed = results.not_timed_line(result)
    return [*([wrong] if wrong else []), *([untimed] if untimed else []), f"{ran(result)}; {_gpu(result)}", _cache(result)]


def _inserted(lines, more, at):
    """The lines of a summary with `more` at this index. Where all lines are taken an empty one behind it goes, and no finding."""
    for _ in range(min(len(more), len(lines) + len(more) - LINES)):
        if "" not in lines[at:]:
            break
        del lines[lines.index("", at)]
    return [*lines[:at], *more, *lines[at:]]


def _with_program(result, lines):
    """With who compiled what ran, behind the L1; and how far the L2's size and loops decide, behind what it is bound by: no finding goes for these, and for
    cycles of loops alone no empty line."""
    lines = _inserted(lines, wrapped.every(program.lines(result)), len(wrapped.every(_what_ran(result))))
    at = next((number for number, line in enumerate(lines, 1) if line.startswith("  busy, %")), 0)
    unrolled = rate_lines.unrolled_text(result)
    for text, takes_empty in ((rate_lines.beyond_l2_text(result), True), (unrolled, "%" in unrolled), (rate_lines.resident_text(result), False)):
        if text and (len(lines) < LINES or (takes_empty and "" in lines[at:])):
            lines = _inserted(lines, wrapped.every([f"  {text}"]), at)
            at += 1
    return lines


def head(result):
    """What ran on which GPU; the L1; what is not in the counts."""
    context = result["context"]
    lines = _what_ran(result)
    left_out = []
    if context.get("partial"):
        left_out.append("PARTIAL: the capture was cut short")
    if sampled := results.sampled_text(result):
        left_out.append(f"SAMPLED: {sampled}")
    elif context.get("sampling", "all") != "all":
        left_out.append(f"SAMPLED: only work-groups {context['sampling']}")
    if context.get("skipped"):
        left_out.append(_skipped(context["skipped"]))
    left_out += results.not_traced(result)
    return lines + left_out[:3]


def _cost(finding, cycles):
    if finding.advice:
        return f"what-if {advised.change_text(finding.advice)}: {advised.gain_text(finding.advice)}; {finding.remedy}"
    if finding.share is None:
        return finding.amount
    return f"{finding.amount}; {share_text(finding.share, cycles)}"


def share_text(share, cycles):
    """A part of the cycles; as a percentage alone where those of the whole are not known."""
    return f"about {share * cycles:,.0f} of {cycles:,} cycles ({rates.percent_text(share)})" if cycles else f"about {rates.percent_text(share)} of the cycles"


def finding_lines(label, finding, cycles, several=False):
    """(lines of where, kernel, buffer, cause and grade; lines of what it costs). `several`: whether there are several kernels."""
    room = COLUMNS - len(finding.grade) - 2
    first, *more = wrapped.wrapped(f"{label} {words.title(finding, several)}", room)
    return [first.ljust(room) + "  " + finding.grade, *more], wrapped.wrapped(f"   {_cost(finding, cycles)}{words.also_text(finding)}")


def _findings(result, found, largest, cycles, ran_timed, room):
    several = words.has_several_kernels(result)
    if not found:
        if not results.has_accesses(result):
            return [NOTHING]
        lines = [f"No finding costs more than 1 % of the {'cycles' if ran_timed else 'work'}."]
        return lines + (finding_lines("Most work:", largest, cycles, several)[0] if largest else [])
    lines = ["What costs most (cycles are estimates)" if ran_timed else "What costs most (no cycles: the timed engine did not run)"]
    for number, finding in enumerate(found, 1):
        name, cost = finding_lines(f"{number}.", finding, cycles, several)
        if number > 1 and len(lines) + len(name) + len(cost) > room:
            break
        lines += [*name, *cost]
    return lines


def _gpu_words(result):
    """What a command needs to simulate the same GPU; nothing where it is the default one."""
    preset = result["context"].get("preset")
    return f" --gpu {shlex.quote(preset['name'])}" if preset and not result.get("clocks", {}).get("default_gpu") else ""


def next_line(found, used, capture="", gpu="", tune=""):
    """What to do next: the what-if, `tune` (recompile.command() of it) or the remedy of the first finding, or of what limits where that
    finding costs little. `capture`: where it is; empty: not known."""
    if found and found[0].what_if and capture:
        return f"Next: warpscope what-if {shlex.quote(capture)} {found[0].what_if}{gpu}"
    if tune:
        return f"Next: {tune}"
    if found and found[0].remedy and not (bound.remedy(used) and (found[0].share or 0) < advised.LARGE):
        return f"Next: {found[0].remedy} (finding 1), and run again"
    if text := bound.remedy(used):
        return f"Next: {text}"
    return "Next: --details shows the source lines; --clock both and other GPUs (--gpu) show other limits"


def _kernel_lines(result, room):
    """The table by kernel for more than one launch, in at most `room` lines; else nothing."""
    if results.launch_count(result) < 2:
        return []
    return [*kernels.table(result, max(1, min(ROWS, room - 2))), ""]


def summary(result, files="", capture=""):
    """The lines. `files`: where the rest is, in a phrase; empty if it was not written. `capture`: its file, if that is known."""
    timed = result.get("timed")
    used = machine.busy(result, timed)
    found, largest = advised.of_result(result, used)
    shown, note = clock.shown(result)
    top = [*head(result), *races.lines(result, capture), *bound.lines(result, used, found), *([note] if note else []), ""]
    untried = advised.untried_line(result)
    bottom = [*([untried] if untried else []), "", *rate_lines.lines(result, timed, shown), *([f"Files: {files}"] if files else []),
              next_line(found, bound.main_kernel(result, used)[1], capture, _gpu_words(result), recompile.command(result, found[0], _gpu_words(result)) if found else "")]
    if outside.places(result):
        bottom[-1] = NEXT_OUTSIDE
    top, bottom, cycles = wrapped.every(top), wrapped.every(bottom), rate_lines.cycles(timed)
    least = len(_findings(result, found, largest, cycles, used is not None, 0))  # the costliest finding with its heading
    facts = _facts(result, found, LINES - len(top) - len(bottom) - least - (KERNEL_ROWS if results.launch_count(result) > 1 else 0), FACTS)
    top += wrapped.every(_kernel_lines(result, LINES - len(top) - len(bottom) - len(facts) - least))
    room = LINES - len(top) - len(bottom)
    large = max((number for number, finding in enumerate(found, 1) if (finding.share or 0) >= advised.LARGE), default=0)
    needed = len(_findings(result, found[:large], largest, cycles, used is not None, room)) if large and facts else 0
    room = max(room - len(facts), min(needed, room - len(facts) + EXTRA_LINES))
    costs = _findings(result, found, largest, cycles, used is not None, room)
    facts = facts or _facts(result, found, LINES + EXTRA_LINES - len(top) - len(bottom) - len(costs), FEW_FACTS)
    return _with_program(result, [*top, *costs, *facts, *bottom])


def _facts(result, found, room, amounts):
    """What machine code says, and addresses alone of other accesses than the findings', in at most `room` lines: the first of `amounts` that fits."""
    several = words.has_several_kernels(result)
    for most, kinds in amounts:
        lines = wrapped.every([*code_facts.lines(result, several, most), *exact.lines(result, found, several, most, kinds)])
        if len(lines) <= room:
            return lines
    return []
