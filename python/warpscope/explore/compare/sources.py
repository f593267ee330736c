"""Which source line of one result is which of another: difflib over the source texts that results hold."""
import dataclasses
import difflib

ALIKE = 0.5         # least similarity (difflib's ratio) of two lines that count as one, changed
SAME_FILE = 0.3     # least share of common lines of two files with different names
BLOCK = 80          # lines; in a larger block of changed lines none is matched
THOROUGH = 2000     # lines; above that difflib leaves frequent lines out of its search, which takes much less time


@dataclasses.dataclass
class Pair:
    """A source of both results. `lines`: line before -> line after, from 1. `changed`: lines before whose text differs after."""

    before: int                  # index into the result's sources
    after: int
    lines: dict = dataclasses.field(default_factory=dict)
    changed: set = dataclasses.field(default_factory=set)
    removed: int = 0             # lines that only `before` has
    added: int = 0               # lines that only `after` has


def _alignment(before, after):
    """Pairs of positions in two lists of lines, in order, with the largest sum of similarities of at least ALIKE."""
    ratio = [[difflib.SequenceMatcher(None, old, new, autojunk=False).ratio() for new in after] for old in before]
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i in reversed(range(len(before))):
        for j in reversed(range(len(after))):
            both = best[i + 1][j + 1] + ratio[i][j] if ratio[i][j] >= ALIKE else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], both)
    found, i, j = [], 0, 0
    while i < len(before) and j < len(after):
        if ratio[i][j] >= ALIKE and best[i][j] == best[i + 1][j + 1] + ratio[i][j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def line_map(before, after):
    """Pair (without indices of sources) of two texts. Lines that differ in blanks at their ends only are the same."""
    old, new = ([line.strip() for line in text.splitlines()] for text in (before, after))
    pair = Pair(0, 0)
    if old == new:
        pair.lines = {line: line for line in range(1, len(old) + 1)}
        return pair
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=max(len(old), len(new)) > THOROUGH)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pair.lines.update({i1 + k + 1: j1 + k + 1 for k in range(i2 - i1)})
        elif tag == "replace" and max(i2 - i1, j2 - j1) <= BLOCK:
            for i, j in _alignment(old[i1:i2], new[j1:j2]):
                pair.lines[i1 + i + 1] = j1 + j + 1
                pair.changed.add(i1 + i + 1)
    pair.removed, pair.added = len(old) - len(pair.lines), len(new) - len(pair.lines)
    return pair


def _common(before, after):
    """Share of lines that two texts have in common, whatever their order: 0 to 1."""
    old, new = ({line.strip() for line in text.splitlines()} - {""} for text in (before, after))
    return 2 * len(old & new) / (len(old) + len(new)) if old or new else 1.0


def _paired(before, after):
    """(index before, index after): sources of the same name first, then those of other names that are similar; one of each is a pair."""
    left, right, pairs = dict(enumerate(before)), dict(enumerate(after)), []

    def take(i, j):
        pairs.append((i, j))
        del left[i], right[j]

    for i, source in enumerate(before):
        j = next((j for j, other in right.items() if other["name"] == source["name"]), None)
        if j is not None:
            take(i, j)
    if len(left) == len(right) == 1:
        take(next(iter(left)), next(iter(right)))
    alike = sorted(((-_common(one["text"], other["text"]), i, j) for i, one in left.items() for j, other in right.items()))
    for share, i, j in alike:
        if -share >= SAME_FILE and i in left and j in right:
            take(i, j)
    return sorted(pairs)


def match(before, after):
    """[Pair] of the sources of two results."""
    pairs = []
    for i, j in _paired(before["sources"], after["sources"]):
        pair = line_map(before["sources"][i]["text"], after["sources"][j]["text"])
        pair.before, pair.after = i, j
        pairs.append(pair)
    return pairs
