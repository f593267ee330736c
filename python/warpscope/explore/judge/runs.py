"""Runs a kernel on given contents, under limits, and keeps what it left in its buffers."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import signal
from typing import Any, Container, Mapping, Optional, Sequence

import numpy

from warpscope.base import toolchain
from warpscope.base.errors import InputError, ToolFailed, why_of
from warpscope.explore.faults import find
from warpscope.explore.judge import contents
from warpscope.run import confined, kept, limited, record, simulation

NOTHING = ("--work-groups", "0", "--limit-size", "1G")  # recorded of a run whose values alone are wanted
ARGUMENT = "--arg"
UNWRITTEN = ".unwritten"
GEOMETRY = ("--global", "--local", "--grid", "--block")
OUR_NAMES = b"__warpscope_"
NO_SOURCE = (".launch", ".ptx", ".cubin", ".bin")
LIMIT = (-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 128 + signal.SIGKILL)


def without_geometry(words: Sequence[str]) -> list[str]:
    """The words without the options of GEOMETRY and their values."""
    left, skips = [], False
    for word in words:
        if not skips and word.partition("=")[0] not in GEOMETRY:
            left.append(word)
        skips = not skips and word in GEOMETRY
    return left


def without_arguments(words: Sequence[str], names: Container[str]) -> tuple[list[str], dict[str, str]]:
    """(the words without --arg of these names, {name: "type=…," where that said one})."""
    left: list[str] = []
    types = {}
    for word in words:
        is_value = bool(left) and left[-1] == ARGUMENT
        text = word if is_value else word.removeprefix(f"{ARGUMENT}=") if word.startswith(f"{ARGUMENT}=") else ""
        name, _, said = text.partition("=")
        if not text or name not in names:
            left.append(word)
            continue
        if is_value:
            left.pop()
        types.update({name: f"{part}," for part in said.split(",") if part.startswith("type=")})
    return left, types


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel file and what trace-kernel is told about its launch. `role` for messages; `confined`: under the limits of `confine`."""

    role: str
    path: pathlib.Path
    words: Sequence[str]
    gpu: str
    confined: bool
    cpu_seconds: int

    def command(self, size: Sequence[str], given: Mapping[str, pathlib.Path]) -> list[str]:
        """Of trace-kernel. What a size says of the launch replaces what the user says, and `given`, files with the contents of buffers by name,
        what the user says of these."""
        own = without_geometry(self.words) if "--global" in size else list(self.words)
        own, types = without_arguments(own, given)
        for name, path in given.items():
            own += ["--arg", f"{name}=bytes={path.stat().st_size},{types.get(name, '')}fill={'none' if path.suffix == UNWRITTEN else 'file'}:{path}"]
        words = record.machine_words(self.path, [*own, *size], self.gpu)
        return toolchain.command("trace-kernel", self.path, *words, "--threads", "1")


@dataclasses.dataclass(frozen=True)
class Run:
    """What a run left. `launch`: as launch.json of --dump-buffers has it, None where the kernel did not end; `faults`: what stopped it or was outside
    of its buffers, as find.of_messages() has them; `other`: why something of it could not be traced; `limit`: it was ended by a limit of time;
    `outside`: the first access outside of every buffer, of a recorded run, as trace-kernel names it."""

    folder: pathlib.Path
    capture: pathlib.Path
    launch: Optional[dict[str, Any]]
    faults: Sequence[dict[str, Any]]
    other: Sequence[str]
    limit: bool = False
    outside: str = ""

    def bytes_of(self, name: str) -> bytes:
        return (self.folder / f"{name}.bin").read_bytes()

    def numbers_of(self, argument: Mapping[str, Any]) -> Any:
        """A buffer's content as an array of its numbers; of a structure's as bytes."""
        return numpy.frombuffer(self.bytes_of(argument["name"]), contents.number_type(argument["element"]) or "u1")

    def buffers(self) -> dict[str, dict[str, Any]]:
        """The buffers by name; {} of a kernel that did not end."""
        return {one["name"]: one for one in (self.launch or {}).get("arguments", ()) if one["kind"] == "buffer" and not one.get("null")}


def _launch_files(words: Sequence[str]) -> list[pathlib.Path]:
    named = [after for word, after in zip(words, words[1:]) if word == "--launch-file"]
    named += [word.partition("=")[2] for word in words if word.startswith("--launch-file=")]
    return [pathlib.Path(name).absolute() for name in named]


def sources(path: pathlib.Path, words: Sequence[str] = ()) -> list[pathlib.Path]:
    """The files of which a kernel and its launch are made: the kernel's, what it includes with "...", its launch file and those that `words` name, and
    what these fill buffers from."""
    return kept.with_includes([path, path.with_suffix(".launch"), *_launch_files(words)])


def refuse_our_names(path: pathlib.Path, words: Sequence[str]) -> None:
    """Raises InputError where a source has a name that begins like those of functions that are not traced, for which the hardware is simulated."""
    for one in sources(path, words):
        if one.suffix not in NO_SOURCE and OUR_NAMES in re.sub(rb'\\\r?\n|"\s*"', b"", one.read_bytes()):
            raise InputError(f"{one}: {OUR_NAMES.decode()}… are names of Warpscope's own functions, expected others")


def _readable(kernel: Kernel) -> list[pathlib.Path]:
    """What a kernel may read. A candidate gets no file that does not count for its seed, so it cannot bring answers along in one."""
    if kernel.role != "candidate":
        return [kernel.path.parent, *(path.parent for path in _launch_files(kernel.words))]
    named = re.findall(r"(?:^|\s)-I\s*(\S+)", " ".join(kernel.words))  # the user's own folders
    return [*sources(kernel.path, kernel.words), *(path for path in map(pathlib.Path, named) if path.exists())]


def _given(folder: pathlib.Path, inputs: Mapping[str, bytes]) -> dict[str, pathlib.Path]:
    """{name: file with the content}; of what nobody has written with the suffix UNWRITTEN."""
    files = {name: folder / (name + (UNWRITTEN if isinstance(content, contents.Poison) else ".in")) for name, content in inputs.items()}
    for name, content in inputs.items():
        files[name].write_bytes(content)
    return files


def _refused(kernel: Kernel, status: int, messages: str) -> None:
    """Raises what is not the kernel's doing at run time: bad input, or what ended us."""
    if status == 2:
        lines = "\n".join(line for line in messages.splitlines() if "inferred:" not in line)
        raise InputError(f"the {kernel.role}: {why_of(lines).removeprefix('trace-kernel: ')}")
    if status in (-signal.SIGINT, -signal.SIGTERM):
        raise ToolFailed(128 - status)


def run(kernel: Kernel, size: Sequence[str], inputs: Mapping[str, bytes], folder: pathlib.Path, recorded: bool = False, words: Sequence[str] = ()) -> Run:
    """Runs a kernel once, in `folder`, next to which its other runs are. `inputs`: contents of buffers by name, instead of those of the launch file; `recorded`: with a capture; `words`: more for
    trace-kernel. Raises InputError for what is wrong with the files or the launch."""
    folder.mkdir(parents=True)
    capture = folder / "run.wtrace"
    command = [*kernel.command(size, _given(folder, inputs)), *([] if recorded else NOTHING), *words, "-o", str(capture), "--dump-buffers", str(folder)]
    if kernel.confined:
        command = confined.command(command, folder.parent, _readable(kernel), kernel.cpu_seconds)
    done = limited.run(command, confined.environment(folder.parent))
    messages = done.messages.decode("utf-8", "replace").replace(f"{folder}/", "")
    _refused(kernel, done.status, messages)
    if done.status in LIMIT:
        return Run(folder, capture, None, [], [], limit=True)
    said, other = find.of_messages(messages)
    description = folder / "launch.json"
    launch = json.loads(description.read_text(encoding="utf-8")) if description.exists() else None
    if done.status not in simulation.FINE and not said:
        said = [crash(kernel, done.status, messages)]
    outside = next((line.strip().removeprefix("trace-kernel: ") for line in messages.splitlines() if find.IN_CAPTURE in line), "")
    return Run(folder, capture, launch, said, other if done.status == simulation.EXIT_NOT_TRACEABLE and not said else [], outside=outside)


def crash(kernel: Kernel, status: int, messages: str) -> dict[str, Any]:
    """A fault for a process that ended in a way that trace-kernel has no words for."""
    how = f"signal {-status if status < 0 else status - 128}" if status < 0 or status > 128 else f"exit status {status}"
    last = messages.strip().splitlines()[-1:] or [""]
    return {"code": "crash", "tool": "memcheck", "level": "error", "kernel": "", "accesses": [], "object": "", "offset": 0, "launch": 0, "count": 1, "cuda": False,
            "text": f"{kernel.path.name} ended with {how}" + (f": {last[0]}" if last[0] else ""), "remedy": ""}
