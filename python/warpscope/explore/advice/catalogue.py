"""How each advice is written: what it means, in OpenCL and in CUDA, the page that explains it, and which measurements on hardware test it."""
import math

from warpscope.explore.advice import declarations, rules
from warpscope.result import machine

# Types of numbers, and the beginning of their vectors' names.
_VECTORS = {"float": "float", "double": "double", "int": "int", "uint": "uint", "unsigned": "uint", "unsigned int": "uint", "char": "char", "uchar": "uchar",
            "unsigned char": "uchar", "short": "short", "ushort": "ushort", "unsigned short": "ushort", "long": "long", "ulong": "ulong", "half": "half"}
NOT_CHECKED = "not checked on hardware"
RULES = {rule.name: rule for module in rules.MODULES for rule in module.RULES}


def _hip(words):
    """What is said of CUDA, for AMD's GPUs: HIP has the same functions, but not nvcc's options."""
    return words.replace("cuda", "hip").replace(", -maxrregcount=N", ", __attribute__((amdgpu_waves_per_eu(N)))")


def _vector_of(type_name, width):
    """(name of the vector type that 16 bytes hold, its elements)."""
    wide = min(4, max(2, 16 // max(width, 1)))
    return _VECTORS.get(type_name, {1: "uchar", 2: "ushort", 8: "double"}.get(width, "float")) + str(wide), wide


def _split(proposal, name, type_name, width):
    """How one array per field is written: of numbers that belong together, or of structures."""
    bytes_apart = proposal.changes.layout[0].value.rpartition("=")[2] if proposal.changes.layout else ""
    if bytes_apart.isdigit() and type_name in _VECTORS and width:
        return f"component c of element i at {name}[c * n + i] instead of {name}[{int(bytes_apart) // width} * i + c]"
    return f"one array per field, {name}_x, {name}_y, …, instead of one{f' of {type_name}' if type_name else ''}"


def _walk(proposal, case, name):
    """(remedy in a phrase, beginning of how it is written) for lanes that walk down a column: work-items in one dimension have no other one to
    swap it with."""
    launch = case.launch_of(proposal.kernels[0]) if proposal.kernels else None
    if launch and len(launch["local"]) > 1 and math.prod(launch["local"][1:]) > 1:
        names = ("threadIdx.x", "threadIdx.y") if machine.dialect(case.result) != "OpenCL" else ("get_global_id(0)", "get_global_id(1)")
        return "walk along rows, or use a local tile", f"swap {names[0]} and {names[1]}; "
    rows, _, columns = (proposal.changes.layout[0].value.rpartition("=")[2].partition(":")[0] if proposal.changes.layout else "").partition("x")
    if not columns.isdigit():
        return "walk along rows, or use a local tile", ""
    return "store it transposed, or use a local tile", f"{name}[column * {rows} + row] instead of {name}[row * {columns} + column]; "


def _words(proposal, case):
    """What the braces of a rule's texts stand for."""
    access = proposal.finding.access
    name = access.buffers[0] if access and access.buffers else "the array"
    if proposal.rule in ("streams-evict", "stores-allocate", "unsorted-index"):
        name = proposal.changes.layout[0].object
    width = access.width if access else 0
    own = declarations.type_of(case.result, access, name) if access else ""
    padded = declarations.padded(case.result, access, name) if access else ""
    vector, wide = _vector_of(own, width)
    at_once = vector if own in _VECTORS else f"{wide * width} bytes per work-item"  # of a structure the types of the fields are not known
    walk, swap = _walk(proposal, case, name) if proposal.rule == "column-wise" else ("", "")
    return {"object": name, "type": own or {1: "char", 2: "short", 8: "double"}.get(width, "float"), "vector": vector, "wide": wide, "at_once": at_once,
            "line": 128 // max(width, 1), "padded": padded or f"one more element in each row of {name};", "split": _split(proposal, name, own, width), "walk": walk, "swap": swap}


def texts(proposal, case):
    """The texts of a proposal as JSON. `cuda` is about HIP for a GPU of AMD's."""
    rule, words, amd = RULES[proposal.rule], _words(proposal, case), machine.is_amd(case.result)

    def text(sentence):
        for name, value in words.items():
            sentence = sentence.replace(f"{{{name}}}", str(value))
        return sentence

    opencl, cuda = (rule.opencl.replace(", -cl-nv-maxrregcount=N", ""), _hip(rule.cuda)) if amd else (rule.opencl, rule.cuda)
    return {"title": rule.title, "condition": text(rule.condition), "remedy": text(rule.remedy), "opencl": text(opencl).replace("__shared__ ", "__local "),
            "cuda": text(cuda).replace("__local ", "__shared__ "),
            "page": f"docs/concepts/{rule.page}.md", "hardware": (not amd and rule.pairs) or NOT_CHECKED}


def table():
    """The table of docs/tools/advice.md, whole lines of Markdown."""
    rows = [("rule", "what is looked for", "what is tried", "tested on hardware by"), ("---",) * 4]
    rows += [(rule.name, rule.looked_for, rule.tried, rule.pairs or NOT_CHECKED) for rule in RULES.values()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("| --- | --- | --- | --- |", "|---|---|---|---|")
