"""The schema of `races` in result.json: what trace-view --races finds."""
from warpscope.show.export.schema_types import array, boolean, integer, record, text


def races():
    """The schema of `races`."""
    triple = array(integer("work-items or work-groups", "in x, y or z"), "x, y, z", 3)
    access = record("an access in the source", {
        "kind": text("load, store or atomic"), "file": text("file; empty = not known"), "line": integer("line", "from 1; 0 = not known"),
        "column": integer("column", "from 1; 0 = not known"), "function": text("function"), "work_item": triple})
    race = record("two accesses to common bytes that nothing orders", {
        "kernel": text("kernel"), "scope": text("work-group: different warps; warp: one warp; in-step: one warp, through volatile stores"),
        "accesses": array(access, "the writing one first", 2), "object": text("name of the local array"),
        "offset": integer("bytes", "in the array, where it was seen first"), "launch": integer("launch", "where it was seen first"),
        "work_group": triple, "work_groups": integer("work-groups", "in which it was seen"), "cuda": boolean("CUDA, else OpenCL"),
        "remedy": text("what orders the accesses")})
    not_checked = record("a kernel", {"kernel": text("its name"), "why": text("why")})
    return record("Data races in local memory (docs/tools/trace-view.md#races)", {
        "count": integer("races", "without those in step"), "races": array(race, "all of them"),
        "common_stores": array(race, "stores of one access by several work-items to common bytes: none if they store one value"),
        "not_checked": array(not_checked, "kernels that cannot be checked"),
        "checked": record("what was checked", {"launches": integer("launches", "how many"), "work_groups": integer("work-groups", "how many")}),
        "launches": integer("launches", "of kernels that write to local memory"), "in_part": boolean("whether anything was left out")})
