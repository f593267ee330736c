"""What of one result is what of another: kernels by name, launches in order, source accesses through the lines of their sources."""
import collections

from warpscope.result import accesses, results


def kernels(before, after):
    """Kernel before -> kernel after, both lists in order of their first launch. Those of the same name; the others in order, where
    both have equally many of them."""
    found = {name: name for name in before if name in after}
    left, right = [name for name in before if name not in found], [name for name in after if name not in found]
    if len(left) == len(right):
        found.update(zip(left, right))
    return found


def numbers(text):
    """Launches "3-7,9" as [3, 4, 5, 6, 7, 9]."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def launches_of(result):
    """Kernel -> [(launch number, its group)] in order of enqueue, of the groups that the result has."""
    found = collections.defaultdict(list)
    for group in results.launch_groups(result):
        found[group["kernel"]] += [(number, group) for number in numbers(group["launches"])]
    return {kernel: sorted(launches, key=lambda one: one[0]) for kernel, launches in found.items()}


def launches(before, after, of_kernels):
    """[(group before, group after, [(number before, number after)])]: the n-th launch of a kernel with its n-th launch. Pairs of the
    same two groups are together, in order of their first."""
    found = {}
    old, new = launches_of(before), launches_of(after)
    for kernel, other in of_kernels.items():
        for (number, group), (number_after, group_after) in zip(old.get(kernel, []), new.get(other, [])):
            entry = found.setdefault((id(group), id(group_after)), (group, group_after, []))
            entry[2].append((number, number_after))
    return sorted(found.values(), key=lambda entry: entry[2][0])


def _where(access):
    return (access.kind, tuple(access.buffers))


def _take(left, right, alike):
    """Pairs of equal alike(access), in order; takes them out of both lists."""
    waiting = collections.defaultdict(collections.deque)
    for access in right:
        waiting[alike(access, False)].append(access)
    found = []
    for access in list(left):
        key = alike(access, True)
        if key is not None and waiting.get(key):
            found.append((access, waiting[key].popleft()))
            left.remove(access)
            right.remove(found[-1][1])
    return found


class _Lines:
    """Where the accesses of a line before are to be sought after."""

    def __init__(self, before, after, pairs, of_kernels):
        self.to = {(before["sources"][pair.before]["name"], line): (after["sources"][pair.after]["name"], other)
                   for pair in pairs for line, other in pair.lines.items()}
        self.known = {source["name"] for source in before["sources"]}
        self.kernels = of_kernels

    def place(self, access, old):
        """File and line after; those of a file without a source (a header) are as before. None: the line is gone."""
        if not access.line:
            return (tuple(self.kernels.get(name, name) if old else name for name in access.kernels), access.site)
        if not old or access.file not in self.known:
            return (access.file, access.line)
        return self.to.get((access.file, access.line))

    def kernels_of(self, access, old):
        return tuple(sorted(self.kernels.get(name, name) if old else name for name in access.kernels))


def source_accesses(before, after, pairs, of_kernels):
    """[(access before or None, access after or None)]: in lines that are matched those of the same kind and buffers; then, in any line,
    those of the same kernel, kind and buffers, which have moved; then in lines that are matched those of the same kind and memory.
    Accesses are dataclasses of result/accesses.py."""
    left, right = accesses.of_result(before), accesses.of_result(after)
    lines = _Lines(before, after, pairs, of_kernels)

    def in_line(detail):
        def alike(access, old):
            place = lines.place(access, old)
            return None if place is None else (place, detail(access))
        return alike

    found = _take(left, right, in_line(_where))
    found += _take(left, right, lambda access, old: (lines.kernels_of(access, old), _where(access)))
    found += _take(left, right, in_line(lambda access: (access.kind, access.space)))
    return found + [(access, None) for access in left] + [(None, access) for access in right]
