"""The tuner without simulations: expressions, spaces, strategies on functions with a known minimum, Kernel Tuner's files."""
import itertools
import json
import pathlib
import tempfile
import unittest

import jsonschema
import support

from warpscope.base.errors import InputError
from warpscope.commands import tune_options
from warpscope.explore.tuning import expressions, kernel_tuner, search, table
from warpscope.explore.tuning.space import Parameter, Space, local_size
from warpscope.explore.tuning.variants import Variant


def schema(name):
    found = json.loads((support.SOURCE / "docs" / "schema" / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


class Expressions(unittest.TestCase):
    def value(self, text, **names):
        return expressions.evaluate(expressions.parse(text, "--restrict"), names, "--restrict")

    def test_are_pythons(self):
        for text, names in (("TILE*TILE <= 1024", {"TILE": 32}), ("16 <= a < b", {"a": 16, "b": 17}), ("a % 2 == 0 or not b", {"a": 3, "b": 0}),
                            ("min(a, 5) + 2**a if a else 0", {"a": 3}), ("a in (1, 2)", {"a": 2}), ("(a >> 1) & ~1 == 2", {"a": 7}),
                            ("-7 // 2 == -4", {}), ("7 / 2", {}), ("list(range(1, 9))", {}), ("a == 'x'", {"a": "x"})):
            self.assertEqual(self.value(text, **names), eval(text, {}, names), text)
        self.assertEqual(self.value("ceil_div(7, 2)"), 4)

    def test_nothing_else_is_run(self):
        for text in ("__import__('os').system('true')", "(1).__class__", "[x for x in (1,)]", "lambda: 1", "open('x')", "f'{1}'", "a := 1",
                     "min(*(1, 2))", "'a' * 9", "2**10**10", "1 << 9999", "list(range(10**9))", "a is a", "unknown", "1/0", "", "1 +", "a" * 5000,
                     "(" * 300 + "1" + ")" * 300):
            with self.subTest(text[:40]), self.assertRaisesRegex(InputError, "^--restrict: "):
                self.value(text, a=1)


class Spaces(unittest.TestCase):
    def test_restrictions_choose_variants(self):
        space = Space([Parameter("W", (16, 32, 64)), Parameter("H", (1, 8, 32))], ["W*H <= LIMIT"], constants={"LIMIT": 512})
        self.assertEqual(space.all(), [(16, 1), (16, 8), (16, 32), (32, 1), (32, 8), (64, 1), (64, 8)])

    def test_sizes_of_the_work_group(self):
        space = Space([Parameter("local", ("8x8", "16x16", "64"), "local")], ["lx*ly*lz == 64"])
        self.assertEqual(space.all(), [("8x8",), ("64",)])
        self.assertEqual(local_size("16x8"), [16, 8, 1])

    def test_bad_ones_are_refused(self):
        for build, said in ((lambda: Space([]), "no parameter given"), (lambda: Parameter("A", (1, 1)), "parameter A: expected different values"),
                            (lambda: Space([Parameter("A", (1,)), Parameter("A", (2,))]), "parameter A: is given twice"),
                            (lambda: Space([Parameter("A", (1,))], ["B > 0"]), "no parameter 'B', expected one of A"),
                            (lambda: Space([Parameter("A", (1, 2))], ["A > 2"]).all(), "no variant fulfils A > 2, of 2"),
                            (lambda: Space([Parameter(name, tuple(range(101))) for name in "ABC"]).all(), "1,030,301 variants, expected at most"),
                            (lambda: local_size("16,x"), "expected a size such as 64 or 16x16")):
            with self.subTest(said), self.assertRaisesRegex(InputError, said):
                build()


class Strategies(unittest.TestCase):
    SPACE = Space([Parameter(name, tuple(range(4))) for name in "ABC"] + [Parameter("D", (0, 1))])

    def run_on(self, cost, strategy="greedy", seed=1, most=128, start=(0, 0, 0, 0)):
        batches = []

        def simulate(batch):
            batches.append(batch)
            return {one: cost(one) for one in batch}

        return search.run(strategy, self.SPACE, self.SPACE.all(), start, seed, most, simulate), batches

    def test_greedy_finds_the_minimum_of_a_bowl(self):
        def bowl(one):
            return (one[0] - 2)**2 + (one[1] - 3)**2 + (one[2] - 1)**2 + 5 * one[3]

        for start in self.SPACE.all():
            found, _ = self.run_on(bowl, most=24, start=start)
            self.assertEqual(min(found.values()), 0, start)

    def test_greedy_leaves_a_local_minimum(self):
        def two_valleys(one):  # (0, 0, 0, 0) costs 1 and all its neighbours more; (3, 3, 3, 1) costs 0
            return min(1 + 3 * sum(one), 2 * (sum(3 - value for value in one[:3]) + 1 - one[3]))

        found, _ = self.run_on(two_valleys)
        self.assertEqual(min(found, key=found.get), (3, 3, 3, 1))
        self.assertEqual(len(found), 128)  # goes on until all are known

    def test_greedy_goes_on_in_the_direction_that_gains(self):
        space = Space([Parameter("A", (0, 1, 2, 3, 4)), Parameter("B", (0, 1))])
        found = search.run("greedy", space, space.all(), (1, 0), 1, 6, lambda batch: {one: abs(one[0] - 3) + one[1] for one in batch})
        # B first, as it has fewer values: no gain. A: both neighbours, then upwards until it costs more.
        self.assertEqual(list(found), [(1, 0), (1, 1), (0, 0), (2, 0), (3, 0), (4, 0)])

    def test_greedy_changes_two_parameters_that_go_together(self):
        """B is legal with A only, and only both gain: a valley that single steps do not reach. The other parameters make no difference."""
        space = Space([Parameter(name, (0, 1)) for name in "ABCDEF"], ["A or not B"])

        def cost(one):
            return {(0, 0): 10, (1, 0): 12, (1, 1): 5}[one[:2]] + sum(one[2:])

        found = search.run("greedy", space, space.all(), (0, 0, 0, 0, 0, 0), 1, 7, lambda batch: {one: cost(one) for one in batch})
        self.assertEqual(list(found)[-1], (1, 1, 0, 0, 0, 0))  # after the start and five single changes: the tied pair
        self.assertEqual(min(found.values()), 5)

    def test_invalid_variants_are_passed_over(self):
        found, _ = self.run_on(lambda one: None if one[0] == 0 else float(sum(one)), most=40)
        valid = [cost for cost in found.values() if cost is not None]
        self.assertEqual(min(valid), 1)
        self.assertEqual(min(cost for cost in self.run_on(lambda one: None if one != (2, 1, 1, 0) else 1.0)[0].values() if cost), 1.0)

    def test_budget_order_and_seed(self):
        for strategy, most in itertools.product(search.STRATEGIES, (1, 7, 128)):
            found, batches = self.run_on(lambda one: hash(one) % 97, strategy, most=most)
            self.assertEqual(len(found), most)
            self.assertEqual(list(found), [one for batch in batches for one in batch])
            self.assertEqual(self.run_on(lambda one: hash(one) % 97, strategy, most=most)[0], found)
        self.assertEqual(list(self.run_on(sum, "all")[0]), self.SPACE.all())
        first, second = (list(self.run_on(sum, "random", seed=seed, most=10)[0]) for seed in (1, 2))
        self.assertNotEqual(first, second)
        self.assertEqual(first[:3], [one for _, one in sorted(zip(numbers(1), self.SPACE.all()))][:3])


def numbers(seed):
    import random
    generator = random.Random(seed)
    return [generator.random() for _ in range(128)]


class KernelTuner(unittest.TestCase):
    def file(self, name, content):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def problem(self, **changes):
        said = {"ConfigurationSpace": {"TuningParameters": [{"Name": "bx", "Type": "int", "Values": "[16, 32]"},
                                                            {"Name": "t", "Type": "int", "Values": "list(range(1, 4))"}],
                                       "Conditions": [{"Expression": "bx*t <= 64", "Parameters": ["bx", "t"]}]},
                "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 4}],
                "KernelSpecification": {"Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu", "CompilerOptions": ["-DQ=1"],
                                        "GlobalSize": {"X": "(4096 // bx) // t"}, "LocalSize": {"X": "bx", "Y": "1"}, "SharedMemory": 64,
                                        "Arguments": [{"Name": "c", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Constant",
                                                       "FillValue": 2.5},
                                                      {"Name": "a", "Type": "float", "MemoryType": "Vector", "Size": "4096", "FillType": "Random"},
                                                      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096}]}}
        said["KernelSpecification"].update(changes)
        return said

    def test_t1_is_read(self):
        schema("t1-1.0.0.json").validate(self.problem())
        found = kernel_tuner.Problem(str(self.file("t1.json", self.problem())))
        self.assertEqual([(one.name, one.values) for one in found.parameters], [("bx", (16, 32)), ("t", (1, 2, 3))])
        self.assertEqual((found.restrictions, found.budget, found.kernel.name), (["bx*t <= 64"], 4, "add.cu"))
        self.assertEqual(found.size_words({"bx": 32, "t": 2}), ["--grid", "64,1,1", "--local", "32,1,1"])
        self.assertEqual(found.options, ["--kernel", "add", "--arg", "c=count=4096,fill=constant(2.5)", "--arg", "a=count=4096,fill=random(1)",
                                         "--arg", "n=4096", "--dynamic-shared", "64", "--build-options", "-DQ=1"])

    def test_t1_that_is_none(self):
        for content, said in (("{", "not JSON"), ({}, "no 'ConfigurationSpace'"), (self.problem(GlobalSize={"X": "bx.real"}), "'bx.real'"),
                              (self.problem(GlobalSize={"X": "bx / 64"}), "expected whole numbers above 0"),
                              (self.problem(Arguments=[{"Name": "a", "Type": "float", "MemoryType": "Vector", "FillType": "BinaryRaw"}]),
                               "FillType BinaryRaw, expected Constant or Random")):
            path = self.file("t1.json", content)
            with self.subTest(said), self.assertRaisesRegex(InputError, said):
                kernel_tuner.Problem(str(path)).size_words({"bx": 16, "t": 1})

    def test_t1_is_written(self):
        space = Space([Parameter("TILE", (8, 16)), Parameter("V", ("a", "b"))], ["TILE*N >= 64"], constants={"N": 8})
        launch = {"kernel": "k", "global": ["ceil_div(N*100, TILE)*TILE", "N/2"], "local": ["TILE"]}
        arguments = [{"name": "n", "values": [7]}, {"name": "a", "count": 9, "fill": {"kind": "random"}}, {"name": "s", "local": True, "bytes": 64}]
        said = kernel_tuner.problem(space, pathlib.Path("k.cl"), launch, arguments, 3)
        schema("t1-1.0.0.json").validate(said)
        again = kernel_tuner.Problem(str(self.file("t1.json", said)))
        self.assertEqual([one.values for one in again.parameters], [(8, 16), ("a", "b")])
        self.assertEqual(again.size_words({"TILE": 16, "V": "a"}), ["--global", "800,4,1", "--local", "16,1,1"])
        self.assertEqual(again.size_words({"TILE": 48, "V": "a"})[1], "816,4,1")
        self.assertEqual(again.options, ["--kernel", "k", "--arg", "n=7", "--arg", "a=count=9,fill=random(1)", "--arg", "s=count=64",
                                         "--build-options", "-DN=8"])

    def test_t4_is_written_and_read(self):
        variants = [Variant({"T": 8, "local": "8x8"}, fixed={"l1_misses": 5, "l1_hit_rate": None}, timed={"cycles": 100}, milliseconds=0.5),
                    Variant({"T": 9, "local": "8x8"}, "compile", "k.cl:1:1: error: no")]
        said = kernel_tuner.results(variants, "cycles")
        schema("t4-1.0.0.json").validate(said)
        self.assertEqual(said["results"][0]["times"]["runtimes"], [0.5])
        self.assertEqual([row["invalidity"] for row in said["results"]], ["correct", "compile"])
        parameters, listed, measured = kernel_tuner.read_results(str(self.file("t4.json", said)))
        self.assertEqual(([one.name for one in parameters], listed, measured), (["T", "local"], [(8, "8x8"), (9, "8x8")], [100.0, None]))

    def test_the_schema_refuses_what_is_no_t4(self):
        good = kernel_tuner.results([Variant({"T": 8})], "cycles")
        for change in ({"invalidity": "broken"}, {"times": {"runtimes": ["fast"]}}, {"configuration": {}}, {"correctness": 0}):
            bad = {**good, "results": [{**good["results"][0], **change}]}
            self.assertFalse(schema("t4-1.0.0.json").is_valid(bad), change)
        self.assertFalse(schema("t4-1.0.0.json").is_valid({"results": []}))


class CommandLine(unittest.TestCase):
    KERNEL = str(support.SOURCE / "benchmarks/kernels/mm_tiled/mm_tiled.cl")

    def test_parameters_and_what_goes_to_trace_kernel(self):
        found = tune_options.parse([self.KERNEL, "-D", "TILE=8,16", "-DN=4", "--define=V=1-4*2", "--local", "8x8,16x16", "--carveout", "0,16",
                               "--what-if", "pad:tile=none,+1", "--global", "64,64", "--set", "cores=4"]).request
        self.assertEqual([(one.name, one.values, one.kind) for one in found.parameters],
                         [("TILE", (8, 16), "define"), ("V", (1, 2, 4), "define"), ("local", ("8x8", "16x16"), "local"),
                          ("carveout", (0, 16), "carveout"), ("pad_tile", ("none", "+1"), "change")])
        self.assertEqual((found.others, found.constants, found.changes), (["-D", "N=4", "--global", "64,64"], {"N": 4}, ("cores=4",)))

    def test_bad_ones_are_refused(self):
        for words, said in (([], "no kernel given"), (["none.cl"], "none.cl: no such file"), ([self.KERNEL, "-D"], "-D: has no value"),
                            ([self.KERNEL, "-D", "1=2,3"], "expected NAME=VALUE"), ([self.KERNEL, "--strategy", "x"], "expected one of all, random"),
                            ([self.KERNEL, "--seed", "-1"], "--seed -1: expected a whole number"), ([self.KERNEL, "--clock", "timed"], "expected one of both"),
                            ([self.KERNEL, "--what-if", "grow:a=1"], "expected CHANGE:OBJECT=VALUE"), ([self.KERNEL, "--list", "no.csv"], "no.csv: "),
                            ([self.KERNEL, "--gpu", "a", "--preset", "b"], "is given already")):
            with self.subTest(said), self.assertRaisesRegex(InputError, said):
                tune_options.parse(words)

    def test_rank_correlation(self):
        self.assertAlmostEqual(table.rank_correlation([(1, 10), (2, 20), (3, 30)]), 1)
        self.assertAlmostEqual(table.rank_correlation([(1, 3), (2, 2), (3, 1)]), -1)
        # By hand: ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3 about 1.5; products 2.25 + 0 + 0 + 2.25; squares 4.5 and 5.
        self.assertAlmostEqual(table.rank_correlation([(1, 1), (2, 2), (2, 3), (9, 4)]), 4.5 / (4.5 * 5)**0.5)
        self.assertIsNone(table.rank_correlation([(1, 1), (1, 2), (1, 3)]))


if __name__ == "__main__":
    unittest.main()
