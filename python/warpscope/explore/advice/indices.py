"""Index arrays: objects whose loaded values decide which places of other objects are accessed."""
import functools
import json

from warpscope.base import toolchain
from warpscope.explore.advice.proposal import Proposal, Rule
from warpscope.explore.whatif.question import Changes
from warpscope.run.request import LayoutChange

RULES = (
    Rule(
        "unsorted-index",
        "irregular distances between lanes, and an index array that the addresses depend on, each of whose elements leads to a result of its own",
        "`--sort-index`",
        "unsorted index",
        "an index array decides which elements the lanes access, and neighbouring lanes get distant ones",
        "sort {object}, and what goes with it",
        "sort {object} by its values once on the host, with the arrays that go with it; results come in that order",
        "thrust::sort_by_key({object}, {object} + n, values), or cub::DeviceRadixSort, once before the kernel", "coalescing"),
)


@functools.lru_cache(maxsize=8)
def _launches(capture):
    """{number: a launch as trace-view shows it, with sites}, and the buffers' names by id."""
    shown = json.loads(toolchain.output("trace-view", capture, "--sites", "--json", quiet=True))
    names = {buffer["id"]: buffer["name"] for buffer in shown["buffers"]}
    return {launch["id"]: launch for launch in shown["launches"]}, names


def _object(launch, names, site):
    """The buffer that a load of the kernel's reads; None if that is not known, or if it is no buffer."""
    found = site.get("object", {})
    if site["kind"] != "load" or found.get("kind") != "argument":
        return None
    return names.get(launch["arguments"][found["index"]].get("buffer"))


def of_access(case, access):
    """Names of the arrays whose values the addresses of an access are computed from, each once; the nearest first."""
    launches, names = _launches(case.capture)
    found = []
    for kernel, numbers in access.sites.items():
        own = case.launch_of(kernel)
        launch = launches.get(own["first"]) if own else None
        if launch is None:
            continue
        sites, seen, work = launch["sites"], set(), list(numbers)
        while work:
            for source in sites[work.pop(0)].get("address_from", {}).get("value", ()):
                if source in seen:
                    continue
                seen.add(source)
                work.append(source)
                name = _object(launch, names, sites[source])
                if name and name not in found:
                    found.append(name)
    return found


def can_be_sorted(case, access, name):
    """Whether each element of an index array leads to a result of its own, so that any order of them gives the same results: the kernel loads no
    more of them than one of its stores or atomics has values. Columns of a sparse matrix, or edges of a graph, belong to their row."""
    own = [one for one in case.accesses if one.kernels == access.kernels and one.space != "private"]
    loaded = sum(one.lanes for one in own if one.kind == "load" and name in one.buffers)
    results = max((one.lanes + one.local["lanes"] for one in own if one.kind != "load"), default=0)
    return 0 < loaded <= results


def unsorted(case, finding):
    """Lanes at irregular places that an index array decides, whose elements may be in any order: the same with its values in order."""
    pattern = case.pattern(finding.access)
    if pattern is None or pattern.is_regular:
        return []
    return [Proposal("unsorted-index", finding, Changes((LayoutChange("sort-index", name),))) for name in of_access(case, finding.access)
            if name.replace(".", "").isidentifier() and can_be_sorted(case, finding.access, name)]
