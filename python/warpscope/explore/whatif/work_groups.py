"""what-if --work-group: runs the kernel of a capture again, with work-groups of another size.

A capture holds the source, the launch, scalars and the sizes of buffers, but not what is in them. So the kernel first runs as it was:
only if that gives the very same capture, its accesses do not depend on what is missing.
"""
import json
import math
import re
import shlex
import subprocess

from warpscope.base import children, toolchain
from warpscope.base.errors import InputError
from warpscope.run import simulation


def parse(text):
    """[x, y, z] of "32x8". Raises InputError."""
    if not re.fullmatch(r"[1-9]\d{0,4}(x[1-9]\d{0,4}){0,2}", text):
        raise InputError(f"--work-group {text}: expected WIDTH, WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH, for example --work-group 32x8")
    sizes = [int(part) for part in text.split("x")]
    return [*sizes, *[1] * (3 - len(sizes))]


def _refuse(size, why):
    raise InputError(f"--work-group {_text(size)}: {why}")


def _described(capture):
    return json.loads(toolchain.output("trace-view", capture, "--cfg", "--source", "--json", quiet=True))


def _launch(capture, size):
    """(the only launch of a capture of a kernel file, its buffers by id)."""
    described = _described(capture)
    launches = described["launches"]
    if " -- " in (described["file"].get("options") or ""):
        _refuse(size, f"{capture} is of a program, which chooses its sizes itself; expected a capture of a kernel file")
    if len(launches) != 1 or launches[0]["sampling"] != "all":
        _refuse(size, f"{capture} has {len(launches)} launches or only a part of one, expected all of one launch of a kernel file")
    launch = launches[0]
    executed = json.loads(toolchain.output("trace-view", capture, "--instructions", "--json", quiet=True))["launches"]
    if any(one.get("machine_code") for one in executed):
        _refuse(size, "its machine code was executed, and the capture does not hold what it needs to run again; record it with this size (trace-kernel --block) "
                      "and compare both")
    if any(whole % part for whole, part in zip(launch["global"], size)):
        _refuse(size, f"{_text(launch['global'])} work-items are no multiple of it, expected work-groups that divide them")
    return launch, {buffer["id"]: buffer for buffer in described["buffers"]}


def _first_error(messages):
    """The compiler's message of all that compile-kernel says."""
    lines = messages.strip().splitlines() or ["?"]
    return next((line for line in lines if "error: " in line), lines[0])


def _signature(source, launch, size):
    """The kernel's parameters, as compile-kernel --signatures has them."""
    words = shlex.split(launch["build_options"])
    done = children.run(toolchain.command("compile-kernel", source, "--signatures", *(["--", *words] if words else [])), stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        _refuse(size, f"the source in the capture does not compile alone ({_first_error(done.stderr)}), expected one "
                      "file")
    kernel = next(one for one in json.loads(done.stdout)["kernels"] if one["name"] == launch["kernel"])
    required = kernel.get("reqd_work_group_size")
    if required and list(required) != size:
        _refuse(size, f"kernel {launch['kernel']} requires work-groups of {_text(required)} (reqd_work_group_size)")
    return kernel


def _argument(given, buffers):
    if "buffer" in given:
        return {"bytes": buffers[given["buffer"]]["size"]} if given["buffer"] else {"null": True}
    return given["value"]


def _launch_file(launch, parameters, buffers, local):
    args = {}
    for parameter, given in zip(parameters, launch["arguments"]):
        is_local = parameter["address_space"] == "local"
        args[parameter["name"]] = {"local": int(given["value"])} if is_local else _argument(given, buffers)
    dimensions = launch["dimensions"]
    text = {"kernel": launch["kernel"], "global": launch["global"][:dimensions], "local": local[:dimensions], "args": args}
    if any(launch["offset"]):
        text["offset"] = launch["offset"][:dimensions]
    if launch["build_options"]:
        text["build_options"] = launch["build_options"]
    return json.dumps(text)


def _captured(source, launch, description, path, size):
    """Runs the kernel; what trace-kernel says is shown only where it fails."""
    source.with_suffix(".launch").write_text(description, encoding="utf-8")  # trace-kernel looks there
    words = toolchain.command("trace-kernel", source, "--optimize", launch["optimize"], "-o", path)
    done = children.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # Status 3 also when it accesses memory outside its buffers, as it does with other content.
    if done.returncode not in simulation.FINE or not path.exists():
        lines = [line for line in done.stderr.splitlines() if line.startswith("trace-kernel: ")] or done.stderr.splitlines() or ["it failed"]
        _refuse(size, f"the kernel cannot run so: {lines[-1].removeprefix('trace-kernel: ')}")
    return path


def identity(capture):
    return json.loads(toolchain.output("trace-view", capture, "--json", quiet=True))["capture"]


def again(capture, size, folder):
    """(path of the capture with work-groups of `size` ([x, y, z]), what was done as a line, what to know as a line). Raises InputError
    where the kernel cannot run again, or not so."""
    launch, buffers = _launch(capture, size)
    if launch["local"] == size:
        _refuse(size, "is the size that it has, expected another one")
    source = folder / launch["source_name"]
    source.write_text(launch["source"], encoding="utf-8")
    parameters = _signature(source, launch, size)["parameters"]
    same = _captured(source, launch, _launch_file(launch, parameters, buffers, launch["local"]), folder / "same.wtrace", size)
    if identity(same) != identity(capture):
        _refuse(size, "the kernel run again makes other accesses: they depend on the content of its buffers, which the capture does not "
                      "hold; capture it with this size (trace-kernel --local) and compare both")
    path = _captured(source, launch, _launch_file(launch, parameters, buffers, size), folder / "other.wtrace", size)
    before, after = _text(launch["local"]), _text(size)
    groups = math.prod(launch["global"]) // math.prod(size)
    return (path, f"kernel {launch['kernel']} ran again: work-groups of {before} become work-groups of {after}, {groups:,} of them",
            f"whether the kernel computes the same with work-groups of {after}: its source may assume {before}")


def _text(sizes):
    """32x8 of [32, 8, 1]."""
    shown = sizes[:max((at + 1 for at, one in enumerate(sizes) if one > 1), default=1)]
    return "x".join(map(str, shown))
