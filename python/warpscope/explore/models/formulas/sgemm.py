"""Blocking of a matrix multiplication: bytes per level, what registers allow, how far a load must be ahead of its use, load balance.

X. Zhang, G. Tan, S. Xue, J. Li, K. Zhou, M. Chen, "Understanding the GPU Microarchitecture to Achieve Bare-Metal Performance Tuning", PPoPP 2017,
doi:10.1145/3018743.3018755, table 1 and equations (2) to (6). A work-group computes a block of bm × bn results, a work-item rx × ry of them,
bk deep at a time. The time is the roofline's: the largest of computation, global and local memory.
"""
from warpscope.explore.models.formulas.values import Answer, Input, is_known, summed

NAME = "sgemm"
TITLE = "Blocking of a multiplication, Zhang et al. 2017"
WORD = 4  # bytes
BLOCK = 7  # instructions that a control word of Kepler covers; six of them are multiply-adds, the seventh may be a load
REGISTERS = 255  # that a work-item can have
NAN = float("nan")

INPUTS = (
    Input("rows", "rows", "rows of the result, m", above=True),
    Input("columns", "columns", "columns of the result, n", above=True),
    Input("depth", "elements", "length of a dot product, k", above=True),
    Input("block_rows", "rows", "rows of a work-group's block, b_m", default=192.0, above=True),
    Input("block_columns", "columns", "columns of a work-group's block, b_n", default=192.0, above=True),
    Input("block_depth", "elements", "depth of a tile, b_k", default=4.0, above=True),
    Input("item_rows", "rows", "rows of a work-item's block, r_x", default=12.0, above=True),
    Input("item_columns", "columns", "columns of a work-item's block, r_y", default=12.0, above=True),
    Input("global_latency", "cycles", "of a load from global memory that is to be hidden", default=120.0, above=True),
    Input("local_latency", "cycles", "of a load from local memory that is to be hidden", default=28.0, above=True),
    Input("load_step", "steps", "step of the iteration in which the load from global memory is, from 0", default=NAN),
    Input("load_slot", "multiply-adds", "multiply-add of that step that it follows, from 0", default=NAN),
    Input("store_step", "steps", "the same of the store of its value to local memory", default=NAN),
    Input("store_slot", "multiply-adds", "the same", default=NAN),
    Input("read_step", "steps", "the same of the first load of that value from local memory", default=NAN),
    Input("read_slot", "multiply-adds", "the same", default=NAN),
    Input("ffma_efficiency", "%", "of the peak that multiply-adds alone reach, two at once (measured on a K20m)", default=97.67, above=True),
    Input("load_penalty", "cycles", "of issue that each load from global memory costs the loop (measured on a K20m)", default=10.0),
    Input("cores", "cores", "cores (SMs) of the GPU", "machine", above=True),
    Input("peak", "Gop/s", "peak rate of floating-point operations", "machine", above=True),
    Input("bandwidth", "GB/s", "peak bandwidth of global memory", "machine", above=True),
    Input("local_bandwidth", "GB/s", "peak bandwidth of all local memories", "machine", above=True),
)
DISTANCE = "as printed the distance is 4 cycles per 7 instructions, for one warp per scheduler"


BETWEEN = "counted as the paper counts its 419: multiply-adds alone, without the two at the ends"


def _ceiling(value):
    return -(-value // 1)


def between(v, first, then):
    """Multiply-adds between two instructions of the loop, `then` after `first`, perhaps in the next iteration. NaN where a place is not
    given. Raises ValueError for places that the loop has not."""
    step, places = v.item_rows * v.item_columns, []
    for name in (first, then):
        at, slot = getattr(v, f"{name}_step"), getattr(v, f"{name}_slot")
        if not (is_known(at) and is_known(slot)):
            return NAN
        if at >= v.block_depth or slot >= step:
            raise ValueError(f"{name}_step {at:g} and {name}_slot {slot:g}: an iteration has {v.block_depth:g} steps of {step:g} multiply-adds")
        places.append(at * step + slot)
    return (places[1] - places[0] - 1) % (v.block_depth * step)


def _distances(v):
    """[(from what to what, multiply-adds between, instructions that hide the latency)] of the places that are given."""
    known = (("global load to store", between(v, "load", "store"), BLOCK * v.global_latency / 4),
             ("store to local load", between(v, "store", "read"), BLOCK * v.local_latency / 4))
    return [one for one in known if is_known(one[1])]


def _issue_bound(v):
    """Parts: what multiply-adds alone reach, less what the loads of the loop cost (section 5.2.3: both are parts of the peak, and are
    added). A lane's load is of four words; A and B are loaded each by itself."""
    per_item = v.item_rows * v.item_columns * v.block_depth
    loads = sum(_ceiling(per_item / block / 4) for block in (v.block_rows, v.block_columns))
    loss = 100 * loads * v.load_penalty / (4 * per_item / (BLOCK - 1))
    bound = max(v.ffma_efficiency - loss, 0.0)
    return [("multiply-adds alone", v.ffma_efficiency, "% of peak", "5.2.3"), ("loss by loads from global memory", loss, "% of peak", "5.2.3"),
            ("bound of the loop", bound, "% of peak", "5.2.3"), ("bound", v.peak * bound / 100, "Gop/s", "5.2.3")]


def evaluate(v):
    """The answer for a multiplication; `v` has the inputs as members."""
    blocks = _ceiling(v.rows / v.block_rows) * _ceiling(v.columns / v.block_columns)
    items = v.block_rows / v.item_rows * (v.block_columns / v.item_columns)
    iterations = _ceiling(v.depth / v.block_depth)
    turns = _ceiling(blocks / v.cores)
    per_item = v.item_rows * v.item_columns * v.block_depth
    from_global = per_item / v.block_rows + per_item / v.block_columns
    from_local = (v.item_rows + v.item_columns) * v.block_depth
    flops = 2 * v.block_rows * v.block_columns * v.block_depth
    global_bytes, local_bytes = WORD * from_global * items, WORD * from_local * items
    registers = v.item_rows * v.item_columns + 2 * v.item_rows + 2 * v.item_columns
    # As if every core had `turns` blocks: idle cores have the time of the busy ones.
    scale = turns * v.cores * iterations
    times = {"computation": scale * flops / v.peak * 1e-9, "global memory": scale * global_bytes / v.bandwidth * 1e-9,
             "local memory": scale * local_bytes / v.local_bandwidth * 1e-9}
    bound = max(times, key=times.get)
    parts = [("work-groups", blocks, "work-groups", ""), ("work-items", items, "work-items/work-group", ""),
             ("load balance", blocks / (turns * v.cores), "", ""),
             ("words from global memory", from_global, "words/work-item", "table 1"), ("words from local memory", from_local, "words/work-item", "table 1"),
             ("intensity of local memory", v.item_rows * v.item_columns / (v.item_rows + v.item_columns), "multiply-adds/word", "3"),
             ("registers", registers, "registers/work-item", "4"),
             ("least global bandwidth", v.peak * global_bytes / flops, "GB/s", "5"),
             ("least local bandwidth", v.peak * local_bytes / flops, "GB/s", "6"),
             ("least local bandwidth of a core", v.peak * local_bytes / flops / v.cores, "GB/s", "6"),
             ("distance to hide global memory", BLOCK * v.global_latency / 4, "instructions", "2", DISTANCE),
             ("distance to hide local memory", BLOCK * v.local_latency / 4, "instructions", "2", DISTANCE),
             ("places for loads", per_item / (BLOCK - 1), "instructions/iteration", "2"),
             *((f"distance, {what}", count, "multiply-adds", "4.3", BETWEEN) for what, count, _ in _distances(v)),
             *_issue_bound(v),
             *((f"time of {name}", seconds, "s", "") for name, seconds in times.items())]
    return Answer(times[bound], summed(parts), f"{bound}: it alone takes as long", _advice(v, registers, blocks / (turns * v.cores), times, bound))


def _advice(v, registers, balance, times, bound):
    """What would help, by what it could save."""
    found = []
    ranked = sorted(times.values(), reverse=True)
    if registers > REGISTERS:
        found.append((f"a smaller block of a work-item: {registers:.0f} registers, at most {REGISTERS} are there, and the rest spills", None))
    found += [(f"a longer way from {what}: {count:.0f} multiply-adds are between, {needed:.0f} instructions hide the latency", None)
              for what, count, needed in _distances(v) if count < needed]
    if round(balance, 2) < 1:
        found.append((f"another block size: {balance:.0%} of the cores' turns have work", ranked[0] * (1 - balance)))
    if bound != "computation":
        where = "block of a work-group" if bound == "global memory" else "block of a work-item"
        found.append((f"a larger {where}: {bound} is slower than computation", ranked[0] - ranked[1]))
    return sorted(found, key=lambda one: -(one[1] or float("inf")))
