"""The text of committed machine code is that of nvdisasm 11.8: its digests are in data/kernels/expected.tsv; where it is found, itself."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests" / "machine")]
import disassembler  # noqa: E402
from support import BIN  # noqa: E402

KERNELS = SOURCE / "tests" / "unit" / "machine" / "data" / "kernels"
PROGRAM = str(BIN / "machine-code")


def rows(name):
    lines = (KERNELS / name).read_text().splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


class Text(unittest.TestCase):
    def test_every_instruction_has_the_text_that_nvdisasm_printed(self):
        expected = rows("expected.tsv")
        self.assertEqual(sorted(row["file"] for row in expected), sorted(str(path.relative_to(KERNELS)) for path in KERNELS.glob("*/*.cubin")))
        for row in expected:
            architecture, words = disassembler.words_of(KERNELS / row["file"])
            texts = [disassembler.in_form_of_11_8(text, architecture) for text in disassembler.ours(PROGRAM, architecture, words)
                     if disassembler.name_of(text) not in disassembler.UNKNOWN_TO_11_8]
            self.assertEqual((str(len(texts)), disassembler.digest_of(texts)), (row["words"], row["digest"]), row["file"])

    @unittest.skipUnless(disassembler.find(), "no nvdisasm of CUDA 11.8 in $CUDA_HOME/bin or on PATH")
    def test_nvdisasm_prints_the_same_NeedsCudaToolkit(self):
        for path in sorted(KERNELS.glob("*/*.cubin")):
            compared, found = disassembler.differences(PROGRAM, disassembler.find(), path)
            self.assertGreater(compared, 10)
            self.assertEqual(found, [], path)


class Resources(unittest.TestCase):
    def test_they_are_what_ptxas_said(self):
        for row in rows("resources.tsv"):
            done = subprocess.run([PROGRAM, str(KERNELS / row["file"]), "--json"], capture_output=True, text=True, check=True)
            functions = {one["name"]: one for one in json.loads(done.stdout)["functions"]}
            found = functions[row["kernel"]]
            for key in ("registers", "stack_bytes", "shared_bytes", "constant_bytes"):
                if row[key]:
                    self.assertEqual(str(found[key]), row[key], f"{row['file']} {row['kernel']} {key}")

    def test_no_file_has_a_path_in_it(self):
        for path in KERNELS.glob("*/*.cubin"):
            self.assertIsNone(re.search(rb"/(home|root|tmp|usr|work)/", path.read_bytes()), path)


if __name__ == "__main__":
    unittest.main()
