"""What a kernel has that another may not have: kinds of accesses, where addresses come from, instructions, statements."""
import json
import re
import subprocess

from launches import BIN, Launch
from support import captures

STATEMENTS = re.compile(r"\b(goto|switch|do|while|for|break|continue|return|struct|inline|static|volatile|__constant|double|long|ulong|u?char|u?short)\b")
VECTORS = re.compile(r"\b(?:float|int|uint)\d+\b")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def _launch(name, what):
    path = captures.capture(name, *Launch(name).options)
    done = subprocess.run([BIN / "trace-view", what, "--json", path], capture_output=True, check=True)
    return json.loads(done.stdout)["launches"][0]


def features_of(name):
    """Of a kernel's small launch, as words."""
    launch, graph = _launch(name, "--sites"), _launch(name, "--cfg")
    found = {f"{launch['dimensions']} dimensions"} | ({"dynamic local memory"} if launch["dynamic_local_bytes"] else set())
    for site in (site for site in launch["sites"] if site["executions"]):
        found.add(" ".join(str(site[key]) for key in ("kind", "space", "width", "operation") if site.get(key)))
        found |= {f"address from {source}" for source in site.get("address_from", ())}
        found.add(f"object {site.get('object', {}).get('kind', 'unknown')}")
    found |= {f"instruction {kind}" for block in graph["blocks"] for kind in block["mix"]}
    branches = [block for block in graph["blocks"] if len(block["successors"]) > 1]
    found |= {f"branch on {('no site', 'one site', 'several sites')[min(len(block.get('branch_from', [])), 2)]}" for block in branches}
    found |= {f"{len(block['successors'])} successors" for block in graph["blocks"]}
    source = COMMENTS.sub("", Launch(name).source.read_text(encoding="utf-8"))
    return found | set(STATEMENTS.findall(source)) | set(VECTORS.findall(source))
