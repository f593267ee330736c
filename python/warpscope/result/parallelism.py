"""Parallelism within a warp: of the dependence graphs of a launch's blocks, weighted by how often they were executed.

The paper gives no formula (Sim et al. 2012, section 5.3, by static analysis of machine code); these are of the graphs that
traces/FORMAT.md, "Parallelism of a block", defines. e is how often work-items executed a block:

    ILP = Σ e · instructions / Σ e · steps of the longest chain
    MLP = Σ e · loads / Σ e · loads on the longest chain of loads

Quotients of sums: a block counts by the steps that it takes, as it would by its time.
"""
import dataclasses

NOT_RECORDED = "not recorded, capture again or give it"


@dataclasses.dataclass(frozen=True)
class Parallelism:
    """ilp: instructions per step; mlp: loads of global memory in flight together, None without loads; mlp_in_order: the same if no load
    moves up, independent loads of Dasgupta 2011."""
    ilp: float
    mlp: float = None
    mlp_in_order: float = None


def of_blocks(blocks):
    """Parallelism of the blocks of `trace-view --summary --cfg --json`; None if a block that was executed has none recorded."""
    instructions = steps = loads = load_steps = groups = 0
    for block in blocks:
        times = block["executions"]
        if not times:
            continue
        if (recorded := block.get("parallelism")) is None:
            return None
        instructions += times * sum(count for name, count in block.get("mix", {}).items() if name != "phi")
        steps += times * sum(recorded["path"].values())
        loads += times * recorded["loads"]
        load_steps += times * recorded["load_steps"]
        groups += times * recorded["load_groups"]
    if not steps:
        return None
    return Parallelism(instructions / steps, loads / load_steps if loads else None, loads / groups if loads else None)
