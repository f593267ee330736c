"""What the tests of warpscope model on captures share."""
import json

from support import ToolTest


class Captured(ToolTest):
    def model(self, model, gpu, source, *words):
        return json.loads(self.run_tool("warpscope", "model", "--model", model, "--gpu", gpu, source, *words, "--json", "-"))

    def values(self, *words):
        return {name: entry["value"] for name, entry in self.model(*words)["inputs"].items()}

    def parts(self, content):
        return {part["name"]: part["value"] for part in content["parts"]}
