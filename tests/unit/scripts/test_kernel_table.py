"""The table by kernel of the summary, and names of programs."""
import json
import pathlib
import tempfile
import time
import unittest

import support
from warpscope.base import programs
from warpscope.result import kernels, results
from warpscope.show import report
from warpscope.show.summary import layout


class ProgramNames(unittest.TestCase):
    def test_a_script_has_its_own_name(self):
        for words, name in ((["./app", "-x"], "app"), (["python3", "-O", "tools/run.py", "5"], "run"), (["bash", "go.sh"], "go"),
                            (["env", "A=1", "./app"], "app"), (["python3"], "python3"), (["python3", "-c", "pass"], "python3"),
                            (["timeout", "10", "clpeak"], "clpeak")):
            self.assertEqual(programs.name_of(words), name)


class Kernels(unittest.TestCase):
    def program(self):
        """Kernel a: 3 identical launches that miss 50 %, and 1 that misses 100 %; b: one launch."""
        result = support.result()

        def group(kernel, count, first, load):
            return {**support.counts(load=load), "kernel": kernel, "global": [1, 1, 1], "local": [1, 1, 1], "count": count, "first": first}

        result["launch_groups"] = [group("a", 3, 0, support.kind(6, 60, 30, 30)), group("b", 1, 3, support.kind(1, 20, 0, 20)),
                                   group("a", 1, 4, support.kind(1, 20, 0, 20))]
        return result

    def test_the_table_has_shares_and_spread(self):
        head, *rows = kernels.table(self.program(), 6)
        self.assertEqual(head.split()[:4], ["kernel", "launches", "transactions", "misses"])
        self.assertRegex(rows[0], r"^a +4 +80\.0 % +71\.4 % +62\.5 % +50\.0 to 100\.0 %$")
        self.assertRegex(rows[1], r"^b +1 +20\.0 % +28\.6 % +100\.0 % +100\.0 to 100\.0 %$")
        self.assertRegex(kernels.table(self.program(), 1)[1], r"^a +4 +80\.0 %")  # the costliest is named, however little room there is

    def test_others_are_those_that_no_row_names(self):
        result = self.program()
        result["launch_groups"] += [{**result["launch_groups"][1], "kernel": name, "first": 5} for name in "cd"]
        for room, others in ((1, 3), (2, 3), (3, 2)):
            rows = kernels.table(result, room)[1:]
            self.assertRegex(rows[0], "^a ")
            self.assertRegex(rows[-1], rf"^\({others} other kernels\) ")

    def named(self, a, b="ns::short_name"):
        """The same with other names."""
        result = self.program()
        for group in result["launch_groups"]:
            group["kernel"] = {"a": a, "b": b}[group["kernel"]]
        return result

    def test_a_long_name_is_above_its_numbers(self):
        agent = "thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cuda_cub::"
        name = agent + "__transform::unary_transform_f<int *, int *>, long>, long>"
        result = self.named(name)
        _, above, a, b = kernels.table(result, 6)
        self.assertEqual(above, "unary_transform_f<int *, int *>, long>, long>")
        self.assertRegex(a, r"^ +4 +80\.0 % ")
        self.assertRegex(b, r"^ns::short_name +1 +20\.0 % ")
        self.assertEqual(a.index("4"), b.index("1"))
        self.assertIn(name, report.summary(result))

    def test_a_name_that_leaves_its_numbers_no_room_is_above_them(self):
        """The numbers and the gaps in front of them take 76 columns: a name of 24 has room, one of 25 does not; without cycles, 32 and 33."""
        for cycles, most in ((100, 24), (None, 32)):
            result = self.program()
            result["kernels"] = [kernel | {"timed_cycles": cycles} for kernel in kernels.of_groups(result)]
            for length in (24, 25, 32, 33, 35):
                for kernel, letter in zip(result["kernels"], "km"):
                    kernel["kernel"] = letter * length
                lines = kernels.table(result, 6)
                self.assertLessEqual(max(map(len, lines)), 100)
                self.assertEqual(len(lines), 3 if length <= most else 5, lines)

    def test_a_name_of_several_lines_is_whole_and_takes_the_room_of_others(self):
        name = "gemm<" + ", ".join(f"Tile<float, {at}, {at + 1}>" for at in range(12)) + ">(float const *, float *)"  # 247 characters
        lines = kernels.table(self.named(name), 6)
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertEqual(" ".join(line.strip() for line in lines[1:4]), name)
        self.assertEqual(len(lines), 6)
        result = self.named(name)
        result["launch_groups"].append({**result["launch_groups"][1], "kernel": "c", "first": 5})
        self.assertRegex(kernels.table(result, 5)[-1], r"^\(2 other kernels\) ")

    def test_of_a_name_that_no_terminal_has_room_for_the_middle_is_left_out(self):
        name = "begin<" + "x" * 1000 + ">::end"
        result = self.named(name)
        shown = "".join(line.strip() for line in kernels.table(result, 9)[1:-2])
        self.assertRegex(shown, r"^begin<x+…x+>::end$")
        self.assertEqual(len(shown), 400)
        self.assertIn(name, report.summary(result))

    def test_20_000_launches_take_less_than_2_s(self):
        """A result as cachesim and warpscope write it: every launch differs, so that no group is short."""
        result = self.program()
        small = json.dumps(result["launch_groups"][0], indent=1).replace("\n", "\n  ")
        pad = ",\n   ".join(f'"more_{number}": {number}' for number in range(120))
        element = small[:-3].rstrip() + ",\n   " + pad + "\n  }"
        result |= {"kernels": kernels.of_groups(result), "launches": "@", "launch_groups": "@"}
        text = json.dumps(result, indent=1).replace('"@"', "[\n  " + ",\n  ".join([element] * 20_000) + "\n ]")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result.json"
            path.write_text(text + "\n")
            self.assertGreater(path.stat().st_size, results.LARGE)
            start = time.process_time()
            loaded = results.load(path)
            lines = layout.summary(loaded)
            self.assertLess(time.process_time() - start, 2)
        self.assertEqual(len(loaded["launch_groups"]), results.FEW)
        self.assertIn("5 launches of 2 kernels", lines[0])

if __name__ == "__main__":
    unittest.main()
