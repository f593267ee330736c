"""Memory access pattern: element offset over order, coloured by work-item, one panel per scheduling policy."""
import json
import math

from warpscope.show.plots import style  # before numpy: says what is missing
import numpy

from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.base.inputs import is_capture
from warpscope.result import results, streams

MOST_ACCESSES = 400_000  # lane accesses per policy in the plot of a result; larger launches are sampled
POLICIES = {"random": "Random", "sequential": "Sequential", "rr": "Round-robin", "warp": "Warp (SIMT)"}
WARP_POLICIES = {"warp": "Warp (SIMT)", "jitter": "Warp, with drift"}  # machine code runs as warps only
SCATTER_UP_TO = 20_000  # accesses per panel that are drawn as points; beyond, a picture of pixels
RASTER = (480, 300)    # pixels of that picture: order, offset; large enough to see a single one


class Geometry:
    """Names work-items over the whole NDRange; without sizes, by group and place inside the group."""

    def __init__(self, global_size=None, local_size=None):
        self.global_size, self.local_size = global_size, local_size

    def work_item(self, stream):
        item, group = stream.local_item(), stream.group
        if self.global_size is None:
            return group * (item.max(initial=0) + 1) + item
        number, stride = numpy.zeros_like(group), 1
        for size, local in zip(self.global_size, self.local_size):
            groups = max(size // local, 1)
            number = number + ((group % groups) * local + item % local) * stride
            group, item, stride = group // groups, item // local, stride * size
        return number


def draw(panels, geometry, title, element_bytes=4, buffers=()):
    """`panels`: list of (label, Stream). `buffers`: (name, first byte, bytes), drawn as bands at the right edge."""
    import matplotlib.pyplot as plt

    panels = [(label, stream) for label, stream in panels if len(stream.address)]
    if not panels:
        raise InputError("nothing to draw: the launch has no access to global memory")
    style.apply()
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(5.6 * columns + 0.8, 3.7 * rows + 0.5), squeeze=False,
                                sharex=True, sharey=True)
    lowest = min(int(stream.address.min()) for _, stream in panels)
    items = [geometry.work_item(stream) for _, stream in panels]
    colours = plt.Normalize(0, max(int(item.max()) for item in items) or 1)
    cells = list(axes.flat)
    for cell, (label, stream), item in zip(cells, panels, items):
        offset = (stream.address - lowest) // element_bytes
        _draw_panel(cell, offset, item, colours)
        cell.set_title(label)
    for cell in cells[len(panels):]:
        cell.set_axis_off()
    top = max(int(stream.address.max()) for _, stream in panels) - lowest
    shown = list(_bands(buffers, lowest, top))
    for position, cell in enumerate(cells[:len(panels)]):
        _mark_buffers(cell, shown, element_bytes, names=position % columns == columns - 1)
        style.count_axis(cell.xaxis)
        style.count_axis(cell.yaxis)
    figure.supxlabel("Order (lane accesses)", fontsize=10)
    figure.supylabel(f"Address (elements of {element_bytes} bytes above the lowest address)", fontsize=10)
    figure.suptitle(title)
    bar = figure.colorbar(plt.cm.ScalarMappable(colours, style.WORK_ITEM_COLOURS), ax=axes, shrink=0.75, pad=0.02)
    bar.set_label("Work-item (linear global id)")
    style.count_axis(bar.ax.yaxis)
    bar.outline.set_visible(False)
    return figure


def _draw_panel(cell, offset, item, colours):
    count = len(offset)
    if count <= SCATTER_UP_TO:
        size = float(numpy.clip(9000 / count, 1.2, 26))
        cell.scatter(numpy.arange(count), offset, c=item, s=size, norm=colours, cmap=style.WORK_ITEM_COLOURS,
                     linewidths=0, rasterized=count > 3000)
        return
    width, height = RASTER
    span = int(offset.max()) + 1
    picture = numpy.full((min(height, span), width), numpy.nan)
    column = numpy.arange(count) * width // count
    row = offset * picture.shape[0] // span
    picture[row, column] = item  # of several accesses in one pixel the last one shows
    cell.imshow(picture, origin="lower", aspect="auto", interpolation="nearest", norm=colours, rasterized=True,
                cmap=style.WORK_ITEM_COLOURS, extent=(0, count, 0, span), zorder=2)


def _bands(buffers, lowest, top):
    """The buffers that were accessed, in bytes above the lowest address."""
    for name, base, size in buffers:
        first, last = base - lowest, base + size - lowest
        if last > 0 and first <= top:
            yield name, max(first, 0), last


def _mark_buffers(cell, bands, element_bytes, names):
    for name, first, last in bands:
        first, last = first / element_bytes, last / element_bytes
        cell.axhline(last, color=style.GREY, linewidth=0.7, linestyle=(0, (4, 3)))
        if names:
            cell.annotate(name, (1.01, (first + last) / 2), xycoords=("axes fraction", "data"), va="center",
                          color="#404040", fontsize=10, annotation_clip=False)


def schedule(capture, policies, limit, options=(), seed=1):
    """Text streams of a capture under each policy, read up to `limit` lane accesses; no stream is stored."""
    for policy in policies:
        with toolchain.piped("warpsched", capture, "--policy", policy, "--seed", seed, "--format", "text", *options,
                             "-o", "-") as pipe:
            yield {**POLICIES, **WARP_POLICIES}.get(policy, policy), streams.read_pipe(policy, pipe, limit)


def sample(lanes, groups, limit):
    """(options of warpsched, what they leave of the launch): every n-th work-group where all would be too many.

    With round-robin assignment core 0 of n cores gets work-groups 0, n, 2n, ..., whole and in order.
    """
    kept = max(1, min(groups, limit * groups // max(lanes, 1)))
    every = -(-groups // kept)
    options = ["--cores", every, "--core", 0, "--max-workgroups", 0]
    return options, "" if every == 1 else f"one work-group in {every}: {-(-groups // every)} of {groups}"


def title(launch, note):
    """Two lines over the panels."""
    return "\n".join(["Memory access pattern", *filter(None, ["; ".join(filter(None, [launch, note]))])])


def of_capture(capture, result, folder):
    """Writes the plot of a capture and its result: the policies side by side; of large launches every n-th work-group."""
    launch = results.launch_groups(result)[0]
    lanes = sum(launch[kind]["lanes"] for kind in ("load", "store", "atomic")) // launch["count"]
    if lanes == 0:
        return []
    groups = math.prod(launch["global"]) // math.prod(launch["local"])
    options, note = results.one_sampled_core(result) or sample(lanes, groups, MOST_ACCESSES)
    listed = (result["context"].get("schedule") or {}).get("residency") or []
    policies = WARP_POLICIES if any(one.get("machine_code") for one in listed) else POLICIES
    panels = list(schedule(capture, policies, MOST_ACCESSES, ["--launch", launch["first"], *options]))
    if not any(len(stream.address) for _, stream in panels):
        return []  # only the stack was accessed, as by a kernel that prints
    geometry = Geometry(launch["global"], launch["local"])
    buffers = [(buffer["name"], buffer["address"], buffer["size"]) for buffer in result["buffers"] if buffer["address"]]
    return style.save(draw(panels, geometry, title(results.launch_text(launch), note), buffers=buffers), folder / "access_pattern")


def _sizes(text):
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError as error:
        raise InputError(f"'{text}': expected sizes such as 32,32") from error


def asked_for(arguments):
    """The figure that the options of `warpscope plot` ask for."""
    limit, element_bytes = _number("--limit", arguments.limit), _number("--element-bytes", arguments.element_bytes)
    if len(arguments.inputs) == 1 and "=" not in arguments.inputs[0] and is_capture(
            arguments.inputs[0], "a capture or a text stream"):
        panels, geometry, heading = _of_one_capture(arguments.inputs[0], limit, arguments.schedule_option)
    else:
        panels, geometry = _of_streams(arguments, limit)
        heading = title("", "")
    return draw(panels, geometry, arguments.title or heading, element_bytes)


def _of_one_capture(capture, limit, options_of_schedule):
    launch = capture_summary(capture)["launches"][0]
    lanes = launch["loads"] + launch["stores"] + launch["atomics"]
    options, note = sample(lanes, math.prod(launch["global"]) // math.prod(launch["local"]), limit)
    policies = WARP_POLICIES if launch.get("machine_code") else POLICIES
    panels = list(schedule(capture, policies, limit, [*options, *options_of_schedule]))
    return panels, Geometry(tuple(launch["global"]), tuple(launch["local"])), title(results.launch_text(launch), note)


def _of_streams(arguments, limit):
    sizes = [size and _sizes(size) for size in (getattr(arguments, "global"), arguments.local)]
    if (sizes[0] is None) != (sizes[1] is None):
        raise InputError("--global and --local belong together, only one is given")
    panels = []
    for text in arguments.inputs:
        label, _, path = text.rpartition("=")
        panels.append((POLICIES.get(label, label or path), streams.read_text(path, limit)))
    return panels, Geometry(*sizes)


def _number(option, text):
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InputError(f"{option} {text}: expected a whole number from 1")
    return int(text)


def capture_summary(capture):
    """trace-view's summary of a capture."""
    return json.loads(toolchain.output("trace-view", "--summary", "--json", capture))
