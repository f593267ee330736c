"""What a model's time is made of: GPUPerf's benefits, SPT's kernels × operations, else the advice (warpscope model --chart)."""
from warpscope.base.errors import InputError
from warpscope.show.plots import style

BENEFITS = ("B_itilp", "B_memlp", "B_fp", "B_serial")


def save(title, answer, stem):
    """Returns the paths. Raises InputError for a model without such parts."""
    import matplotlib.pyplot as plt

    names = {part.name for part in answer.parts}
    style.apply()
    if "B_memlp" in names:
        figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.8))
        _plane(left, answer)
        _benefits(right, answer)
    elif answer.rows:
        figure, cell = plt.subplots(figsize=(8.0, 1.8 + 0.5 * len(answer.rows)))
        _rows(cell, answer.rows)
    else:
        raise InputError("--chart: this model has no benefits to draw, expected gpuperf or spt, or --sweep")
    figure.suptitle(title)
    return style.save(figure, stem)


def _plane(cell, answer):
    """Memory cost against computation cost: the kernel, what overlaps, the ideals (figure 4 of Sim et al. 2012)."""
    part = answer.part
    memory, computation, overlap = part("T_mem"), part("T_comp"), part("T_overlap")
    top = 1.08 * max(memory, computation, 1.0)
    cell.plot([0, top], [0, top], color=style.GREY, linewidth=1)
    cell.annotate("", (memory - overlap, computation), (memory, computation), arrowprops={"arrowstyle": "->", "color": style.GREY})
    for name, x, y, colour in (("A: cost", memory, computation, style.BLUE),
                               ("A': less what overlaps", memory - overlap, computation, style.VERMILION),
                               ("ideal", part("T_mem_min"), part("T_fp"), style.GREEN)):
        cell.plot(x, y, "o", color=colour, label=name, clip_on=False, zorder=3)
    cell.set_xlim(0, top)
    cell.set_ylim(0, top)
    cell.set_xlabel("Memory (cycles)")
    cell.set_ylabel("Computation (cycles)")
    style.count_axis(cell.xaxis)
    style.count_axis(cell.yaxis)
    cell.legend(loc="lower right")


def _benefits(cell, answer):
    """What each kind of change could save; below zero nothing is drawn, the raw value is printed."""
    values = [answer.part(name) for name in BENEFITS]
    cell.bar(BENEFITS, [max(value, 0.0) for value in values], color=style.SERIES[:len(BENEFITS)])
    for place, value in enumerate(values):
        cell.annotate(style.grouped(value), (place, max(value, 0.0)), ha="center", va="bottom", fontsize=9)
    cell.set_ylabel("Benefit (cycles)")
    cell.set_ylim(0, 1.12 * max(*values, 1.0))
    style.count_axis(cell.yaxis)
    cell.grid(axis="x", visible=False)


def _rows(cell, rows):
    """A stacked bar per kernel."""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    labels = list(rows)
    start = [0.0] * len(labels)
    for number, column in enumerate(columns):
        widths = [rows[label].get(column, 0.0) * 1e3 for label in labels]
        cell.barh(labels, widths, left=start, label=column, color=style.SERIES[number])
        start = [left + width for left, width in zip(start, widths)]
    cell.invert_yaxis()
    cell.set_xlabel("Predicted time (ms)")
    cell.legend(ncol=len(columns), loc="upper center", bbox_to_anchor=(0.5, -0.3))
    cell.grid(axis="y", visible=False)
