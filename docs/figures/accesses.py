"""Pictures of addresses: the order of the warps, coalescing, sectors, banks."""
from measure import LANES, LINE, WORD, capture, changed, local_loads, page_kernel, simulate, warp_accesses
from svg import Picture

SECTOR, BANKS = 32, 32


def lru_hits(lines, capacity):
    """Which accesses to lines hit in a fully associative LRU cache: the naive way."""
    held, hits = [], []
    for line in lines:
        hits.append(line in held)
        if line in held:
            held.remove(line)
        held = ([line] + held)[:capacity]
    return hits


def order_panel(picture, left, resident):
    """One panel of warp_order: all accesses with RESIDENT work-groups at a time."""
    path = capture("working_set", "--global", "128", "--local", "32", "--arg", "words=512", "--arg", "rounds=2")
    lines = [min(lanes) // LINE for lanes in warp_accesses(path, "--max-workgroups", resident)]
    hits = lru_hits(lines, 32)
    total = simulate(path, "4", "128", "32", "LRU", "WTNA", "--max-workgroups", str(resident))["total"]["load"]
    assert (total["hits"], total["misses"]) == (sum(hits), len(hits) - sum(hits)), "cachesim differs from the naive cache"
    top, size, first = 62, 3, min(lines)
    for group in range(4):
        if group % 2 == 0:
            picture.rect(left, top + 64 * group, 128 * size / 1.6, 64, "shade")
        if left < 100:
            picture.text(left - 8, top + 64 * group + 36, f"{group}", "quiet", "end")
    for kind, wanted in (("blue", True), ("red", False)):
        corners = [(left + at * size / 1.6, top + (line - first) * 4) for at, (line, hit) in enumerate(zip(lines, hits)) if hit == wanted]
        picture.squares(corners, size, kind)
    picture.text(left, 34, f"{resident} at a time" if resident > 1 else "one after the other", "ink bold")
    picture.text(left, 52, f"{len(hits) - sum(hits)} of {len(hits)} loads miss", "quiet small")


def warp_order(path):
    picture = Picture(800, 374, "The order of four warps decides what hits",
                      "Three panels: lines of memory over the order of the loads. One or two work-groups at a time: the second round hits. "
                      "Four at a time: every load misses.")
    for left, resident in ((50, 1), (298, 2), (546, 4)):
        order_panel(picture, left, resident)
    picture.text(42, 52, "group", "quiet small", "end")
    picture.text(50, 340, "order of the loads →, lines of memory ↓", "quiet small")
    picture.squares([(50, 352)], 9, "red")
    picture.text(64, 361, "miss", "small ink")
    picture.squares([(110, 352)], 9, "blue")
    picture.text(124, 361, "hit, in a cache of 32 lines", "small ink")
    picture.save(path)


def request_row(picture, top, name, lanes):
    """Lanes above, the lines that they touch below."""
    lines = sorted({address // LINE for address in lanes})
    sectors = {address // SECTOR for address in lanes}
    left, width, gap = 190, 590, 4
    wide = (width - gap * (len(lines) - 1)) / len(lines)
    start = {line: left + at * (wide + gap) for at, line in enumerate(lines)}
    picture.text(14, top + 16, name, "ink bold")
    picture.text(14, top + 36, f"{len(sectors)} sectors of 32 bytes", "quiet small")
    picture.text(14, top + 52, f"{len(lines)} line{'s' if len(lines) > 1 else ''} of 128 bytes", "quiet small")
    for line, x in start.items():
        for part in range(LINE // SECTOR):
            touched = line * (LINE // SECTOR) + part in sectors
            picture.rect(x + part * wide / 4, top + 42, max(wide / 4 - 0.6, 0.4), 16, "blue" if touched else "shade")
    points = []
    for lane, address in enumerate(lanes):
        x = left + (lane + 0.5) * width / LANES
        points.append((x - 5, top))
        picture.line([(x, top + 10), (start[address // LINE] + (address % LINE + WORD / 2) * wide / LINE, top + 42)], "quiet", 0.7)
    picture.squares(points, 10, "orange")


def coalescing(path):
    one, four = (capture("stride", "--global", "1024", "--local", "256", "--arg", f"stride={n}") for n in (1, 4))
    shifted = capture(page_kernel("concepts/coalescing.md", "shifted.cl"), "--global", "1024", "--local", "256", "--arg", "in=8192")
    gathered = capture("gather", "--global", "1024", "--local", "256")
    picture = Picture(800, 350, "What one load of a warp becomes",
                      "Four requests of 32 lanes: neighbours touch 4 sectors, neighbours off by one 5, every fourth word 16, random words 32.")
    rows = (("neighbours", warp_accesses(one)[0]), ("the same, misaligned", warp_accesses(shifted)[0]), ("every 4th word", warp_accesses(four)[0]),
            ("random", next(lanes for lanes in warp_accesses(gathered) if lanes[1] - lanes[0] != WORD)))
    for at, (name, lanes) in enumerate(rows):
        request_row(picture, 24 + 82 * at, name, lanes)
    picture.text(190, 14, "32 lanes", "quiet small")
    picture.save(path)


def sector_block(picture, left, title, lanes, most_lines=4):
    """Lines of memory as rows of 32 words: what is read, and what the read sectors bring along."""
    lines = sorted({address // LINE for address in lanes})
    words = {address // WORD for address in lanes}
    sectors = {address // SECTOR for address in lanes}
    picture.text(left, 30, title, "ink bold")
    for row, line in enumerate(lines[:most_lines]):
        for kind, wanted in (("blue", "read"), ("orange", "fetched"), ("shade", "left")):
            corners = []
            for word in range(LINE // WORD):
                here = line * (LINE // WORD) + word
                state = "read" if here in words else "fetched" if here * WORD // SECTOR in sectors else "left"
                if state == wanted:
                    corners.append((left + word * 7 + word // 8 * 3, 48 + row * 16))
            picture.squares(corners, 6, kind)
    if len(lines) > most_lines:
        picture.text(left, 48 + most_lines * 16 + 6, f"… {len(lines) - most_lines} more lines", "quiet small")
    used, moved = len(words) * WORD, len(sectors) * SECTOR
    for at, text in enumerate((f"used: {used} bytes", f"sectors: {len(sectors)}, {moved:,} bytes, {100 * used / moved:.3g} % used",
                               f"whole lines: {len(lines)}, {len(lines) * LINE:,} bytes")):
        picture.text(left, 148 + 18 * at, text, "ink small")


def sectors(path):
    structures = capture(page_kernel("concepts/sectors.md", "particles.cl"), "--global", "1024", "--local", "256", "--arg", "in=1024")
    strided = capture("stride", "--global", "1024", "--local", "256", "--arg", "stride=32")
    picture = Picture(800, 226, "What the sectors of one load bring along",
                      "Words that a warp reads and words that come with them: structures of 16 bytes, the same split by field, and a stride of a line.")
    sector_block(picture, 20, "structures of 16 bytes", warp_accesses(structures)[0])
    sector_block(picture, 284, "the same, split by field", warp_accesses(changed(structures, "--split", "in=16"))[0])
    sector_block(picture, 548, "one word of each line", warp_accesses(strided)[0])
    for x, kind, words in ((20, "blue", "read"), (84, "orange", "comes with its sector"), (236, "shade", "stays in the L2")):
        picture.squares([(x, 204)], 9, kind)
        picture.text(x + 14, 213, words, "small ink")
    picture.save(path)


def bank_grid(picture, left, title, addresses):
    """Lanes down, banks across; the degree is the fullest bank's number of different words."""
    banks = [address // WORD % BANKS for address in addresses]
    degree = max(len({address // WORD for address in addresses if address // WORD % BANKS == bank}) for bank in set(banks))
    picture.text(left, 28, title, "ink bold")
    picture.text(left, 46, f"{degree} wavefront{'s' if degree > 1 else ''} for 32 lanes", "quiet small")
    picture.rect(left, 58, 32 * 10, 32 * 8, "shade")
    picture.squares([(left + bank * 10 + 1, 58 + lane * 8) for lane, bank in enumerate(banks)], 7, "red" if degree > 1 else "blue")
    picture.text(left, 332, "bank 0", "quiet small")
    picture.text(left + 320, 332, "bank 31", "quiet small", "end")


def bank_conflicts(path):
    tile = capture("mt_tiled", "--size", "small")
    picture = Picture(800, 346, "Banks of a column of a tile",
                      "Left: rows of 32 words, all 32 lanes want bank 0. Right: rows of 33 words, every lane has a bank of its own.")
    bank_grid(picture, 74, "tile[32][32], a column", local_loads(tile))
    bank_grid(picture, 446, "tile[32][33], a column", local_loads(changed(tile, "--pad", "tile=+1")))
    picture.text(64, 68, "lane 0", "quiet small", "end")
    picture.text(64, 312, "31", "quiet small", "end")
    picture.save(path)
