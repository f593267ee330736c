"""passes/plugin/OwnNames.cpp lists all functions of our CUDA headers that stand for hardware, and no others."""
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
HEADERS = SOURCE / "passes" / "cuda" / "include"
PREFIX = "__warpscope_"


class OwnNames(unittest.TestCase):
    def test_list(self):
        """All are defined in every file, whatever it includes, so a kernel's own function of such a name is defined twice."""
        listed = re.search(r"InHeaders\[\] = \{(.*?)\};", (SOURCE / "passes" / "plugin" / "OwnNames.cpp").read_text(), re.DOTALL)[1]
        for includes in (), ("cooperative_groups.h", "mma.h", "cuda_fp16.h", "cuda_bf16.h"):
            found = self.defined(includes)
            self.assertGreater(len(found), 20)
            self.assertEqual(sorted(found), re.findall(r'"(\w+)"', listed))

    def defined(self, includes):
        with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
            file.write("".join(f"#include <{name}>\n" for name in includes))
            file.flush()
            text = subprocess.run(["clang-15", "-x", "hip", "--cuda-device-only", "--offload=spirv64-unknown-unknown", "-nogpuinc", "-nogpulib", "-std=c++17",
                                   "-U__HIP__", "-D__CUDA__", "-D__CUDACC__", "-D__CUDA_ARCH__=800", "-isystem", HEADERS, "-include", HEADERS / "cuda_runtime.h",
                                   "-E", "-P", file.name], check=True, stdout=subprocess.PIPE, text=True).stdout
        return re.findall(r'extern "C" inline __attribute__\(\(device, noinline, nodebug, convergent, used\)\)[^{;(]*?\b' + PREFIX + r"(\w+)\s*\(", text)


if __name__ == "__main__":
    unittest.main()
