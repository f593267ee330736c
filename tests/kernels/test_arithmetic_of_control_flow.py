"""What the READMEs of the kernels whose accesses depend on branches expect, counted lane by lane from the data."""
import unittest

from test_arithmetic import FULLY, Arithmetic as Measurements
from test_arithmetic import content, lines, warps

WORD = 2**32


def collatz_steps(start, weight, limit=1200):
    """The places of the table that a work-item reads."""
    places, n, total = [], start, 0
    while n > 1:
        places.append(n % len(weight))
        total += weight[places[-1]]
        if total > limit:
            break
        n = n // 2 if n % 2 == 0 else (3 * n + 1) % WORD
    return places


def flow_loads(i, words, rounds=12):
    """How many words a work-item reads."""
    value, count, found = words[i], 1, 0
    if value % 11 == 3:
        return count
    for a, b in ((a, b) for a in range(rounds) for b in range(a + 1)):
        found = words[(i + a * 5 + b) % len(words)]
        count += 1
        if found % 13 == 0:
            break
        value = (value + found) % WORD
    case = value % 5
    if case == 0:
        value = (value + words[(i + 1) % len(words)]) % WORD
    if case < 2:
        value ^= words[(i + 2) % len(words)]
        count += 2 - case
    elif case < 4:
        value = (value + (17 if case == 2 else 0)) * 3 % WORD
    else:
        value = (value - found) % WORD
    turns, enters_in_the_middle = 0, value % 2 == 0
    while True:
        if not enters_in_the_middle:
            value = (value + words[(value + turns) % WORD % len(words)]) % WORD
            count += 1
        enters_in_the_middle = False
        turns += 1
        value ^= turns << 3
        if turns >= rounds or value % 7 == 0:
            return count


class ControlFlow(Measurements):
    def test_collatz(self):
        start, weight = content("collatz", "start", "weight")
        self.assertEqual((len(start), len(weight), min(weight), max(weight)), (512, 4096, 1, 19))
        steps = [collatz_steps(one, weight) for one in start]
        requests = transactions = 0
        for group in warps(steps):
            for step in range(max(map(len, group))):
                requests += 1
                transactions += lines([places[step] for places in group if step < len(places)])
        self.assertGreater(sum(map(len, steps)), 64 * 20)
        got = self.measure("collatz", cache=FULLY)
        self.assertEqual((got.load("weight", "requests"), got.load("weight", "lanes")), (requests, sum(map(len, steps))))
        self.assertEqual((got.load("weight"), got.load("start"), got.store("sum")), (transactions, 512 // 32, 512 // 32))
        touched = lines([place for places in steps for place in places])
        self.assertEqual((got.cold, got.cold_of("weight")), (512 // 32 + touched, touched))
        large = self.measure("collatz", cache=("64", "128", "512", "LRU", "WTNA"))
        self.assertEqual(large.misses, large.cold)

    def test_flow(self):
        (words,) = content("flow", "in")
        counts = [flow_loads(i, words) for i in range(len(words))]
        self.assertLessEqual(max(counts), 1 + 78 + 2 + 12)
        self.assertTrue(all(count == 1 for count, word in zip(counts, words) if word % 11 == 3))
        got = self.measure("flow")
        self.assertEqual((got.total["load"]["lanes"], got.total["store"]["lanes"]), (sum(counts), len(words)))

    def test_stencil(self):
        per_row, rows = 13 * 3 + 7, 2 * 2
        got = self.measure("stencil")
        self.assert_counts(got, loads=per_row * rows, stores=(2 * 3 + 1) * rows, cold=128 // 32 * (rows + 2 * (2 + 2)))


if __name__ == "__main__":
    unittest.main()
