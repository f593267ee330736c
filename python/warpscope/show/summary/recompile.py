"""Remedies that no trace expresses: other sizes of tiles, arrays that are unrolled. They need the kernel compiled again, which `warpscope
tune` does for several values of a macro."""
import re
import shlex

# Rule: (why a what-if cannot try it, what to try).
RULES = {"capacity": ("a trace has one size of tiles", "other sizes of tiles"),
         "private-memory": ("a trace has the instructions that were compiled", "unrolled loops over the array, or an array of another size")}
_GUARDED = re.compile(r"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)[^\n]*\n[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\d+)[ \t]*$", re.MULTILINE)
MOST = 2           # macros of a command
MACRO_LEAST, MACRO_MOST = 2, 512


def macros(text):
    """[(name, value)] of the sizes in a source that -D can set: integers behind #ifndef NAME, of those that occur again."""
    found = [(name, int(value)) for guard, name, value in _GUARDED.findall(text) if guard == name]
    return [(name, value) for name, value in found if MACRO_LEAST <= value <= MACRO_MOST and len(re.findall(rf"\b{name}\b", text)) > 2][:MOST]


def _source_of(result, access):
    """(name, text) of the source file of an access; None where the result has not kept it."""
    return next(((source["name"], source["text"]) for source in result.get("sources") or [] if source["name"].rsplit("/", 1)[-1] ==
                 access.file.rsplit("/", 1)[-1] and source["text"]), None)


def command(result, finding, gpu=""):
    """`warpscope tune` over half, all and twice of the macros of the finding's source; empty where it is of no use. `gpu`: options."""
    if finding.rule not in RULES or finding.access is None or not finding.access.file or finding.what_if:
        return ""
    source = _source_of(result, finding.access)
    sizes = macros(source[1]) if source else []
    words = " ".join(f"-D {name}={','.join(str(one) for one in (value // 2, value, 2 * value))}" for name, value in sizes)
    return f"warpscope tune {shlex.quote(source[0])} {words}{gpu}" if words else ""


def text(result, finding, gpu=""):
    """What to try and why no what-if does, in a phrase; empty for findings of other rules."""
    if finding.rule not in RULES or finding.access is None or finding.what_if:
        return ""
    why, what = RULES[finding.rule]
    tune = command(result, finding, gpu)
    return f"{why}; try {what}: " + (f"{tune}, with the launch's options" if tune else "make them a macro (#ifndef), and warpscope tune -D NAME=LIST")
