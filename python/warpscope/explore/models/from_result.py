"""Inputs of the models out of a result.json or a capture. Nothing is guessed: what is not recorded is said to be so."""
import json
import pathlib
import tempfile

from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.base.inputs import complete
from warpscope.explore.models.formulas import spt as spt_model
from warpscope.explore.models.formulas.values import Value
from warpscope.result import facts as counted, parallelism, rates, results, tables
from warpscope.result.parallelism import NOT_RECORDED
from warpscope.run import simulation
from warpscope.run.kept import Kept
from warpscope.run.request import Gpu, Request, Selection

NO_TIMED = "from the timed engine, which has not run"
NO_SITES = "from the sites of fixed order, which the result has only for several launches together or not at all"
WORD = 4  # bytes
SIZES = (32, 64, 128)
OF_BLOCKS = "trace: instruction mix of blocks · warps that entered them"
WIDE = 16  # bytes of a vector load: four floats


class Inputs:
    """{name: Value} under construction; `absent` says why a name is not there."""

    def __init__(self):
        self.found, self.absent = {}, {}

    def add(self, name, value, unit, origin, absent=NOT_RECORDED):
        if value is None:
            self.absent[name] = absent
        else:
            self.found[name] = Value(value, unit, origin)


def _per_warp(facts, value):
    return None if value is None else value / (facts.warps * facts.launches)


def _residency(inputs, facts):
    resident = facts.resident_warps()
    inputs.add("warps_per_core", resident, "warps", "simulator, timed: resident_warp_cycles / active_cycles", NO_TIMED)
    inputs.add("groups_per_core", None if resident is None else resident / facts.warps_per_group, "work-groups",
               "simulator, timed: resident warps / warps of a work-group", NO_TIMED)
    inputs.add("work_groups", facts.work_groups, "work-groups", "trace: launch")


def _barriers(inputs, facts, name):
    if facts.barriers is not None:
        inputs.add(name, facts.barriers, "instructions/warp", "trace: barriers / work-items")


def _parallelism(inputs, facts, name, member, what):
    """An input out of the dependence graphs of the blocks; `member` of Parallelism."""
    known = facts.parallelism
    inputs.add(name, getattr(known, member) if known else None, "", f"trace: {what}, of the dependence graphs of blocks · executions",
               NOT_RECORDED if known is None else "the launch has no loads of global memory")


def _instructions(facts):
    return _per_warp(facts, facts.timing("warp_instructions"))


def _class(facts, names):
    """Warp instructions per warp of these classes; None if the capture has none recorded."""
    return None if facts.classes is None else _per_warp(facts, sum(facts.classes[name] for name in names))


def hong_kim(facts):
    inputs = Inputs()
    requests, instructions = _per_warp(facts, facts.memory("requests")), _instructions(facts)
    inputs.add("compute_insts", None if instructions is None else instructions - requests, "instructions/warp",
               "simulator, timed: warp instructions without those to global memory", NO_TIMED)
    sites = [site for site in facts.sites or [] if site["space"] in ("global", "generic") and site["reaches_l1"]]
    known = facts.sites is not None and facts.memory("bytes") is not None
    scattered = [site for site in sites if _is_scattered(site)] if known else []
    scattered_requests = _per_warp(facts, sum(site[site["kind"]]["requests"] for site in scattered)) if known else None
    origin = "simulator: sites whose transactions move more bytes than their lanes access"
    inputs.add("uncoalesced_insts", scattered_requests, "instructions/warp", origin, NO_SITES)
    inputs.add("coalesced_insts", None if scattered_requests is None else requests - scattered_requests, "instructions/warp",
               "simulator: the other requests to global memory", NO_SITES)
    if scattered and scattered_requests:
        inputs.add("uncoalesced_transactions", sum(site[site["kind"]]["transactions"] for site in scattered) /
                   sum(site[site["kind"]]["requests"] for site in scattered), "transactions/request", origin)
    moved = facts.memory("bytes")
    if moved is not None and requests:
        inputs.add("load_bytes", rates.per_request(moved, facts.memory("requests")), "bytes/request", "simulator: bytes / requests")
    else:
        inputs.add("load_bytes", None, "", "")
    _barriers(inputs, facts, "barriers")
    _residency(inputs, facts)
    return inputs


def _is_scattered(site):
    """Whether its transactions move more than its lanes access."""
    counts = site[site["kind"]]
    return counts["bytes"] > counts["lanes"] * (site["width"] or WORD)


def dasgupta(facts):
    inputs = Inputs()
    inputs.add("requests", _per_warp(facts, facts.memory("requests")), "requests/warp", "simulator: requests / warps")
    sizes = by_size(facts)
    for size in SIZES:
        inputs.add(f"transactions_{size}b", None if sizes is None else _per_warp(facts, sizes[size]), "transactions/warp",
                   "simulator: each site's transactions by their mean bytes, between two sizes in proportion")
    inputs.add("transactions_vector", None if sizes is None else _per_warp(facts, sizes["vector"]), "transactions/warp",
               "simulator: those of 32 bytes among loads of 16 bytes")
    _slow_instructions(inputs, facts)
    conflicts = facts.local("conflicts")
    if conflicts is not None:
        inputs.add("bank_conflict_cycles", _per_warp(facts, conflicts), "cycles/warp",
                   "simulator: conflicts of local memory, a cycle each")
    _parallelism(inputs, facts, "independent_loads", "mlp_in_order", "loads / groups before the first use of one")
    inputs.add("duplicate_loads", facts.merged_requests(), "", "simulator, timed: loads, (misses + pending hits) / misses",
               "not simulated: it needs the timed engine, and loads that miss in an L1")
    _barriers(inputs, facts, "barriers")
    _residency(inputs, facts)
    return inputs


def _slow_instructions(inputs, facts):
    """Divisions and square roots apart from the others, if the capture says how many there are."""
    instructions = _instructions(facts)
    if facts.classes is None:
        inputs.add("insts", instructions, "instructions/warp", "simulator, timed: warp instructions (square roots and divisions among them)", NO_TIMED)
        return
    if instructions is not None:
        instructions -= sum(tables.instruction_classes()[name].machine * _class(facts, [name]) for name in counted.SLOW)
    inputs.add("insts", instructions, "instructions/warp", "simulator, timed: warp instructions without divisions and square roots", NO_TIMED)
    for name, of_class in (("division", "fp32_div"), ("sqrt", "fp32_sqrt"), ("rsqrt", "fp32_rsqrt")):
        inputs.add(f"{name}_insts", _class(facts, [of_class]), "instructions/warp", f"{OF_BLOCKS}, {of_class}")


def by_size(facts):
    """{32, 64, 128, "vector": transactions}; None if bytes are not recorded or sites are of several launches. Those of 32 bytes of loads as
    wide as four floats are "vector"."""
    if facts.sites is None or facts.memory("bytes") is None:
        return None
    found = dict.fromkeys((*SIZES, "vector"), 0.0)
    for site in facts.sites:
        for kind in counted.KINDS:
            if count := site[kind]["transactions"]:
                mean = min(max(site[kind]["bytes"] / count, SIZES[0]), SIZES[-1])
                above = next(size for size in SIZES if size >= mean)
                below = above if above == mean else above // 2
                share = 1.0 if above == below else (above - mean) / (above - below)
                found["vector" if below == SIZES[0] and kind == "load" and (site["width"] or 0) >= WIDE else below] += share * count
                found[above] += (1 - share) * count
    return found


def gpuperf(facts):
    inputs = Inputs()
    instructions, special = _instructions(facts), _class(facts, counted.SPECIAL)
    origin = "simulator, timed: warp instructions"
    if instructions is not None and special:
        instructions, origin = instructions - special, origin + " without those of the special function unit"
    inputs.add("insts", instructions, "instructions/warp", origin, NO_TIMED)
    inputs.add("memory_insts", _per_warp(facts, facts.memory("requests")), "instructions/warp", "simulator: requests / warps")
    inputs.add("fp_insts", _class(facts, [name for name in counted.FLOATS if name not in counted.SPECIAL]), "instructions/warp", OF_BLOCKS)
    if special is not None:
        inputs.add("sfu_insts", special, "instructions/warp", f"{OF_BLOCKS}, {', '.join(counted.SPECIAL)}")
    _barriers(inputs, facts, "sync_insts")
    conflicts = facts.local("conflicts")
    if conflicts is not None:
        inputs.add("bank_conflict_passes", _per_warp(facts, conflicts), "passes/warp", "simulator: conflicts of local memory")
    inputs.add("total_warps", facts.warps, "warps", "trace: launch")
    inputs.add("warps_per_core", facts.resident_warps(), "warps",
               "simulator, timed: resident_warp_cycles / active_cycles", NO_TIMED)
    if requests := facts.memory("requests"):
        inputs.add("transactions_per_request", max(rates.per_request(facts.memory("transactions"), requests), 1.0), "transactions/request",
                   "simulator: transactions / requests")
    inputs.add("miss_ratio", facts.missing_ratio(), "", "simulator: loads that miss or bypass the L1 / transactions of loads",
               "the launch has no loads of global memory")
    _parallelism(inputs, facts, "ilp", "ilp", "instructions / steps of the longest chain")
    _parallelism(inputs, facts, "mlp", "mlp", "loads / loads on their longest chain")
    inputs.add("data_bytes", facts.touched_bytes, "bytes", "trace: size of the buffers that are accessed, an upper bound",
               "known for a single launch only; give it")
    return inputs


def roofline(facts):
    inputs = Inputs()
    origin = "trace: instruction mix of blocks · work-items that entered them"
    inputs.add("flops", counted.flops(facts), "operations", origin)
    inputs.add("fp64_flops", counted.flops(facts, counted.FP64), "operations", f"{origin}, fp64")
    moved = facts.memory("bytes")
    inputs.add("global_bytes", None if moved is None else moved / facts.launches, "bytes",
               "simulator: bytes of the transactions; hits in the L1 among them")
    if facts.sites is not None:
        local = sum(kind["lanes"] * site["width"] for site in facts.sites for kind in
                    site.get("outside_l1", {}).get("local", {}).values())
        inputs.add("local_bytes", local / facts.launches, "bytes", "trace: lane accesses to local memory · width")
    return inputs


def spt(every, gpu):
    """Counted operations, a row per launch group. `gpu`: Machine, whose processors divide them."""
    inputs = Inputs()
    of_machine = gpu.values("spt", spt_model.MACHINE) if gpu else {}
    if "processors" not in of_machine:
        raise InputError("spt: a capture or result needs --gpu with a machine that says its processors; see --list")
    processors = of_machine["processors"].value
    inputs.add("algorithm", "counts", "name", "trace")
    for facts in every:
        _spt_row(inputs, facts, processors, f"[{facts.label}]")
    return inputs


_WITHIN = {"g": " · MLP of the trace · words of a load", "r": " · ILP of the trace"}
_NOT_WITHIN = ", no parallelism within a warp"


def _spt_row(inputs, facts, processors, label):
    def operations(kind, count, origin):
        inputs.add(f"A_{kind}{label}", count / facts.launches / processors, "operations", origin)

    moved = facts.memory("bytes")
    if moved is None:
        raise InputError(f"spt: launches of {facts.label} have no 'bytes', expected a result of fixed order without --no-wavefronts")
    operations("g", moved / WORD, "simulator: bytes of the transactions / 4 / P")
    wavefronts = facts.local("wavefronts")
    if wavefronts:
        operations("s", wavefronts * facts.warp_size, "simulator: wavefronts of local memory · lanes / P")
    instructions = facts.timing("warp_instructions")
    if instructions is not None:
        operations("r", (instructions - facts.timing("memory_instructions")) * facts.warp_size,
                   "simulator, timed: warp instructions that are no memory instructions · lanes / P")
    if facts.barriers:
        operations("y", facts.barriers * facts.work_groups * facts.launches, "trace: barriers of work-groups / P")
    inputs.add(f"launches{label}", facts.launches, "launches", "trace")
    if (resident := facts.resident_warps()) is not None:
        known = facts.parallelism
        # A of global operations counts words, so what is in flight is counted in words, too.
        within = {"g": known.mlp and known.mlp * facts.words_per_load(WORD), "r": known.ilp} if known else {}
        for kind in "gsry":
            if f"A_{kind}{label}" in inputs.found:
                inputs.add(f"M_{kind}{label}", resident * facts.warp_size * facts.cores / processors * (within.get(kind) or 1), "",
                           "simulator, timed: resident work-items / P" + _WITHIN.get(kind if within.get(kind) else None, _NOT_WITHIN))


MODELS = {"hong-kim": hong_kim, "dasgupta": dasgupta, "gpuperf": gpuperf, "roofline": roofline}


def _inputs(path, result, model, launch, gpu, capture=None):
    """({name: Value}, {name: why not}). `capture`: Simulated, that knows more of it than its result."""
    sampling = result["context"].get("sampling", "all")
    if sampling != "all":
        raise InputError(f"{path}: has only the work-groups of '{sampling}', expected a capture of all: models count per launch")
    every = counted.of_result(path, result, launch, every=model == "spt")
    for facts in every if capture else ():
        capture.complete(facts, classes=model != "spt")
    inputs = spt(every, gpu) if model == "spt" else MODELS[model](every[0])
    return inputs.found, inputs.absent


def of_file(path, model, launch, gpu=None):
    """Inputs of a result.json."""
    result = results.load(path)
    with complete(path, results.EXPECTED):
        return _inputs(path, result, model, launch, gpu)


def of_capture(path, model, launch, gpu, fresh=False):
    """Inputs of a capture: both engines with the machine's GPU preset, of which a model that takes only bytes and operations needs the one
    in fixed order, and what the capture says of its instructions."""
    return simulated(path, launch, gpu, timed=model != "roofline", fresh=fresh).inputs(model, gpu)


class Simulated:
    """A capture after both engines: `result` has the timed engine's under "timed", if the preset has what that needs."""

    def __init__(self, path, result, kept, launch):
        self.path, self.result, self.launch, self._kept, self._counts = path, result, launch, kept, {}
        self.described = {one["id"]: one for one in self._launches("trace-view", path, "--summary", "--cfg", "--json")}

    def inputs(self, model, gpu):
        """({name: Value}, {name: why not}) of a model."""
        return _inputs(self.path, self.result, model, self.launch, gpu, self)

    def complete(self, facts, classes=True):
        """Notes what the capture alone knows: barriers, parallelism and, with `classes`, instructions by class."""
        one = self.described[facts.any()["first"]]
        facts.barriers = one["barriers"] / one["work_items"]
        facts.parallelism = parallelism.of_blocks(one["blocks"])
        if classes:
            counted.add_classes(facts, one["blocks"], self.block_counts(facts))

    def block_counts(self, facts):
        """[launch] of warpsched --block-counts, of the launches of `facts`."""
        key = facts.numbers, facts.warp_size
        if key not in self._counts:
            self._counts[key] = self._launches("warpsched", self.path, "--block-counts", "-", "--launch", facts.numbers, "--warp-size", facts.warp_size)
        return self._counts[key]

    def _launches(self, tool, path, *words):
        """The launches of a tool's JSON about the capture: blocks with their executions, barriers, work-items."""
        return json.loads(self._kept.answer((tool, words), lambda: (toolchain.output(tool, path, *words, quiet=True), True)))["launches"]

    def cycles(self):
        """Of the timed engine; None where it has not run."""
        return self.result["timed"]["total"]["timing"]["cycles"] if "timed" in self.result else None


def simulated(path, launch, gpu, timed=True, fresh=False):
    """Runs both engines over a capture, without `timed` only the one in fixed order, with the preset of `gpu`: a Simulated. Unless `fresh`,
    engines that ran before do not run again. Raises InputError for a machine without a preset."""
    if gpu is None or gpu.preset_name is None:
        raise InputError(f"{path}: a capture is simulated, expected --gpu with a GPU preset or a machine file that names one")
    changes = [f"{key}={entry['value']}" for key, entry in gpu.content.get("preset_set", {}).items()]
    request = Request(Gpu(gpu.preset_name, tuple(changes)), chosen=Selection(launch=launch))
    kept = Kept(path, gpu.preset_name, fresh)
    result = json.loads(kept.answer(("fixed", request), lambda: _run(simulation.simulate, path, request)))
    if timed and gpu.of_preset("issue_width_per_scheduler") is not None and gpu.of_preset("vendor") != "AMD":
        result["timed"] = json.loads(kept.answer(("timed", request), lambda: _run(simulation.simulate_timed, path, request, request.chosen.words())))
    return Simulated(path, result, kept, launch)


def _run(engine, path, *words):
    """(an engine's result as bytes, whether it has all launches: else its messages, which say what is left out, are part of the answer)."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "result.json"
        status = engine(path, *words, file)
        results.load(file)  # says what is wrong with it
        return file.read_bytes(), status == 0
