"""Counters that do not depend on caches, of machine code executed here and through Warpscope's clang, next to a GPU's: rows and tables of
validation/machine-counters."""

from collect import machine_launches

THREADS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
COMPARED = [
    "smsp__inst_executed.sum",
    *(f"smsp__inst_executed_op_{op}.sum" for op in ("branch", "global_ld", "global_st", "local_ld", "local_st", "shared_ld", "shared_st")),
    *(THREADS.format(kind) for kind in ("fp32", "fp64", "integer", "conversion", "control", "memory")),
    *(f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{op}.sum" for space in ("global", "local") for op in ("ld", "st") for what in ("requests", "sectors")),
    *(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st")),
    machine_launches.REGISTERS,
]
# They vary from run to run on the GPU: they also count what happens when accesses of several warps meet.
VARYING = tuple(counter for counter in COMPARED if "wavefronts" in counter)
COLUMNS = ("launch", "counter", "lowest", "median", "highest", "machine", "source", "groups", "of")


def is_exact(row, path):
    return row[path] != "" and float(row["lowest"]) <= float(row[path]) <= float(row["highest"])


def _counted_pairs(rows):
    """Those where the GPU or machine code has more than 0."""
    return [row for row in rows if any(float(row[key] or 0) for key in ("median", "machine"))]


def _line_of(title, pairs):
    known = [row for row in pairs if row["source"] != ""]
    exact, other = (sum(is_exact(row, path) for row in some) for path, some in (("machine", pairs), ("source", known)))
    return f"| {title} | {len(pairs)} | {exact} ({100 * exact / max(len(pairs), 1):.1f} %) | {f'{other} of {len(known)}' if known else '–'} |"


def table(rows):
    """Lines of the tables by counter and by family, and the pairs in which machine code is not exact."""
    pairs = _counted_pairs(rows)
    fixed = [row for row in pairs if row["counter"] not in VARYING]
    lines = ["| counter | launches | machine code exact | through clang exact |", "|---|--:|--:|--:|"]
    lines += [_line_of(f"`{counter}`", some) for counter in COMPARED if counter not in VARYING and (some := [row for row in fixed if row["counter"] == counter])]
    lines.append(_line_of("all", fixed))
    lines += [_line_of(f"`{counter}`, varies", some) for counter in VARYING if (some := [row for row in pairs if row["counter"] == counter])]
    lines += ["", "| family | pairs | machine code exact | through clang exact |", "|---|--:|--:|--:|"]
    families = {row["launch"]: "suite" if ":" in row["launch"] else row["launch"].split("/")[0] for row in fixed}
    lines += [_line_of(family, [row for row in fixed if families[row["launch"]] == family]) for family in sorted(set(families.values()))]
    return lines, [row for row in pairs if not is_exact(row, "machine")]
