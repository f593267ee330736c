"""The tools that clients may call: their arguments, the command that each is, and how its answer is read."""
import dataclasses
import json
import re
from typing import Any, Callable

from warpscope.base.errors import InputError
from warpscope.serve import answers
from warpscope.serve.schemas import KERNEL, of, text, texts

OURS = ("--json", "--sarif", "--output", "-o", "--html")  # options that say where answers go
MOST_STRUCTURED = 4000  # bytes of structured content


@dataclasses.dataclass(frozen=True)
class Tool:
    """`words`: of `warpscope`, from arguments and the folder of the answers; `answer`: (text, structured content) from how it ended, or None
    where the program failed."""

    title: str
    description: str
    schema: dict[str, Any]
    words: Callable[..., list[str]]
    answer: Callable[..., Any]

    def listed(self, name):
        return {"name": name, "title": self.title, "description": self.description, "inputSchema": self.schema}


def _kernel_words(given):
    """The kernel or program of a call, in front of and behind the options."""
    if ("file" in given) == ("program" in given):
        raise InputError("expected a file or a program, and not both")
    words = []
    for name in ("kernel", "global", "local", "gpu"):
        words += [f"--{name}={given[name]}"] if name in given else []
    for argument in given.get("args", ()):
        words.append(f"--arg={argument}")
    options = given.get("options", [])
    refuse_ours(options)
    if "--" in options:
        raise InputError("options: '--' is not an option, expected the program as program")
    if "program" in given:
        if not given["program"]:
            raise InputError("program: is empty, expected a program and its arguments")
        return [], [*words, *options], ["--", *given["program"]]
    return [path(given["file"])], [*words, *options], []


def path(name):
    """A file's name that no command takes for an option."""
    if not name:
        raise InputError("a file's name is empty")
    return f"./{name}" if name.startswith("-") else name


def refuse_ours(words):
    if ours := next((word for word in words if word.partition("=")[0] in OURS), None):
        raise InputError(f"options: {ours} is not an option here, answers go to the server's folder")


def _json(file):
    """A file that the program wrote; None if it did not."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _files(*paths):
    return {file.name: str(file) for file in paths if file.exists()}


def _check_words(given, folder):
    first, middle, last = _kernel_words(given)
    more = [f"--tools={given['tools']}"] if "tools" in given else []
    return ["check", *first, *middle, *more, f"--fail-on={given.get('fail_on', 'error')}", f"--json={folder / 'faults.json'}",
            f"--sarif={folder / 'faults.sarif'}", *last]


def _check_answer(ended, folder, given):
    report = _json(folder / "faults.json")
    if report is None:
        return None
    structured = {"status": ended.status, "passed": ended.status == 0, "counts": report["counts"], "checked": report["checked"],
                  "faults": [{key: fault[key] for key in ("code", "level", "kernel", "text", "remedy", "count") if key in fault} |
                             {"at": [f"{access.get('file')}:{access.get('line')}" for access in fault["accesses"]]} for fault in report["faults"]],
                  "files": _files(folder / "faults.json", folder / "faults.sarif", ended.output)}
    return ended.text(), structured


def _profile_words(given, folder):
    first, middle, last = _kernel_words(given)
    return [*first, *middle, f"--clock={given.get('clock', 'auto')}", "--no-plots", f"--output={folder / 'report'}", *last]


def _profile_answer(ended, folder, given):
    result = _json(folder / "report" / "result.json")
    if result is None:
        return None
    names = ("requests", "sectors", "transactions", "hits", "sector_misses", "misses", "wavefronts")
    timed = result.get("timed") or {}
    captures = sorted((folder / "report").glob("*.wtrace"))
    structured = {"status": ended.status, **{kind: {name: result["total"][kind][name] for name in names} for kind in ("load", "store", "atomic")},
                  "cycles": timed.get("total", {}).get("timing", {}).get("cycles"), "kernels": result["kernels"],
                  "files": _files(*(folder / "report" / name for name in ("result.json", "report.html", "report.txt")), *captures)}
    return ended.text(), structured


def _what_if_words(given, folder):
    words = given["changes"]
    refuse_ours(words)
    for word in words:
        if word == "--":
            raise InputError("changes: '--' is no change")
    more = [f"--{name}={given[name]}" for name in ("gpu", "clock", "kernel") if name in given]
    return ["what-if", path(given["capture"]), *words, *more, f"--json={folder / 'comparison.json'}"]


def _what_if_answer(ended, folder, given):
    comparison = _json(folder / "comparison.json")
    return None if comparison is None else (ended.text(), {"status": ended.status, "comparison": comparison,
                                                           "files": _files(folder / "comparison.json", ended.output)})


def _judge_words(given, folder):
    words = [path(given["candidate"]), f"--reference={given['reference']}", f"--json={folder / 'verdict.json'}"]
    for argument, option in (("gpu", "--gpu"), ("at_least", "--at-least"), ("seed", "--seed"), ("sizes", "--sizes"), ("tolerance", "--tolerance"),
                             ("candidate_options", "--candidate-options")):
        words += [f"{option}={given[argument]}"] if argument in given else []
    words += [option for name, option in (("exact", "--exact"), ("no_cost", "--no-cost")) if given.get(name)]
    options = given.get("options", [])
    refuse_ours(options)
    return ["judge", *words, *options]


def _judge_answer(ended, folder, given):
    verdict = _json(folder / "verdict.json")
    if verdict is None:
        return None
    structured = {"status": ended.status, "accepted": verdict["verdict"] == "accepted",
                  **{name: verdict[name] for name in ("reasons", "cost", "seed", "sizes", "left_out", "checked")},
                  "files": _files(folder / "verdict.json", ended.output)}
    return ended.text(), structured


def _gpus_words(given, folder):
    return ["--list-presets"]


def _gpus_answer(ended, folder, given):
    found = dict(re.findall(r"(?m)^([a-z0-9]\S*)\s+(.*\S)", ended.text()))
    wanted = given.get("contains", "").lower()
    found = {name: about for name, about in found.items() if wanted in f"{name} {about}".lower()}
    if not found:
        raise InputError(f"contains: no GPU has '{given['contains']}' in its name")
    return "\n".join(f"{name}: {about}" for name, about in found.items()), {"gpus": list(found)}


TOOLS = {
    "judge": Tool(
        "Judge a kernel", "Whether a candidate kernel computes what a reference does, on inputs that it cannot know and in several sizes, without faults, and "
        "what both cost on a GPU. No GPU is needed; the same input gets the same verdict. A refusal is an answer, not an error: see accepted and the reasons.",
        of({"candidate": text("the kernel to be judged: .cl, .cu, .ptx, .cubin"),
            "reference": text("what is right: a kernel, or FILE.py:FUNCTION"), "directory": KERNEL["directory"], "gpu": KERNEL["gpu"],
            "at_least": text("refuse what is not shown to be this much faster than the reference: 1.1x"),
            "seed": text("repeats the inputs of an earlier verdict"), "sizes": text("sizes of the launch file: small,odd,default"),
            "tolerance": text("numbers may be off by this part, such as 1e-5"), "exact": {"type": "boolean", "description": "numbers have to be equal bit by bit"},
            "no_cost": {"type": "boolean", "description": "only whether it is right: takes less time"},
            "candidate_options": text("options of trace-kernel for the candidate alone: -D TILE=32 --local 32,8"),
            "options": texts("further words for both kernels, such as --global, 512,512")}, ("candidate", "reference")), _judge_words, _judge_answer),
    "check": Tool(
        "Find faults", "What a kernel or program does wrong, without a GPU: accesses out of bounds, races in shared and global memory, shared memory read "
        "before it is written, divergent barriers. With source lines, threads and remedies.",
        of({**KERNEL, "tools": text("some of memcheck,racecheck,initcheck,synccheck (default all)"),
            "fail_on": text("the level from which passed is false", enum=["error", "warning", "information", "never"])}), _check_words, _check_answer),
    "profile": Tool(
        "Profile a kernel", "How a kernel or program uses a GPU's memories and how many cycles it takes, simulated: requests, sectors, hit rates, bank conflicts, "
        "occupancy, findings and advice whose gains were simulated, too. Leaves a capture that what_if takes.",
        of({**KERNEL, "clock": text("fixed: counts only, faster; timed, both: cycles, however long that takes", enum=["auto", "fixed", "timed", "both"])}),
        _profile_words, _profile_answer),
    "what_if": Tool(
        "Try another layout or machine", "What another data layout, order of work-groups or GPU setting would change, simulated from a capture that profile left.",
        of({"capture": text("a .wtrace of profile"), "changes": texts("such as --pad, tile=+1 or --set, l1_size_kib=48; --transpose, --split, --groups, --align, "
                                                                      "--swizzle, --bypass"),
            "directory": KERNEL["directory"], "gpu": KERNEL["gpu"], "kernel": KERNEL["kernel"],
            "clock": text("as of profile", enum=["auto", "fixed", "timed", "both"])}, ("capture", "changes")), _what_if_words, _what_if_answer),
    "list_gpus": Tool("List GPUs", "The GPUs that other tools take as gpu.", of({"contains": text("only those with this in name or description")}),
                      _gpus_words, _gpus_answer)}
