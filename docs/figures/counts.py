"""Pictures of counts: miss classes, occupancy, timed mode, what-if."""
import math

from measure import capture, changed, page_kernel, simulate
from svg import Picture

CLASSES = (("cold", "blue"), ("invalidated", "purple"), ("capacity", "orange"), ("conflict", "red"))


def walks():
    """The three runs of the page: name, hits and misses by class."""
    kernel = page_kernel("concepts/miss-classes.md", "walk.cl")
    launch = ("--global", "32", "--local", "32", "--arg", "in=8192")
    far = capture(kernel, *launch, "--arg", "lines=8", "--arg", "step=1024", "--arg", "rounds=64")
    near = capture(kernel, *launch, "--arg", "lines=160", "--arg", "step=32", "--arg", "rounds=4")
    cache = ("16", "128", "4", "LRU", "WTNA")
    for name, path, options in (("8 lines, 4096 bytes apart", far, ()), ("the same, hashed sets", far, ("--set-index", "fermi-xor")),
                                ("160 lines side by side", near, ())):
        total = simulate(path, *cache, *options)["total"]
        yield name, total["load"]["hits"], total["miss_classes"]


def miss_classes(path):
    picture = Picture(800, 300, "Four questions put a miss into its class",
                      "Left: the questions, in their order. Right: three walks through memory; 504 conflicts, none with hashed sets, 480 capacity misses.")
    questions = ("first use in this launch?", "did a store remove the line?", "would a cache without sets miss?", "it would have hit:")
    for at, (question, (name, kind)) in enumerate(zip(questions, CLASSES)):
        y = 34 + 62 * at
        picture.text(20, y + 18, question, "ink")
        picture.line([(256, y + 14), (280, y + 14)], "quiet", 1.2)
        picture.rect(284, y, 100, 28, kind, radius=4)
        picture.text(334, y + 18, name, "bold paper", "middle")
        if at < 3:
            picture.text(258, y + 8, "yes", "quiet small")
            picture.line([(60, y + 30), (60, y + 58)], "quiet", 1.2)
            picture.text(68, y + 48, "no", "quiet small")
    for at, (name, hits, classes) in enumerate(walks()):
        y, left, scale = 48 + 84 * at, 440, 340 / 640
        picture.text(left, y, name, "ink bold")
        parts = [(count, kind, label) for label, kind in CLASSES if (count := classes[label])] + ([(hits, "shade", "hits")] if hits else [])
        x = left
        for count, kind, _ in parts:
            picture.rect(x, y + 10, count * scale, 20, kind)
            x += count * scale
        picture.text(left, y + 46, ", ".join(f"{count} {label}" for count, _, label in parts), "quiet small")
    picture.save(path)


def warps_by_registers(path, gpu, most):
    """(registers, resident warps, limit) of a launch with 8 warps per work-group; one row per allocation step."""
    rows = []
    for registers in range(8, most + 1, 4):
        residency, = simulate(path, "--gpu", gpu, "--registers", str(registers))["context"]["schedule"]["residency"]
        rows.append((registers, residency["work_groups"] * 8, residency["limited_by"]))
    return rows


# GPU, its name, most registers, colour, width and dashes of its line.
CURVES = (("v100", "Tesla V100", 128, "blue", 4, ""), ("rtx4090", "RTX 4090", 128, "orange", 2, "6 4"), ("gtx480", "GTX 480", 60, "red", 2, "2 2"))


def occupancy(path):
    launch = capture("mm", "--global", "32,32")
    picture = Picture(800, 330, "Resident warps over registers per work-item",
                      "Steps: a GTX 480 falls from 48 warps at 20 registers to 16 at 60; a V100 from 64 at 32 to 16 at 128; an RTX 4090 from 48 at 40 to 16.")
    left, right, top, bottom = 60, 640, 30, 280
    x = lambda registers: left + (registers - 8) * (right - left) / 120  # noqa: E731
    y = lambda warps: bottom - warps * (bottom - top) / 64  # noqa: E731
    for warps in range(0, 65, 16):
        picture.line([(left, y(warps)), (right, y(warps))], "grid")
        picture.text(left - 8, y(warps) + 4, f"{warps}", "quiet small", "end")
    for registers in range(8, 129, 24):
        picture.text(x(registers), bottom + 18, f"{registers}", "quiet small", "middle")
    picture.text(14, 18, "warps per core; work-groups of 8 warps", "quiet small")
    picture.text(right, bottom + 38, "registers per work-item", "quiet small", "end")
    for gpu, name, most, kind, width, dashes in CURVES:
        points = []
        for registers, warps, _ in warps_by_registers(launch, gpu, most):
            if points:
                points.append((x(registers - 4), y(warps)))
            points.append((x(registers), y(warps)))
        picture.line(points, kind, width, dashes)
        picture.text(points[-1][0] + 10, points[-1][1] + (16 if gpu == "rtx4090" else -4 if gpu == "v100" else 4), name, f"{kind} bold")
    picture.save(path)


REASONS = (("issued", "blue"), ("unit_busy", "orange"), ("dependency", "purple"), ("memory", "red"), ("empty", "shade"))


def timed_mode(path):
    picture = Picture(800, 330, "Warps hide latency",
                      "Cycles of the schedulers of one core of an H100 by number of warps: with few warps they wait for memory or are empty.")
    left, top, height, wide = 60, 44, 220, 72
    picture.text(14, 18, "what the four schedulers do, % of their cycles; below: loads per 100 cycles", "quiet small")
    for share in (0, 50, 100):
        picture.text(left - 8, top + height * (1 - share / 100) + 4, f"{share}", "quiet small", "end")
    for at, warps in enumerate((1, 2, 4, 8, 16, 32)):
        launch = capture("chase", "-D", "PLACES=16", "-D", "ROUNDS=64", "--global", str(32 * warps), "--local", str(32 * warps))
        timing = simulate(launch, "timed", "--gpu", "h100", "--set", "cores=1")["total"]["timing"]
        cycles, y = timing["scheduler_cycles"], top + height
        assert sum(cycles[reason] for reason, _ in REASONS) == sum(cycles.values()), "another reason counts"
        for reason, kind in REASONS:
            share = height * cycles[reason] / sum(cycles.values())
            y -= share
            picture.rect(left + at * 92, y, wide, share, kind)
        picture.text(left + at * 92 + wide / 2, top + height + 18, f"{warps} warp{'s' if warps > 1 else ''}", "ink", "middle")
        picture.text(left + at * 92 + wide / 2, top + height + 38, f"{100 * timing['loads'] / timing['cycles']:.1f}", "quiet", "middle")
    for at, (reason, kind) in enumerate(REASONS):
        picture.rect(640, top + 24 * at, 14, 14, kind)
        picture.text(662, top + 12 + 24 * at, {"memory": "wait for data", "empty": "no warp"}.get(reason, reason.replace("_", " ")), "ink small")
    picture.save(path)


def what_if(path):
    tile = capture("mt_tiled", "--size", "small")
    picture = Picture(800, 300, "Wavefronts of a column over the padding of its rows",
                      "Fourteen what-ifs of one capture. Odd paddings take 1 wavefront, 2 takes 2, 4 takes 4, 8 takes 8, 16 takes 16, none or 32 takes 32.")
    picture.text(14, 18, "wavefronts of a load of a column; rows of 32 words, padded", "quiet small")
    base, scale = 246, 6.4
    for wavefronts in (8, 16, 24, 32):
        picture.line([(50, base - wavefronts * scale), (786, base - wavefronts * scale)], "grid")
        picture.text(44, base - wavefronts * scale + 4, f"{wavefronts}", "quiet small", "end")
    for at, pad in enumerate((0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 24, 32)):
        loads = simulate(changed(tile, "--pad", f"tile=+{pad}") if pad else tile, "--gpu", "h100")["total"]["outside_l1"]["local"]["load"]
        degree = loads["wavefronts"] // loads["requests"]
        assert degree == math.gcd(32, 32 + pad), "not what the greatest common divisor says"
        x = 58 + 52 * at
        picture.rect(x, base - degree * scale, 38, degree * scale, "red" if degree > 1 else "blue")
        picture.text(x + 19, base - degree * scale - 5, f"{degree}", "ink small", "middle")
        picture.text(x + 19, base + 17, f"+{pad}" if pad else "as is", "ink small", "middle")
    picture.text(786, base + 40, "--pad tile=+N", "quiet small", "end")
    picture.save(path)


def tutorial(path):
    """Cycles of the kernels that the tutorial's first page repairs."""
    launch = ("--global", "256,256", "--arg", "width=256", "--arg", "height=256", "--local")
    kernels = (("transposition: as it was", "mt.cl", "16,16"), ("through a tile", "tile.cl", "32,32"), ("its rows padded", "padded.cl", "32,32"),
               ("multiplication: as it was", "mm.cl", "16,16"), ("through tiles", "tiled.cl", "16,16"))
    page = "tutorial/1-first-kernel.md"
    cycles = {}
    for _, name, local in kernels:
        if name == "padded.cl":
            kernel = page_kernel(page, "tile.cl")
            kernel = kernel.rename(kernel.with_name(name))
            kernel.write_text(kernel.read_text(encoding="utf-8").replace("[32][32]", "[32][33]"), encoding="utf-8")
        else:
            kernel = page_kernel(page, name)
        cycles[name] = simulate(capture(kernel, *launch, local), "timed", "--gpu", "gtx480")["total"]["timing"]["cycles"]
    picture = Picture(800, 236, "Two repaired kernels", "Cycles on a simulated GTX 480 of a transposition and a multiplication, before and after their repair.")
    picture.text(14, 18, "cycles on a GTX 480, simulated; each kernel on its own scale", "quiet small")
    for at, (label, name, _) in enumerate(kernels):
        first = "mt.cl" if at < 3 else "mm.cl"
        y = 32 + 38 * at + (12 if at > 2 else 0)
        width = 440 * cycles[name] / cycles[first]
        picture.text(196, y + 18, label, "ink", "end")
        picture.rect(208, y, width, 26, "red" if name == first else "blue")
        share = "" if name == first else f" ({100 - 100 * cycles[name] / cycles[first]:.0f} % less)"
        picture.text(216 + width, y + 18, f"{cycles[name]:,}{share}", "ink small")
    picture.save(path)
