"""What the tests of CUDA kernels share."""
import json
import struct

import launches  # noqa: F401  (finds support)
from support import ToolTest


class CudaTest(ToolTest):
    def write(self, text, name="k.cu"):
        (self.folder / name).write_text(text, encoding="ascii")

    def trace(self, *words, name="k.cu"):
        self.run_tool("trace-kernel", name, *words, "-o", "k.wtrace", "--verify", "--dump-buffers", "buffers")

    def sites(self):
        launch = json.loads(self.run_tool("trace-view", "--sites", "--json", "k.wtrace"))["launches"][0]
        return [(site["kind"], site["space"], site["executions"]) for site in launch["sites"] if site["executions"]]

    def buffer(self, name, code="i"):
        content = (self.folder / "buffers" / f"{name}.bin").read_bytes()
        return list(struct.unpack(f"<{len(content) // struct.calcsize(code)}{code}", content))
