"""The time that a model predicts, over the values of its inputs (warpscope model --sweep --chart)."""
from warpscope.show.plots import style


def save(title, points, stem):
    """`points`: [({input: value}, seconds)]. The first input is the axis, the others name lines. Returns the paths."""
    import matplotlib.pyplot as plt

    style.apply()
    figure, cell = plt.subplots(figsize=(8.0, 4.8))
    axis, *others = points[0][0]
    lines = {}
    for values, seconds in points:
        lines.setdefault(", ".join(f"{name} {values[name]}" for name in others), []).append((values[axis], seconds))
    for number, (label, line) in enumerate(lines.items()):
        colour = style.SERIES[number % len(style.SERIES)]
        cell.plot(*zip(*line), marker="o", markersize=4, color=colour, label=label or None)
        least = min(line, key=lambda point: point[1])
        cell.plot(*least, marker="o", markersize=9, fillstyle="none", color=colour)
    cell.set_xlabel(axis)
    cell.set_ylabel("Predicted time (s)")
    cell.set_ylim(bottom=0)
    cell.set_title("circle: least time", fontsize=9, color="#404040")
    if others:
        cell.legend()
    figure.suptitle(title)
    return style.save(figure, stem)
