"""Which arrays in local memory belong to one work-item each, by what trace-view prints of three work-items."""
import contextlib
import types
import unittest
from unittest import mock

import planted  # noqa: F401  (puts the package on the path)
from warpscope.explore.advice import observe


def own_only(*items):
    """observe._own_only() of `tile`, of whose accesses each item has (kind, address)."""
    lines = [[f"0 0 {at} {kind} local {address:#x} tile".encode() for at, (kind, address) in enumerate(item)] for item in items]
    case = types.SimpleNamespace(launch_of=lambda kernel: {"first": 0, "local": [64, 1, 1]}, capture="x.wtrace")
    with mock.patch.object(observe.toolchain, "piped", lambda *words: contextlib.nullcontext(lines[observe.ITEMS.index(int(words[2][2:]))])):
        return observe._own_only(case, "kernel", "tile")


class OwnOnly(unittest.TestCase):
    def test_elements_of_one_work_item_each(self):
        self.assertTrue(own_only(*([("store", 4 * item), ("load", 4 * item)] for item in range(3))))
        self.assertIsNone(own_only(*([("store", 4 * item)] for item in range(3))))

    def test_what_another_work_item_stored_is_shared(self):
        self.assertFalse(own_only([("store", 0), ("load", 0)], [("load", 0)], []))

    def test_what_two_work_items_store_is_shared_in_whatever_order(self):
        self.assertFalse(own_only([("store", 0), ("load", 0)], [("store", 4), ("store", 0), ("load", 4)], [("store", 8), ("load", 8)]))

    def test_atomics_are_for_what_is_shared(self):
        """A histogram by group: each work-item clears and reads its own bin, which all of them count in."""
        load, add = (types.SimpleNamespace(kind=kind, local={"requests": 2, "wavefronts": 2}, buffers=["bins"], kernels=["count"]) for kind in ("load", "atomic"))
        case = types.SimpleNamespace(others_of=lambda access: [load, add], accesses=[load, add])
        with mock.patch.object(observe, "_own_only", return_value=True):
            self.assertIsNone(observe.local_without_reuse(case, load))
            case.others_of = lambda access: [load]
            self.assertEqual(observe.local_without_reuse(case, load).remedy, "keep bins in registers")


class Uniform(unittest.TestCase):
    def remedy(self, objects, sizes, stored=()):
        return observe._remedy_of_uniform(types.SimpleNamespace(objects=set(objects)), types.SimpleNamespace(sizes=sizes, stored=frozenset(stored)))

    def test_constant_memory_is_for_what_fits_and_no_kernel_writes(self):
        constant, other = "constant memory, or one load for many results", "one load for many results"
        self.assertEqual(self.remedy([1], {1: 65536}), constant)
        self.assertEqual(self.remedy([1], {1: 65540}), other)
        self.assertEqual(self.remedy([1], {1: 4096}, [1]), other)
        self.assertEqual(self.remedy([1, 2], {1: 40000, 2: 40000}), other)
        self.assertEqual(self.remedy([1, 2], {1: 4000, 2: 4000}, [3]), constant)
        self.assertEqual(self.remedy([1], {}), other)  # a size that is not known
        self.assertEqual(self.remedy([], {}), other)


if __name__ == "__main__":
    unittest.main()
