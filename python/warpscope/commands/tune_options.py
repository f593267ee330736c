"""The command line of `warpscope tune`: its words become a Request."""
from __future__ import annotations

import csv
import pathlib
import re
from dataclasses import dataclass, field
from typing import Optional

from warpscope.base import csv_cells
from warpscope.base.errors import InputError, reason
from warpscope.base.inputs import read_bytes
from warpscope.base.options import MANY, ONCE, Option, Options, given_twice, no_value
from warpscope.explore.models.sweep import RANGE
from warpscope.explore.tuning import kernel_tuner
from warpscope.explore.tuning.request import Request
from warpscope.explore.tuning.search import STRATEGIES
from warpscope.explore.tuning.space import Configuration, Parameter, local_size, number_or_text, values
from warpscope.explore.tuning.variants import CLOCKS

OPTIONS = Options(
    Option("-D", "NAME=LIST", "a macro; with a single value it is the same for all variants", kind=MANY, hidden="--define"),
    Option("--local", "SIZE,SIZE...", "the work-group's size: 8x8,16x16,32x8", kind=MANY, hidden="--block"),
    Option("--carveout", "LIST", "KiB that local memory has of a memory that it shares with the L1", kind=MANY, rare=True),
    Option("--what-if", "CHANGE:OBJECT=VALUE,VALUE...", "a change of warpscope what-if; the value none changes nothing: pad:tile=none,+1",
           kind=MANY),
    Option("--list", "FILE", "instead of these: the variants in a CSV file with a line of names, or in Kernel Tuner's T4 JSON", rare=True),
    Option("--t1", "FILE", "instead of all: parameters, conditions and kernel of Kernel Tuner's T1 JSON", rare=True),
    Option("--restrict", "EXPRESSION", "only variants for which it is true: 'TILE*TILE <= 1024'. Knows parameters, macros of the launch file, and\n"
           "gx gy gz lx ly lz (global and local size); may be repeated", kind=MANY),
    "Search:",
    Option("--by", "MODEL[@GPU],...", "the model whose predicted time is to be small: hong-kim, dasgupta, gpuperf, spt or roofline, on --gpu or on its\n"
           "own GPU (warpscope model --rank --help). Others after it, and the cycles, are compared with it"),
    Option("--strategy", "STRATEGY", "all; random; greedy: hill climbing over neighbouring values, with new starts (default: all if\n"
           "--max-simulations allows it, else greedy)"),
    Option("--max-simulations", "N", "of how many variants (default: all)"),
    Option("--seed", "S", "of random and greedy (default 1)", default="1", rare=True),
    Option("--objective", "NAME", "what is to be small: cycles, or another measure of warpscope what-if, such as l1_misses\n"
           "(default: the first of --by, else cycles, with --clock fixed l1_to_l2_read_sectors)"),
    "Simulation:",
    Option("--gpu", "GPU", "a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)", hidden="--preset"),
    Option("--set", "KEY=VALUE", "another value for a key of the GPU; may be repeated", kind=MANY, rare=True),
    Option("--clock", "CLOCK", "both (default), or fixed: only the fixed order, which is faster and knows no cycles", default="both"),
    Option("--jobs", "N", "variants at a time (default: the processors of this machine)", rare=True),
    "Results:",
    Option("--output", "FOLDER", "answers, results.json (T4) and results.csv (default warpscope-tune-NAME). What is there is not simulated\n"
           "again: a run that was stopped goes on", alias="-o"),
    (Option("--t4", "FILE", rare=True),
     Option("--csv", "FILE", "results.json or results.csv, elsewhere, too", rare=True)),
    Option("--write-t1", "FILE", "the problem as T1 JSON", rare=True),
    Option("--top", "N", "rows of the table (default 10)", default="10", rare=True),
    column=27)
CHANGES = ("pad", "pitch", "align", "offset", "swizzle", "split", "transpose", "groups", "bypass")
LEAST = {"--max-simulations": 1, "--seed": 0, "--jobs": 1, "--top": 1}  # whole numbers, from these on


@dataclass
class Words:
    """The command line: the request that its words fill, and the options that are given once, by their names."""

    request: Request = field(default_factory=Request)
    given: dict[str, str] = field(default_factory=dict)
    top: int = 10  # rows of the table

    def number(self, name: str) -> Optional[int]:
        """The whole number that an option has; None without it. Raises InputError."""
        text = self.given.get(name)
        if text is None:
            return None
        if not text.isdecimal() or not LEAST[name] <= int(text) <= 10**9:
            raise InputError(f"{name} {text}: expected a whole number from {LEAST[name]} on")
        return int(text)


def define(request: Request, text: str) -> None:
    """-D NAME=VALUE: fixed; -D NAME=VALUE,VALUE: a parameter."""
    name, equals, said = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise InputError(f"-D {text}: expected NAME=VALUE, or NAME=VALUE,VALUE for a parameter")
    if equals and ("," in said or RANGE.fullmatch(said)):
        request.parameters.append(Parameter(name, tuple(values(said))))
        return
    request.others += ["-D", text]
    request.constants[name] = number_or_text(said) if equals else 1


def change(request: Request, text: str) -> None:
    """--what-if CHANGE:OBJECT=VALUE,VALUE"""
    matched = re.fullmatch(r"(?:--)?([a-z]+):([^=]+)=(.+)", text)
    if not matched or matched[1] not in CHANGES:
        raise InputError(f"--what-if {text}: expected CHANGE:OBJECT=VALUE,VALUE such as pad:tile=none,+1; changes are {', '.join(CHANGES)}")
    name = re.sub(r"\W", "_", f"{matched[1]}_{matched[2]}")
    request.parameters.append(Parameter(name, tuple(matched[3].split(",")), "change", matched[1], matched[2]))


def take(words: Words, name: str, value: str) -> bool:
    """An option of ours; False if it is none."""
    request = words.request
    if name == "-D":
        define(request, value)
    elif name == "--restrict":
        request.restrictions.append(value)
    elif name == "--what-if":
        change(request, value)
    elif name == "--set":
        request.changes = (*request.changes, value)
    elif name in ("--local", "--block") and ("x" in value or "," not in value and value.isdecimal()):
        sizes = tuple(value.split(","))
        numbers = [local_size(size) for size in sizes]
        if len(sizes) == 1:
            request.others += ["--local", ",".join(map(str, numbers[0]))]
        else:
            request.parameters.append(Parameter("local", sizes, "local"))
    elif name == "--carveout":
        request.parameters.append(Parameter("carveout", tuple(values(value)), "carveout"))
    elif name in OPTIONS.by_name and OPTIONS.by_name[name].kind == ONCE:
        if name in words.given:
            raise given_twice(name, value, words.given[name])
        words.given[name] = value
    else:
        return False
    return True


def parse(words: list[str]) -> Words:
    """Raises InputError."""
    found, queue = Words(), list(words)
    request = found.request
    if queue and not queue[0].startswith("-"):
        request.kernel = queue.pop(0)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        if word.startswith("-D") and len(word) > 2:
            name, equals, value = "-D", "=", word[2:]
        option = OPTIONS.by_name.get(name)
        name, is_ours = option.name if option and name != "--block" else name, option is not None
        if is_ours and not equals and not queue:
            raise no_value(word)
        if not is_ours:
            request.others += [name, value] if equals and name.startswith("--") and name != "--machine" else [word]
            continue
        said = value if equals else queue.pop(0)
        if not take(found, name, said):
            request.others += [name, said]  # one size, as trace-kernel takes it: --local 16,16
    _files(found)
    _check(found)
    _settle(found)
    return found


def _files(words: Words) -> None:
    request, given = words.request, words.given
    if (path := given.get("--t1")) is not None:
        request.problem = kernel_tuner.Problem(path)
        request.kernel = request.kernel or str(request.problem.kernel)
        request.parameters += request.problem.parameters
        request.restrictions += request.problem.restrictions
        request.others = [*request.problem.options, *request.others]
        request.max_simulations = request.problem.budget
    if (path := given.get("--list")) is not None:
        if request.parameters:
            raise InputError(f"--list {path}: lists the variants, expected no other parameters ({request.parameters[0].name})")
        if path.endswith(".json"):
            request.parameters, request.listed, request.measured = kernel_tuner.read_results(path)
        else:
            request.parameters, request.listed = _table(path)
        if twice := [one for number, one in enumerate(request.listed) if one in request.listed[:number]]:
            raise InputError(f"{path}: variant {twice[0]} is listed twice, expected different ones")


def _table(path: str) -> tuple[list[Parameter], list[Configuration]]:
    """Variants of a CSV file: names in the first line, a variant in each other. The column `local` is the work-group's size."""
    try:
        rows = list(csv.reader(read_bytes(path, "a CSV file of variants").decode("utf-8").splitlines()))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {reason(error)}, expected a CSV file of variants") from error
    rows = [row for row in rows if row and not row[0].startswith("#")]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(f"{path}: expected a line of names, and a line of as many values per variant")
    listed = [tuple(str(word) if name == "local" else number_or_text(csv_cells.plain(word)) for name, word in zip(rows[0], row)) for row in rows[1:]]
    return [Parameter(name, tuple(sorted({one[at] for one in listed}, key=lambda value: (isinstance(value, str), value))),
                      "local" if name == "local" else "define") for at, name in enumerate(rows[0])], listed


def _check(words: Words) -> None:
    kernel, given = words.request.kernel, words.given
    if not kernel:
        raise InputError("no kernel given, expected warpscope tune KERNEL.cl|KERNEL.cu -D NAME=VALUE,VALUE; --help has examples")
    if not pathlib.Path(kernel).is_file():
        raise InputError(f"{kernel}: no such file, expected a kernel (.cl, .cu)")
    for name, known in (("--clock", CLOCKS), ("--strategy", tuple(STRATEGIES))):
        if name in given and given[name] not in known:
            raise InputError(f"{name} {given[name]}: expected one of {', '.join(known)}")


def _settle(words: Words) -> None:
    """The options that are given once, in the request. Raises InputError."""
    request, given = words.request, words.given
    most, seed, jobs, top = (words.number(name) for name in LEAST)
    request.max_simulations = request.max_simulations if most is None else most
    request.seed = request.seed if seed is None else seed
    request.jobs, words.top = jobs, words.top if top is None else top
    request.gpu, request.clock = given.get("--gpu"), given.get("--clock", request.clock)
    request.by, request.strategy, request.objective = given.get("--by"), given.get("--strategy"), given.get("--objective")
    request.output, request.t4, request.csv, request.write_t1 = (given.get(name) for name in ("--output", "--t4", "--csv", "--write-t1"))
