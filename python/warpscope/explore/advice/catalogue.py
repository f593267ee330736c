"""How each advice is written: what it means, in OpenCL and in CUDA, the page that explains it, and which measurements on hardware test it."""
from warpscope.explore.advice import rules

NOT_CHECKED = "not checked on hardware"
RULES = {rule.name: rule for module in rules.MODULES for rule in module.RULES}


def _hip(words):
    """What is said of CUDA, for AMD's GPUs: HIP has the same functions, but not nvcc's options."""
    return words.replace("cuda", "hip").replace(", -maxrregcount=N", ", __attribute__((amdgpu_waves_per_eu(N)))")


def texts(proposal, amd=False):
    """The texts of a proposal as JSON. `amd`: for a GPU of AMD's; `cuda` is then about HIP."""
    rule = RULES[proposal.rule]
    access = proposal.finding.access
    name = access.buffers[0] if access and access.buffers else "the array"
    changed = proposal.changes.layout[0].object if proposal.rule in ("streams-evict", "stores-allocate", "unsorted-index") else name

    def text(words):
        return words.replace("{object}", changed)

    opencl, cuda = (rule.opencl.replace(", -cl-nv-maxrregcount=N", ""), _hip(rule.cuda)) if amd else (rule.opencl, rule.cuda)
    return {"title": rule.title, "condition": text(rule.condition), "remedy": text(rule.remedy), "opencl": text(opencl), "cuda": text(cuda),
            "page": f"docs/concepts/{rule.page}.md", "hardware": (not amd and rule.pairs) or NOT_CHECKED}


def table():
    """The table of docs/tools/advice.md, whole lines of Markdown."""
    rows = [("rule", "what is looked for", "what is tried", "tested on hardware by"), ("---",) * 4]
    rows += [(rule.name, rule.looked_for, rule.tried, rule.pairs or NOT_CHECKED) for rule in RULES.values()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("| --- | --- | --- | --- |", "|---|---|---|---|")
