"""The four policies on mt and mm compared with a naive model written from the dissertation's chapter 5.

The model knows nothing of captures: it lists each work-item's accesses from the kernel's text.
"""
import collections
import unittest

from support import ToolTest

BASE = 0x10000000  # first buffer; both buffers are multiples of 512 bytes
WARP = 32


def grid(size, local):
    """(group, local id, x, y) of every work-item of a square range."""
    groups = size // local
    for group in range(groups * groups):
        for item in range(local * local):
            yield (group, item, group % groups * local + item % local, group // groups * local + item // local)


def transposition(size, local):
    """odata[x * height + y] = idata[y * width + x]; odata is the first argument and so the first buffer."""
    return {(group, item): [(BASE + 4 * (size * size + y * size + x), "R"), (BASE + 4 * (x * size + y), "W")]
            for group, item, x, y in grid(size, local)}


def multiplication(size, local):
    a, b, c = (BASE + 4 * size * size * number for number in range(3))
    items = {}
    for group, item, x, y in grid(size, local):
        reads = [access for index in range(size)
                 for access in ((a + 4 * (y * size + index), "R"), (b + 4 * (index * size + x), "R"))]
        items[group, item] = reads + [(c + 4 * (y * size + x), "W")]
    return items


def rows(size, local):
    """The work-items along the rows of the whole range: "in two dimensions this is equivalent to row wise accesses of a
    matrix" (section 5.2.2)."""
    return [who for _, _, who in sorted((y, x, (group, item)) for group, item, x, y in grid(size, local))]


def sequential(items, order):
    return [(address, kind, *who) for who in order for address, kind in items[who]]


def round_robin(items, order):
    longest = max(map(len, items.values()))
    return [(*items[who][turn], *who) for turn in range(longest) for who in order]


def warp(items):
    """Warp 0 of every group, then warp 1 of every group, and so on, one instruction each; both kernels have no
    branch that diverges, so instruction n of a warp is access n of its work-items."""
    groups = {group for group, _ in items}
    warps = max(item for _, item in items) // WARP + 1
    order = []
    for turn in range(max(map(len, items.values()))):
        for number in range(warps):
            for group in sorted(groups):
                for item in range(number * WARP, (number + 1) * WARP):
                    if (group, item) in items:
                        order.append((*items[group, item][turn], group, number))
    return order


def parse(text):
    lines = [line.split() for line in text.decode().splitlines()]
    return lines[0], [(int(address, 16), kind, int(group), int(number)) for address, kind, group, number, _ in lines[1:]]


class Orders(ToolTest):
    def stream(self, policy):
        return parse(self.run_tool("warpsched", "capture.wtrace", "--policy", policy, "--format", "text",
                                   "--max-workgroups", 0, "-o", "-"))

    def check(self, name, items, size, local):
        self.capture(name, "--global", f"{size},{size}", "--local", f"{local},{local}")
        groups = str((size // local) ** 2)
        order = rows(size, local)
        for policy, model in (("sequential", sequential), ("rr", round_robin)):
            head, accesses = self.stream(policy)
            self.assertEqual(head, ["1", groups])
            self.assertEqual(accesses, model(items, order), policy)
        head, accesses = self.stream("warp")
        self.assertEqual(head, [str(WARP), groups])
        self.assertEqual(accesses, warp(items))
        head, accesses = self.stream("random")
        self.assertEqual(head, ["1", groups])
        self.assert_interleaving(accesses, items, order)

    def assert_interleaving(self, accesses, items, order):
        """Every work-item's accesses in its own order, and not one work-item after the other."""
        by_item = collections.defaultdict(list)
        for address, kind, group, item in accesses:
            by_item[group, item].append((address, kind))
        self.assertEqual(by_item, items)
        self.assertNotEqual(accesses, sequential(items, order))

    def test_transposition(self):
        self.check("mt", transposition(32, 16), 32, 16)

    def test_multiplication(self):
        self.check("mm", multiplication(32, 16), 32, 16)

    def test_multiplication_with_incomplete_warps(self):
        self.check("mm", multiplication(48, 12), 48, 12)


if __name__ == "__main__":
    unittest.main()
