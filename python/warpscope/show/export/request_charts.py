"""Typical requests as the page draws them: lanes above, the sectors or the banks that they touch below."""
from warpscope.show.page import parts
from warpscope.show.plots import style

PANELS = 8   # memory instructions of a picture
BANKS = 32
WORD = 4     # bytes of a bank


def cells_of(request, width, unit):
    """[(lane, [sectors, or words of local memory])] of a request; `unit` is the bytes of one."""
    return [(lane, list(range(address // unit, (address + max(width, 1) - 1) // unit + 1)))
            for lane, address in enumerate(request["addresses"])]


def _sector_places(cells, per_line, warp):
    """({sector: x of its left edge}, width of one) of all sectors of the touched lines, with gaps between lines, below `warp` lanes."""
    lines = sorted({sector // per_line for _, sectors in cells for sector in sectors})
    wide = len(lines) * per_line + 0.6 * (len(lines) - 1)
    scale = min(warp / wide, 2)
    left = (warp - wide * scale) / 2
    return {line * per_line + part: left + scale * (number * (per_line + 0.6) + part) for number, line in enumerate(lines)
            for part in range(per_line)}, scale


def _bank_places(cells):
    """{word: (bank, place among the words of its bank)}."""
    used = {}
    for word in sorted({word for _, words in cells for word in words}):
        used.setdefault(word % BANKS, []).append(word)
    return {word: (bank, place) for bank, words in used.items() for place, word in enumerate(words)}


def _boxes(axes, boxes, touched):
    from matplotlib.patches import Rectangle
    for (left, bottom, width, height), is_touched in zip(boxes, touched):
        axes.add_patch(Rectangle((left, bottom), width, height, color=style.ORANGE if is_touched else "#E4E4E4", linewidth=0))


def _sectors(axes, cells, result, warp):
    """Draws the lines of a request; ({sector: x of its middle}, what was drawn)."""
    unit, line = parts.sector_bytes(result), result["context"]["cache"]["line_bytes"]
    places, wide = _sector_places(cells, line // unit, warp)
    touched = {sector for _, sectors in cells for sector in sectors}
    _boxes(axes, [(left + 0.05 * wide, 0.5, 0.9 * wide, 0.5) for left in places.values()], [sector in touched for sector in places])
    return {sector: left + wide / 2 for sector, left in places.items()}, f"{len(touched)} {'lines' if unit == line else 'sectors'}"


def _banks(axes, cells, warp):
    """The same of local memory: the words of a bank one below the other."""
    places, wide = _bank_places(cells), warp / BANKS
    degree = max(place for _, place in places.values()) + 1
    step = 1 / max(degree, 2)
    _boxes(axes, [((bank + 0.05) * wide, 1 - (place + 1) * step, 0.9 * wide, step * 0.8) for bank, place in places.values()], [True] * len(places))
    return {word: (bank + 0.5) * wide for word, (bank, _) in places.items()}, f"{len(places)} words of 4 bytes, at most {degree} in one bank"


def _draw(axes, request, site, result):
    """One request; returns its title."""
    warp, local = max(result["context"]["warp_size"], len(request["addresses"])), request["space"] == "local"
    cells = cells_of(request, site["width"], WORD if local else parts.sector_bytes(result))
    _boxes(axes, [(lane + 0.05, 3, 0.9, 0.5) for lane in range(warp)], [lane < len(cells) for lane in range(warp)])
    middle, said = _banks(axes, cells, warp) if local else _sectors(axes, cells, result, warp)
    for lane, reached in cells:
        for cell in reached:
            axes.plot([lane + 0.5, middle[cell]], [3, 1], color=style.BLUE, linewidth=0.6)
    axes.set(xlim=(0, warp), ylim=(-0.1, 3.6))
    axes.axis("off")
    place = f"{site['locations'][0]['file']}:{site['locations'][0]['line']}" if site["locations"] else f"instruction {site['site']}"
    objects = ", ".join(part["name"] for part in site["buffers"] if part["name"]) or request["space"]
    return f"{place} {site['kind']} {objects}: {len(cells)} lanes, {said}"


def draw(sample, result, title):
    """A figure of the typical requests of a sample, at most PANELS; None without any."""
    import matplotlib.pyplot as plt
    sites = {(site["kernel"], site["site"]): site for site in result["sites"]}
    shown = [(request, sites[sample["kernel"], request["site"]]) for request in sample["requests"]
             if (sample["kernel"], request["site"]) in sites][:PANELS]
    if not shown:
        return None
    style.apply()
    figure, cells = plt.subplots(len(shown), 1, figsize=(8, 1.2 + 1.3 * len(shown)), squeeze=False)
    figure.suptitle(f"Typical requests of kernel {sample['kernel']}: lanes, sectors and banks\n{title}", fontsize=11)
    for axes, (request, site) in zip(cells[:, 0], shown):
        axes.set_title(_draw(axes, request, site, result), fontsize=9, loc="left")
    return figure
