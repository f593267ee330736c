"""Bank conflicts of searches and merges in local memory: what Karsin's thesis (2018) says of them, and a model of our own.

32 banks of 4 bytes (GTX 480). Beta is the mean degree of a request; the thesis measured 3.1 for the partition of a merge and 2.2
for the merge (reads and writes), of random keys, by a profiler. What follows from its algorithms for each number of keys was
computed from its text (300 warps of random queries; 30 blocks of random keys). A run takes a sixth of each test's numbers of keys
(sample.py), scripts/test --long kernels all.
"""
import collections
import pathlib
import random
import struct
import unittest

import launches  # noqa: F401  (finds support)
from sample import some
from support import ToolTest, kernel

WARP = 32


def degree(words):
    """Of a request: the most different words that one of the 32 banks is asked for."""
    return max(collections.Counter(word % 32 for word in set(words)).values())


def line_of(name, text):
    """Number of the one line of a kernel's source that contains `text`."""
    (number,) = [at for at, line in enumerate(pathlib.Path(kernel(name)).read_text(encoding="utf-8").split("\n"), 1)
                 if text in line]
    return number


class Passes:
    """Requests and the passes that they take."""

    def __init__(self, requests=0, passes=0):
        self.requests, self.passes = requests, passes

    def add(self, words):
        self.requests += 1
        self.passes += degree(words)

    @property
    def beta(self):
        return self.passes / self.requests

    def __sub__(self, other):
        return Passes(self.requests - other.requests, self.passes - other.passes)

    def __eq__(self, other):
        return (self.requests, self.passes) == (other.requests, other.passes)

    def __repr__(self):
        return f"{self.passes} passes of {self.requests} requests"


class Simulated(ToolTest):
    def simulated(self, name, *options):
        return self.result(self.capture(name, *options), "--preset", "gtx480", "--no-classes")

    @staticmethod
    def of_line(result, kind, line):
        found = Passes()
        for site in result["sites"]:
            if site["kind"] == kind and site["local_memory"] and site["locations"][0]["line"] == line:
                found.requests += site["local_memory"]["requests"]
                found.passes += site["local_memory"]["wavefronts"]
        return found

    def assert_near(self, got, published, share, what):
        self.assertAlmostEqual(got, published, delta=share * published, msg=what)


class Searches(Simulated):
    QUERIES = 16

    def loads(self, variant, keys, *words):
        """Local memory of the loads of a search in program order, and the largest degree."""
        result = self.simulated("search_shared", "--global", "512", "--local", "256", "--arg", f"per_item={self.QUERIES}",
                                "-D", f"KEYS={keys}", "-D", f"VARIANT={variant}", *words)
        return ([site["local_memory"] for site in result["sites"] if site["kind"] == "load" and site["local_memory"]],
                result["total"]["local_memory"]["max_degree"])

    def test_plain(self):
        # The mean over the ceil(log2(N)) steps. The first step reads the same word for every query; the compiler makes that
        # load once per work-item, and one more load follows the last step.
        for keys, published in some(((1024, 8.40), (2048, 10.20), (4096, 11.85), (8192, 13.32), (1000, 2.71), (3000, 2.86),
                                     (5000, 3.02))):
            loads, _ = self.loads(0, keys)
            steps = (keys - 1).bit_length()
            self.assertEqual([load["requests"] for load in loads], [512 // 32] + steps * [512 // 32 * self.QUERIES], keys)
            self.assertEqual(loads[0]["beta"], 1)
            self.assert_near(sum(load["beta"] for load in loads[:steps]) / steps, published, 0.01, keys)

    def test_the_worst_queries_of_the_plain_search(self):
        # Lane l asks for key 32 l + c: from step log2(32) + 1 on all lanes look at words of their own, 32 apart and so in one bank.
        # 1, 2, 4, 8 and 16 before, then 32 in every step: the lower bound of the thesis, 32 · log2(N / 32²), is exceeded.
        for keys in some((1024, 2048)):
            span = keys // WARP
            words = [2 * (span * (item % WARP) + 5) + 1 for item in range(512)] * self.QUERIES
            (self.folder / "query.bin").write_bytes(struct.pack(f"{len(words)}I", *words))
            loads, worst = self.loads(0, keys, "--arg", "query=file:query.bin")
            steps = keys.bit_length() - 1
            self.assertEqual([load["beta"] for load in loads[:steps]], [min(2**step, WARP) for step in range(steps)], keys)
            self.assertEqual(worst, WARP)

    def test_conflict_free(self):
        # Steps of the first stage: rows of 32 keys, one outcome more than rows. Then 31 keys one by one.
        for keys, rounds in some(((1024, 6), (2048, 7), (4096, 8), (8192, 9), (1000, 6), (3000, 7), (5000, 8))):
            loads, worst = self.loads(1, keys)
            self.assertEqual(worst, 1, keys)
            self.assertEqual([load["beta"] for load in loads], (rounds + 31) * [1], keys)

    def test_few_conflicts(self):
        for keys, published in some(((1024, 1.67), (8192, 1.54))):
            loads, worst = self.loads(2, keys)
            self.assertEqual(len(loads), keys.bit_length())
            self.assert_near(sum(load["beta"] for load in loads) / len(loads), published, 0.02, keys)
            # The bound of the thesis: 16 lanes in a bank in the last of five steps.
            self.assertLessEqual(worst, 16)


class Merges(Simulated):
    def merged_by_one_round(self, per_item, items=4096):
        """merge_path of random keys, each from either array with the same chance."""
        choose = random.Random(1)
        keys = ([], [])
        for value in range(items * per_item):
            keys[choose.random() < 0.5].append(value)
        arguments = ["--arg", f"a_count={len(keys[0])}"]
        for name, values in zip("ab", keys):
            (self.folder / f"{name}.bin").write_bytes(struct.pack(f"{len(values)}I", *values))
            arguments += ["--arg", f"{name}=file:{name}.bin"]
        return self.simulated("merge_path", "--global", items, "--local", "128", "-D", f"PER_ITEM={per_item}", *arguments)

    def test_a_merge_of_a_whole_block(self):
        # What each of the ceil(log2(N / bE)) merge kernels does, b = 128; the thesis gives their beta.
        partition = line_of("merge_path", "if (tile[middle] <= tile")
        merge = line_of("merge_path", "key[k] = tile[")
        write = line_of("merge_path", "tile[diagonal + k] = key[k]")
        for per_item, parts, reads in some(((15, 2.70, 3.44), (16, 3.28, 3.41), (31, 3.18, 3.56), (32, 4.77, 3.60))):
            result = self.merged_by_one_round(per_item)
            self.assert_near(self.of_line(result, "load", partition).beta, parts, 0.02, per_item)
            self.assert_near(self.of_line(result, "load", merge).beta, reads, 0.02, per_item)
            self.assertEqual(self.of_line(result, "store", write).beta, {16: 16, 32: 32}.get(per_item, 1))
        # Reads and writes of 15 and 31 keys: 2.22 and 2.28; the profiler's 2.2.
        self.assertEqual([round((3.44 + 1) / 2, 2), round((3.56 + 1) / 2, 2)], [2.22, 2.28])


class Model:
    """mergesort_block, its work-items' local loads by hand: passes of the partition and of the merge, per round."""

    def __init__(self, keys, items, per_item):
        self.per_item = per_item
        self.partition = collections.defaultdict(Passes)
        self.merge = collections.defaultdict(Passes)
        for group in range(len(keys) // (items * per_item)):
            block = list(keys[group * items * per_item:][:items * per_item])
            for at in range(0, len(block), per_item):
                block[at:at + per_item] = sorted(block[at:at + per_item])
            runs = 1
            while runs < items:
                for first in range(0, items, WARP):
                    self.warp(block, range(first, first + WARP), runs)
                length = 2 * runs * per_item
                for at in range(0, len(block), length):
                    block[at:at + length] = sorted(block[at:at + length])
                runs *= 2

    def warp(self, block, lanes, runs):
        length = runs * self.per_item
        begins = [lane // (2 * runs) * 2 * length for lane in lanes]
        diagonals = [lane % (2 * runs) * self.per_item for lane in lanes]
        least = [max(diagonal - length, 0) for diagonal in diagonals]
        most = [min(diagonal, length) for diagonal in diagonals]
        searching = [lane for lane in range(WARP) if least[lane] < most[lane]]
        while searching:
            middle = {lane: (least[lane] + most[lane]) // 2 for lane in searching}
            in_a = {lane: begins[lane] + middle[lane] for lane in searching}
            in_b = {lane: begins[lane] + length + diagonals[lane] - 1 - middle[lane] for lane in searching}
            self.partition[runs].add(in_a.values())
            self.partition[runs].add(in_b.values())
            for lane in searching:
                if block[in_a[lane]] <= block[in_b[lane]]:
                    least[lane] = middle[lane] + 1
                else:
                    most[lane] = middle[lane]
            searching = [lane for lane in searching if least[lane] < most[lane]]
        a = list(least)
        b = [diagonal - part for diagonal, part in zip(diagonals, least)]
        for _ in range(self.per_item):
            taken = []
            for lane in range(WARP):
                at = (begins[lane] + a[lane], begins[lane] + length + b[lane])
                takes_a = a[lane] < length and (b[lane] >= length or block[at[0]] <= block[at[1]])
                taken.append(at[0] if takes_a else at[1])
                a[lane] += takes_a
                b[lane] += not takes_a
            self.merge[runs].add(taken)


class Rounds(Simulated):
    def test_rounds_of_a_block_sort(self):
        # Blocks of 32, 64 and 128 work-items have 5, 6 and 7 rounds, the first ones of the same work: differences are rounds.
        partition = line_of("mergesort_block", "if (block[a_begin + middle] <= block")
        merge = line_of("mergesort_block", "key[k] = block[takes_a ?")
        for per_item, parts, reads in some(((15, 2.70, 3.44), (31, 3.18, 3.56))):
            before = (Passes(), Passes())
            for items in (32, 64, 128):
                result = self.simulated("mergesort_block", "--global", "512", "--local", items, "-D", f"PER_ITEM={per_item}",
                                        "--dump-buffers", "buffers")
                if items == WARP:
                    keys = struct.unpack(f"{512 * per_item}I", (self.folder / "buffers" / "in.bin").read_bytes())
                    model = Model(keys, 128, per_item)
                rounds = [items // 2] if items > WARP else [1, 2, 4, 8, 16]
                got = (self.of_line(result, "load", partition), self.of_line(result, "load", merge))
                for now, earlier, expected in zip(got, before, (model.partition, model.merge)):
                    self.assertEqual(now - earlier, Passes(sum(expected[runs].requests for runs in rounds),
                                                           sum(expected[runs].passes for runs in rounds)), (per_item, items))
                before = got
            # The last round merges the whole block, as the merge kernels do: their beta, here of 16 warps only. In the first
            # round 16 searches of at most ceil(log2(E + 1)) steps are in a warp.
            self.assert_near(model.partition[64].beta, parts, 0.05, per_item)
            self.assert_near(model.merge[64].beta, reads, 0.05, per_item)
            self.assertLess(model.partition[1].beta, 0.85 * parts)


if __name__ == "__main__":
    unittest.main()
