"""--sort-index: the requests are those of the kernel that ran on really sorted data; what cannot be known is refused."""
import random
import struct
import unittest

from laws import LawTest, OfMachineCode, line_of

ITEMS = 1024


class Indexed(LawTest):
    def file(self, name, values):
        (self.folder / name).write_bytes(struct.pack(f"<{len(values)}i", *values))
        return f"fill=file:{name}"

    def pair(self, kernel, values, *arguments):
        """The captures of a kernel with an index as it is, and really sorted."""
        captures = []
        for name, content in (("before", values), ("really", sorted(values))):
            index = f"index=count={len(values)},{self.file(name, content)}"
            captures.append(self.launch(f"{name}.wtrace", kernel, str(ITEMS), "64", [index, *arguments]))
        return captures

    def shuffled(self, count=ITEMS, end=8192):
        """Some values more than once."""
        values = random.Random(5).choices(range(end), k=count)
        return values

    def law(self, kernel, values, *arguments):
        before, really = self.pair(kernel, values, *arguments)
        self.assert_law(before, ["--sort-index", "index"], really)
        self.assert_same_time("changed.wtrace", really)


class Laws(Indexed):
    def test_gather(self):
        self.law("gather", self.shuffled(), "in=count=8192", f"out=count={ITEMS}")

    def test_gather_is_exact_access_by_access(self):
        """Not only the counters: every work-item makes the very accesses."""
        before, really = self.pair("gather", self.shuffled(), "in=count=8192", f"out=count={ITEMS}")
        changed = self.change(before, "--sort-index", "index")
        for item in ("0:0", "3:17", "15:63"):
            self.assertEqual(self.run_tool("trace-view", changed, "--work-item", item), self.run_tool("trace-view", really, "--work-item", item))

    def test_histogram(self):
        self.law("histogram", self.shuffled(), "bins=count=2048,fill=zero")

    def test_rows_of_an_index(self):
        self.law("rows_of_index", self.shuffled(end=512), "in=count=8192", f"out=count={ITEMS}", "n=16")

    def test_grid_stride(self):
        """Elements of all iterations are sorted together."""
        self.law("strided_gather", self.shuffled(4 * ITEMS), f"in=count={3 * 8192}", f"out=count={ITEMS}", "n=4")

    def test_two_levels(self):
        """The second address goes along with the first: it is in no order of its own."""
        table = list(range(4096)) + random.Random(6).choices(range(4096), k=8192)
        before, really = self.pair("two_levels", self.shuffled(), f"table=count={len(table)},{self.file('table', table)}",
                                   f"out=count={ITEMS}")
        self.assert_law(before, ["--sort-index", "index"], really)

    def test_with_a_layout(self):
        before, really = self.pair("gather", self.shuffled(), "in=count=8192", f"out=count={ITEMS}")
        together = self.change(before, "--sort-index", "index", "--offset", "in=64", output="together.wtrace")
        apart = self.change(really, "--offset", "in=64", output="apart.wtrace")
        self.assertEqual(self.simulated(together, "h100")["total"], self.simulated(apart, "h100")["total"])


class Refused(Indexed):
    def refuse(self, kernel, place, message, *arguments, status=3):
        index = f"index=count={ITEMS},{self.file('index', self.shuffled(end=1000))}"
        capture = self.launch("refused.wtrace", kernel, str(ITEMS), "64", [index, *arguments])
        done = self.call("trace-change", capture, "--sort-index", "index", "-o", "changed.wtrace")
        place = rf"layouts.cl:{line_of(place)}:\d+: --sort-index index: .*" if place else ""
        self.assert_refused(done, place + message, status)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertFalse((self.folder / "changed.wtrace").exists())

    OTHERS = ("in=count=8192", f"out=count={ITEMS}")

    def test_what_a_capture_cannot_show(self):
        self.refuse("index_and_item", "in[index[get_global_id(0)] + get_local_id(0)]", "number of the work-item, too", *self.OTHERS)
        self.refuse("index_of_itself", "index[index[", "from the index itself", self.OTHERS[1])
        self.refuse("index_in_local", "in[tile[63", "loads from local memory: what was stored there is not known", *self.OTHERS)
        self.refuse("index_written", "  index[i] = 0;", "writes to the index", *self.OTHERS)
        self.refuse("two_indices", "in[index[get_global_id(0)] + other", "from several loads", f"other=count={ITEMS},fill=zero", *self.OTHERS)

    def test_control_flow(self):
        self.refuse("index_branch", "const int at = index", "decides about branches, and work-items take different ways", *self.OTHERS)

    def test_no_index(self):
        capture = self.launch("rows.wtrace", "rows", "48,48", "16,8", ["in=count=48*64", "out=count=48*48", "pitch=64", "out_pitch=48"])
        for name, message in (("in", "no address depends on what is loaded from 'in', expected an index array"),
                              ("nothing", "no object 'nothing'")):
            self.assert_refused(self.call("trace-change", capture, "--sort-index", name, "-o", "x.wtrace"), message)

    def test_a_part_of_the_work_groups(self):
        index = f"index=count={ITEMS},{self.file('index', self.shuffled())}"
        capture = self.launch("part.wtrace", "gather", str(ITEMS), "64", [index, *self.OTHERS], "--work-groups", "0-3")
        self.assert_refused(self.call("trace-change", capture, "--sort-index", "index", "-o", "x.wtrace"), "holds a part of its work-groups")

    def test_layouts_that_the_data_depend_on(self):
        capture = self.launch("itself.wtrace", "index_of_itself", str(ITEMS), "64",
                              [f"index=count={ITEMS},{self.file('index', self.shuffled(end=1000))}", self.OTHERS[1]])
        done = self.call("trace-change", capture, "--offset", "index=64", "-o", "x.wtrace")
        self.assert_refused(done, rf"layouts.cl:{line_of('index[index[')}:.* takes its address from what .* loads from 'index' itself", 3)


class LawsOfMachineCode(OfMachineCode, Laws):
    def test_rows_of_an_index(self):
        """The loop adds to an address here, so that the address comes through the loop."""
        before, _ = self.pair("rows_of_index", self.shuffled(end=512), "in=count=8192", f"out=count={ITEMS}", "n=16")
        self.assert_refused(self.call("trace-change", before, "--sort-index", "index", "-o", "changed.wtrace"),
                            "through a condition, a loop or as an element of a vector: which element decides is not known", 3)


class RefusedOfMachineCode(OfMachineCode, Refused):
    pass


if __name__ == "__main__":
    unittest.main()
