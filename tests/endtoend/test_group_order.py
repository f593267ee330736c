"""trace-kernel --group-order: work-groups run one after the other in that order, in PoCL and in machine code. What depends on it differs,
what does not is the same, and so is the capture."""
import pathlib
import struct
import unittest

from support import ToolTest, kernel  # noqa: E402
from support import load_third as load_tests  # noqa: F401,E402

ORDER = pathlib.Path(__file__).resolve().parent / "order"
GRID, GROUPS, ITEMS = "4,3,2", 24, 32
ORDERS = ("ascending", "descending", "random(1)", "random(2)")
SIZES = ("--arg", f"out=bytes={4 * GROUPS},fill=zero", "--arg", "counter=bytes=4,fill=zero", "--arg", "bins=bytes=28,fill=zero")


class Orders(ToolTest):
    def run_in(self, order, source, *words):
        """({buffer: its 32-bit numbers}, the capture)."""
        folder = self.folder / order
        self.run_tool("trace-kernel", source, "--group-order", order, *words, "--dump-buffers", folder, "-o", "k.wtrace")
        return ({path.stem: list(struct.unpack(f"{path.stat().st_size // 4}I", path.read_bytes())) for path in folder.glob("*.bin")},
                (self.folder / "k.wtrace").read_bytes())

    def of_slots(self, source):
        launch = ("--kernel", "slots", "--grid", GRID, "--block", ITEMS, *SIZES)
        runs = {order: self.run_in(order, source, *launch)[0] for order in ORDERS}
        self.assertEqual(runs["ascending"]["out"], list(range(GROUPS)))
        self.assertEqual(runs["descending"]["out"], list(range(GROUPS))[::-1])
        drawn = [tuple(runs[order]["out"]) for order in ORDERS]
        self.assertEqual([sorted(one) for one in drawn], [list(range(GROUPS))] * len(ORDERS))
        self.assertEqual(len(set(drawn)), len(ORDERS))
        counted = [sum((group + item) % 7 == place for group in range(GROUPS) for item in range(ITEMS)) for place in range(7)]
        self.assertEqual([runs[order]["bins"] for order in ORDERS], [counted] * len(ORDERS))

    def test_in_opencl(self):
        self.of_slots(ORDER / "slots.cl")

    def test_in_cuda(self):
        self.of_slots(ORDER / "slots.cu")

    def test_in_machine_code(self):
        self.of_slots(ORDER / "slots.cubin")
        waits = ("--kernel", "chain", "--grid", 8, "--block", 32, "--arg", "out=bytes=32,fill=zero", "--arg", "flags=bytes=32,fill=zero")
        for order in ORDERS:  # a group that waits lets others go on
            self.assertEqual(self.run_in(order, ORDER / "slots.cubin", *waits)[0]["out"], list(range(1, 9)))

    def test_what_does_not_depend_on_it_is_the_same_in_each_byte(self):
        for source in (kernel("histogram"), kernel("mm_tiled").with_suffix(".cu")):
            runs = [self.run_in(order, source, "--size", "small") for order in ORDERS]
            self.assertEqual(runs[1:], runs[:-1])

    def test_verify_compares_with_the_usual_order(self):
        words = ("--verify", "--global", 64, "--local", 16, "--arg", "out=count=4,fill=zero", *SIZES[2:], "--threads", 1)
        self.run_tool("trace-kernel", ORDER / "slots.cl", "--group-order", "ascending", *words)
        done = self.call("trace-kernel", ORDER / "slots.cl", "--group-order", "descending", *words)
        self.assertEqual(done.returncode, 3)
        self.assertIn("--verify: buffer 'out'", done.stderr.decode())

    def test_refused(self):
        for words, expected in ((("x",), "--group-order x: expected ascending, descending, mirrored or random.SEED."), (("random(",), "expected ascending"), (("random(-1)",), "expected asc"),
                                (("descending", "--threads", 2), "expected --threads 1, not 2"), (("descending", "--resume"), "expected no --resume"),
                                (("descending", "--addresses-only"), "expected no --addresses-only"), (("descending", "--run-only", "x.bc"), "expected no --run-only")):
            self.assert_refused(self.call("trace-kernel", ORDER / "slots.cl", "--group-order", *words), expected)
        self.assert_refused(self.call("trace-kernel", "--group-order", "descending", "--", "true"), "expected no program behind --")


if __name__ == "__main__":
    unittest.main()
