"""Work-groups of a launch that execute the same instructions and need the same sectors: some of each kind stand for all.

A kernel whose branches and addresses do not depend on data does the same in all work-groups, but for two things: at the edges of its data some lanes do
nothing, and where a work-group's first address is in a sector of 32 bytes changes from one to the next. The latter repeats: 8 steps of any number of
4-byte elements are whole sectors. So in each dimension the first and the last work-groups are run, and `period` others, which stand for the rest.
"""
import collections
import itertools
import math

SECTOR = 8  # elements of 4 bytes
EDGE = (1, 2)  # work-groups at the beginning and the end of a dimension that may differ from the others
WHOLE = None  # all work-groups run: what they do depends on data, or there are few
# Per dimension (period, edge), or {how many work-groups each stands for: their positions}. Sizes are those of the launch files. The rest has
# ((SECTOR, EDGE), …).
FAMILIES = {
    "coulomb": ((2, (0, 0)),) * 3,       # 256 points in each direction, and no condition
    "matmul_naive": ((1, (0, 1)),) * 2,  # work-groups of 32 x 32 of 4,092: 32 rows of 16,368 bytes are whole sectors
    "matmul_tiled": ((1, (0, 0)),) * 2,  # tiles divide 4,096
    "row_column_sums": ((2, (0, 0)),),
    "layernorm": ((1, (0, 1)),),         # a row of 10,240 elements per work-item or per work-group
    # 4 x 4 work-groups per plane of 12,544 bytes. Dividing the plane's number by 128 filters takes two more instructions where nothing remains.
    "conv2d": ((1, (4, 0)), (1, (4, 0)), {1: [0], 7: [128], 1016: [1]}),
    "working_set": WHOLE,
}
SUITE = {  # no branch or address depends on data; all others run whole
    "bitonic": ((SECTOR, EDGE),), "conv3d": ((1, EDGE),) * 3, "mm": ((1, EDGE),) * 2, "mm_regtile": ((1, EDGE),) * 2, "mm_tiled": ((1, EDGE),) * 2,
    "nbody": ((1, EDGE),), "scan": ((SECTOR, EDGE),), "stencil": ((1, EDGE), (4, EDGE), (2, EDGE)), "syrk": ((1, EDGE),) * 2,
    "working_set": ((2, EDGE),),
}


def of_dimension(count, period, edge):
    """{how many work-groups each stands for: their positions} of one dimension of so many."""
    first, last = edge
    times, rest = divmod(count - first - last, period)
    if times < 2:
        return {1: list(range(count))}
    start = first + rest
    alone = [*range(start), *range(count - last, count)]
    return {**({1: alone} if alone else {}), times: list(range(start, start + period))}


def convolution(defines):
    """Rows of 4,110 inputs: four are whole sectors. Without a condition, where tiles divide the image, all work-groups are full."""
    outputs = [int(defines[f"block_size_{d}"]) * int(defines[f"tile_size_{d}"]) for d in "xy"]
    edge = (0, 0) if all(int(defines["SIZE"]) % one == 0 for one in outputs) else (0, 1)
    return (SECTOR // math.gcd(SECTOR, outputs[0]), edge), (4 // math.gcd(4, outputs[1]), edge)


def rules_of(family, defines, is_suite):
    """As in FAMILIES, or WHOLE."""
    if is_suite:
        return SUITE.get(family, WHOLE)
    if family == "convolution":
        return convolution(defines)
    return FAMILIES.get(family, ((SECTOR, EDGE),) * 3)


def classes(grid, rules):
    """{how many work-groups each stands for: numbers of work-groups, ascending}."""
    if rules is WHOLE:
        return {1: list(range(math.prod(grid)))}
    rules = (*rules, (SECTOR, EDGE), (SECTOR, EDGE))[:3]
    found = collections.defaultdict(list)
    parts = [(rule if isinstance(rule, dict) else of_dimension(count, *rule)).items() for count, rule in zip(grid, rules)]
    for (wx, xs), (wy, ys), (wz, zs) in itertools.product(*parts):
        found[wx * wy * wz] += [x + grid[0] * (y + grid[1] * z) for x, y, z in itertools.product(xs, ys, zs)]
    assert sum(weight * len(groups) for weight, groups in found.items()) == math.prod(grid)
    return {weight: sorted(groups) for weight, groups in found.items()}


def as_text(groups):
    """Numbers and ranges as --work-groups takes them."""
    parts = []
    for _, run in itertools.groupby(enumerate(groups), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        parts.append(str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}")
    return ",".join(parts)
