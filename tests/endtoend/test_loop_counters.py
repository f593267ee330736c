"""Traces with loop counters (Crawford 2014, listing 5.1): all tools read them, and what is written so is scheduled as the capture is."""
import json
import re
import unittest

from support import ToolTest

LISTING = """local size:16 16 1
0x9CAE000F0000319|0x0|0x10000000000
0x9CAE000F0000319|0x10|0x10000000000
0x9CBB000F000031A|0x0|0x10000000000
0x9CBB040F000031A|0x10|0x10000000000
0x9CAE004F0000319|0x0|0x20000000000
0x9CAE004F0000319|0x10|0x20000000000
0x9CBB1C0F000031A|0x0|0x20000000000
0x9CBB200F000031A|0x10|0x20000000000
0x1|0x10|0x0
"""
M1, M2 = 0x9CAE000, 0x9CBB000  # what the two instructions read first
CACHE = ("16", "128", "4", "LRU", "WTNA")
READERS = (("trace-check",), ("trace-view",), ("warpsched", "--format", "text"), ("cachesim",))


def line(address, item, *loops, mark="F", number=1):
    """A line; `loops`: (label, iteration), the outermost first."""
    word = sum((label << 16 | iteration) << 20 * (2 - depth) for depth, (label, iteration) in enumerate(loops))
    return f"0x{address:X}{mark}{int(f'M{number}', 36):07X}|0x{item:X}|0x{word:X}"


class LoopCounters(ToolTest):
    def write(self, *lines, name="listing.txt"):
        (self.folder / name).write_text(lines[0] if len(lines) == 1 else "\n".join(lines) + "\n")

    def schedule(self, *words):
        """(address, R or W, work-group, warp) of every access, in order."""
        text = self.run_tool("warpsched", *words, "--format", "text").decode()
        return [tuple(row.split()[:4]) for row in text.splitlines()[1:]]

    def test_every_tool_reads_the_listing(self):
        self.write(LISTING)
        for tool, *words in READERS:
            done = self.call(tool, "listing.txt", *(CACHE if tool == "cachesim" else words))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr.decode(), rf"^{tool}: listing.txt: a trace with loop counters: accesses taken to be of 4 bytes.*"
                             r"\(--element-bytes\), global size 32 x 16 x 1 from the largest ids, in groups of 16 x 16 x 1\n$")
        self.assertIn(b"OK, 1 launches, 2 work-groups, 512 work-items, 8 accesses", self.run_tool("trace-check", "listing.txt"))
        self.assertRegex(self.run_tool("trace-view", "listing.txt", "--sites").decode(),
                         r"load +global +4 +4 +\d+ +4 +memory +listing.txt:2:1 \(M1\)\n.*load .* 4 +memory +listing.txt:4:1 \(M2\)\n.*barrier local")

    def test_schedule_and_hits_of_the_listing_by_hand(self):
        """Both items are the only lane of a warp with accesses, in different groups: they take turns. M1 reads one line, of which the
        first access misses; M2 the lines of 0x9CBB000 (twice), 0x9CBB180 and 0x9CBB200: 4 misses of 8."""
        self.write(LISTING)
        expected = [(M1, 0), (M1, 1), (M2, 0), (M2 + 0x40, 1), (M1 + 4, 0), (M1 + 4, 1), (M2 + 0x1C0, 0), (M2 + 0x200, 1)]
        self.assertEqual(self.schedule("listing.txt", "--buffer-base", "0"), [(f"0x{at:X}", "R", str(group), "0") for at, group in expected])
        load = self.result("listing.txt", *CACHE)["total"]["load"]
        self.assertEqual((load["transactions"], load["hits"], load["misses"]), (8, 4, 4))
        self.assertEqual(self.result("coalesce.tx", *CACHE)["total"]["load"]["misses"] if self.run_tool(
            "cachesim", "coalesce", "listing.txt", "-o", "coalesce.tx") == b"" else None, 4)
        sweep = json.loads(self.run_tool("cachesim", "sweep", "listing.txt", "--sets", "32", "--ways", "4", "--json", "-"))
        self.assertEqual([cell["load"]["misses"] for cell in sweep["cells"]], [4])

    def test_standard_input_has_the_same(self):
        done = self.run_tool("cachesim", "-", *CACHE, "--json", "-", input=LISTING.encode())
        self.assertEqual(json.loads(done)["total"]["load"]["misses"], 4)

    def test_equal_counters_meet_again(self):
        """Section 5.3.2: M1 of iteration 3 is one instruction of the warp though lane 1 was not in iteration 2, and M2 behind the loop is
        one though lane 2 was never in it. Lines of one work-item only are in order."""
        self.write("local size:4 1 1", line(0x1000, 0, (0, 1)), line(0x2000, 0, (0, 2)), line(0x3000, 0, (0, 3)), line(0x4000, 0, number=2),
                   line(0x4008, 2, number=2), line(0x1004, 1, (0, 1)), line(0x3004, 1, (0, 3)), line(0x4004, 1, number=2), "--")
        load = self.result("listing.txt", *CACHE)["total"]["load"]
        self.assertEqual(load["requests"], 4)
        self.assertEqual([row[0] for row in self.schedule("listing.txt", "--buffer-base", "0")],
                         ["0x1000", "0x1004", "0x2000", "0x3000", "0x3004", "0x4000", "0x4004", "0x4008"])

    def test_an_uncounted_loop_keeps_every_items_order(self):
        order = [(1, 0x1000), (2, 0x2000), (1, 0x1004), (2, 0x2004), (2, 0x2008)]
        self.write("local size:1 1 1", *(line(address, 0, (3, 7), number=number) for number, address in order))
        self.assertEqual([row[0] for row in self.schedule("listing.txt", "--buffer-base", "0")], [f"0x{address:X}" for _, address in order])

    def test_barriers_part_the_warps(self):
        """Lane 0 of warp 0 and lane 32 of warp 1: all is read before the barrier until something is read behind it."""
        self.write("local size:64 1 1", *(line(base + 4 * item, item, number=number) if base else f"0x1|0x{item:X}|0x0"
                                          for item in (0, 32) for number, base in ((1, 0x1000), (1, 0x2000), (0, 0), (2, 0x3000))))
        found = [int(row[0], 16) & 0xF000 for row in self.schedule("listing.txt", "--buffer-base", "0")]
        self.assertEqual(sorted(found), found)

    def test_launches_end_with_hyphens(self):
        self.write("local size:1 1 1", line(0x1000, 0), "--", "--", line(0x1000, 3), line(0x1000, 3, mark="A"), "----")
        shown = json.loads(self.run_tool("trace-view", "listing.txt", "--summary", "--json"))["launches"]
        self.assertEqual([(one["global"], one["loads"], one["stores"], one["atomics"]) for one in shown], [([4, 1, 1], 1, 0, 0), ([4, 1, 1], 1, 1, 0)])

    def test_element_size(self):
        self.write("local size:1 1 1", line(0x1001, 0), line(0x1000, 0, number=2))
        for words, widths in (((), ["1", "4"]), (("--element-bytes", "8"), ["8", "8"])):
            text = self.run_tool("trace-view", "listing.txt", "--sites", *words).decode()
            self.assertEqual(re.findall(r"load +global +(\d+)", text), widths)
        for words, message in ((("--element-bytes", "3"), "3, expected 1, 2, 4, 8 or 16"), (("--element-bytes", "x"), "'x', expected a whole number")):
            self.assert_refused(self.call("trace-check", "listing.txt", *words), message)
        self.assert_refused(self.call("trace-check", self.capture("mm", "--size", "small"), "--element-bytes", "4"), "says how wide its accesses are")

    def test_wrong_lines_are_named(self):
        last = LISTING.count("\n") + 1
        for wrong, message in (("hello", f":{last}: expected '0xACCESS"), ("0x1|0x2", f":{last}: expected '0xACCESS"),
                               (LISTING.splitlines()[1].replace("F", "B", 1), f":{last}: expected F .read. or A"),
                               (line(0x1000, 0).replace("319", "001"), f":{last}: expected an instruction name"),
                               (line(0x1000, 2**60 - 1), ": ids up to 1048575 1048575 1048575 make .* work-groups, expected at most"),
                               ("\n".join(line(0x1000, 5, (0, 65535), (1, 65535), (2, 65535 - n)) for n in range(300)), r":\d+: the work-item's loops have made more than 16777216 iterations")):
            self.write(LISTING + wrong + "\n", name="wrong.txt")
            for tool, *words in READERS:
                self.assert_refused(self.call(tool, "wrong.txt", *(CACHE if tool == "cachesim" else words)), "wrong.txt" + message)
        self.write("local size:1024 1024 1\n" + line(0x1000, 0), name="wrong.txt")
        self.assert_refused(self.call("trace-check", "wrong.txt"), "wrong.txt:1: a work-group has 1048576 work-items")
        self.write(LISTING)
        self.assert_refused(self.call("cachesim", "timed", "listing.txt", "--gpu", "a100"), "no instructions between its accesses")

    def test_what_was_written_is_scheduled_as_the_capture_is(self):
        """Loops, guards and atomics of real kernels. The witness is the capture, whose control flow is the compiler's."""
        for name in ("mm", "mt", "stencil", "spmv_csr", "bfs", "conv2d"):
            with self.subTest(name):
                capture = self.capture(name, "--size", "small")
                self.run_tool("trace-view", capture, "--launch", "0", "--format", "crawford", "-o", "written.txt")
                self.assertEqual(self.schedule("written.txt", "--buffer-base", "0"), self.schedule(capture, "--launch", "0"))


if __name__ == "__main__":
    unittest.main()
