"""Real kernels: the transpositions lead from one to the next. With WARPSCOPE_ADVICE_ALL=1 the whole page validation/notes/advice.md is what
validation/advice finds today."""
import os
import subprocess
import sys
import tempfile
import unittest

import planted


class Real(unittest.TestCase):
    def summary(self, kernel):
        with tempfile.TemporaryDirectory() as folder:
            source = planted.SOURCE / "benchmarks" / "kernels" / kernel / f"{kernel}.cl"
            planted.run(planted.BIN / "trace-kernel", source, "-o", "real.wtrace", folder=folder)
            return planted.simulate("real.wtrace", "gtx480", folder)

    def test_transpositions(self):
        """mt stores columns; mt_tiled reads columns of a tile; mt_padded does neither."""
        for kernel, rule, line in (("mt", "column-wise", 5), ("mt_tiled", "bank-conflicts", 12)):
            result, text = self.summary(kernel)
            first = planted.findings(result)[0]
            self.assertEqual((first.advice["rule"], first.access.line), (rule, line), text)
        result, text = self.summary("mt_padded")
        self.assertEqual(result["advice"]["given"], [], text)

    def test_the_page(self):
        if "WARPSCOPE_ADVICE_ALL" not in os.environ:
            return  # it takes minutes
        done = subprocess.run([sys.executable, planted.SOURCE / "validation" / "advice", "--check"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.rstrip(), (planted.SOURCE / "validation" / "notes" / "advice.md").read_text(encoding="utf-8").rstrip())


if __name__ == "__main__":
    unittest.main()
