"""What trace-change refuses: one line, the exit status, the source line where an access does not fit, and no file."""
import unittest

from laws import KERNELS, LawTest, line_of


class Refused(LawTest):
    def assert_change_refused(self, capture, changes, message, status=2):
        done = self.call("trace-change", capture, *changes, "-o", "refused.wtrace")
        self.assert_refused(done, message, status)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertEqual(list(self.folder.glob("refused*")), [])

    def rows(self):
        return self.launch("rows.wtrace", "rows", "48,48", "16,8", ["in=count=48*64", "out=count=48*48", "pitch=64", "out_pitch=48"])

    def test_syntax(self):
        capture = self.rows()
        for change, expected in (("--pad in=3", r"--pad 'in=3': expected OBJECT=\+ELEMENTS, for example --pad tile=\+1"),
                                 ("--pad +3", "expected OBJECT="), ("--pad in=+0", "0 is not from 1"), ("--pad in=+1x", "expected OBJECT"),
                                 ("--pitch in=48", "OLD:NEW"), ("--pitch in=0:4", "0 is not from 1"),
                                 ("--swizzle in=48", "48 is not a power of two"), ("--swizzle in=64:128", "larger than the row"),
                                 ("--split in=16:8,16", "fields have 24 bytes"), ("--split in=16:", "FIELD"),
                                 ("--transpose in=48:4", "ROWSxCOLS"), ("--align in=3", "not a power of two"),
                                 ("--align in=4096", "above 512"), ("--offset in=x", "BYTES"), ("--groups 4x4", r"tile:WxH\|morton"),
                                 ("--groups tile:4", "tile:WxH"), ("--groups tile:0x4", "0 is not from 1")):
            self.assert_change_refused(capture, change.split(), expected)

    def test_unknown_object_lists_the_known(self):
        self.assert_change_refused(self.rows(), ["--pad", "tile=+1"], "no object 'tile', expected one of in, out")

    def test_options(self):
        capture = self.rows()
        for words, expected in (([], "no change given"), (["--pads", "in=+1"], "unrecognised option"),
                                (["--groups", "morton", "--groups", "morton"], "--groups once")):
            self.assert_change_refused(capture, words, expected)
        self.assert_refused(self.call("trace-change", capture, "--pad", "in=+1"), "no output given, expected -o FILE")
        self.assert_refused(self.call("trace-change", "--pad", "in=+1", "-o", "x"), "no capture given")
        self.assert_refused(self.call("trace-change", KERNELS, "--pad", "in=+1", "-o", "x"), "not a capture")
        self.assert_refused(self.call("trace-change", capture, "--pad", "in=+1", "-o", "missing/x.wtrace"), "cannot write")
        self.assert_refused(self.call("trace-change", capture, "--pad", "in=+1", "-o", "-", "--json", "-"), "one of them to be a file")

    def test_row_that_does_not_fit(self):
        capture = self.rows()
        self.assert_change_refused(capture, ["--pitch", "in=4000:4001"], "a row of 16000 bytes is larger than the object, 12288 bytes")
        # 48 columns of 64 are accessed: rows of 40 have no place for the others. Only the first line says so.
        self.assert_change_refused(capture, ["--pitch", "in=64:40"],
                                   rf"layouts.cl:{line_of('float sum = in[y * pitch')}:\d+: load of 4 bytes .* does not fit the new "
                                   "layout of 'in': byte 160 of row 0 is beyond the new row of 160 bytes", 3)

    def test_no_row_is_found(self):
        capture = self.launch("flat.wtrace", "shifted", "256", "64", ["in=count=3*256", "out=count=256", "n=0"])
        self.assert_change_refused(capture, ["--pad", "out=+1"], "no row was found: .* give it: --pitch OBJECT=OLD:NEW")

    def test_two_types(self):
        capture = self.launch("types.wtrace", "two_types", "64", "64", ["in=count=256", "out=count=64"])
        self.change(capture, "--offset", "in=64")  # a shift needs no elements
        # Elements of one byte: all accesses consist of them, so that a pitch in bytes is possible.
        self.change(capture, "--pitch", "in=64:80")
        wide = self.launch("half.wtrace", "crossing", "60", "60", ["in=count=64", "out=count=60"])
        self.assert_change_refused(wide, ["--split", "in=24:12,12"], rf"layouts.cl:{line_of('vload4')}:\d+: .*same pieces", 3)

    def test_an_access_across_rows(self):
        capture = self.launch("crossing.wtrace", "crossing", "60", "60", ["in=count=64", "out=count=60"])
        self.assert_change_refused(capture, ["--transpose", "in=4x4:16"], rf"layouts.cl:{line_of('vload4')}:\d+: .*same pieces", 3)

    def test_loaded_pointers(self):
        capture = self.launch("linked.wtrace", "linked", "64", "64", ["list=count=128", "out=count=64"])
        self.assert_change_refused(capture, ["--pitch", "list=2:4"], rf"layouts.cl:{line_of('__global*)list)[i * 2]')}:\d+: .*a pointer", 3)

    def test_bypass_of_one_of_two(self):
        capture = self.launch("either.wtrace", "either", "64", "64", ["in=count=64", "other=count=64", "out=count=64"])
        self.assert_change_refused(capture, ["--bypass", "in"], rf"layouts.cl:{line_of('out[i] = from[i]')}:\d+: .*bypass", 3)
        self.change(capture, "--bypass", "in", "--bypass", "other")

    def test_widen(self):
        capture = self.launch("apart.wtrace", "apart", "512", "128", ["in=count=16384", "out=count=512"])

        def refused(text, expected, status=3):
            line = line_of(text)
            where = rf"layouts.cl:{line}:\d+: load of 4 bytes \(site \d+ of kernel apart\): --widen layouts.cl:{line}: "
            self.assert_change_refused(capture, ["--widen", f"layouts.cl:{line}"], where + expected, status)

        refused("out[i] = in[5 * i]", "has a neighbour, but its offsets are only multiples of 4 bytes, expected of 8 or more")
        refused("out[i] = in[i] + in[i + 7]", "has no neighbour: no load there is 4 bytes behind it in every execution")
        first = line_of("const float first = in[2")
        self.assert_change_refused(capture, ["--widen", f"layouts.cl:{first}-{first + 2}"], "has no neighbour: .* no store or barrier", 3)
        self.assert_change_refused(capture, ["--widen", "layouts.cl:1"],
                                   f"no kernel loads there, expected one of layouts.cl:{line_of('out[i] = in[5 * i]')}")
        self.assert_change_refused(capture, ["--widen", "layouts.cl"], "expected FILE:LINE")
        self.assert_change_refused(capture, ["--widen", "layouts.cl:9-8"], "the last line is in front of the first")
        quads = self.launch("quads.wtrace", "quads", "64", "64", ["in=count=256", "out=count=64"])
        self.assert_change_refused(quads, ["--offset", "in=64", "--widen", f"layouts.cl:{line_of('in[4 * i] * in')}"],
                                   "is changed twice", 3)

    def test_objects_and_what_they_hold(self):
        capture = self.rows()
        self.assert_change_refused(capture, ["--transpose", "in=64x64:4"], "64 x 64 elements of 4 bytes are more than the object")
        self.assert_change_refused(capture, ["--offset", "in=-4"], "offset 0 would be in front of the object", 3)
        self.assert_change_refused(capture, ["--split", "in=10"], "a structure of 10 bytes has no fields of 4 bytes")
        self.assert_change_refused(capture, ["--split", "in=4"], "a structure of 4 bytes has no fields of 4 bytes")

    def test_order_of_a_part(self):
        self.launch("part.wtrace", "shifted", "256", "64", ["in=count=3*256", "out=count=256", "n=256"], "--work-groups", "0-1")
        self.assert_change_refused("part.wtrace", ["--groups", "morton"], r"holds a part of its work-groups \(0-1\)")

    def test_damaged_capture(self):
        capture = self.rows()
        content = bytearray((self.folder / capture).read_bytes())
        content[len(content) // 2] ^= 0xFF
        (self.folder / "damaged.wtrace").write_bytes(content)
        self.assert_change_refused("damaged.wtrace", ["--pad", "in=+1"], "damaged.wtrace: ")

    def test_full_disk(self):
        done = self.call("trace-change", self.rows(), "--pad", "in=+1", "-o", "/dev/full")
        self.assert_refused(done, "/dev/full: cannot write")

    def test_help_has_examples(self):
        text = self.run_tool("trace-change", "--help").decode()
        self.assertEqual(text.count("  trace-change "), 3)


if __name__ == "__main__":
    unittest.main()
