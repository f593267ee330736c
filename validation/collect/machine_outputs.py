"""What machine code of five architectures leaves in memory and prints, next to Warpscope's clang and to references on the host: validation/machine-outputs."""
import collections
import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys

from warpscope.base.source import SOURCE

KERNELS = SOURCE / "benchmarks" / "kernels"
PROGRAMS = SOURCE / "tests" / "programs" / "cuda"
LIST = SOURCE / "tests" / "machine" / "programs.txt"
NOT_RUN = re.compile(r"(\S+): (.+)")  # a line of the list
GPUS = {75: "rtx2080", 80: "a100", 86: "rtx3070", 89: "rtx4090", 90: "h100"}  # architecture -> a preset that runs it
VIRTUAL = {75: 75, 80: 75, 86: 75, 89: 75, 90: 90}  # architecture -> that of the PTX that a program's machine code is made of
ARCHITECTURES = tuple(f"sm_{one}" for one in GPUS)
COLUMNS = ("kind", "name", *ARCHITECTURES, "order_dependent")
KINDS = {"cuda": "suite, CUDA", "opencl": "suite, OpenCL", "program": "CUDA programs"}
EQUAL, DIFFERENT = "equal", "DIFFERENT: "
# What may differ by how often a sum is rounded (nvcc fuses a product and a sum, clang others), by the seed of rsqrtf or by which approximation a
# division has, as a part of the largest number: two units of single precision for each of a few terms.
ROUNDED = {"nbody": 2e-5, "syrk": 1e-6}


class Difference(Exception):
    """One line: what differs."""


def call(words, folder, **environment):
    """Standard output and standard error of a program; raises Difference if it did not end with 0."""
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True, errors="replace", check=False, env={**os.environ, **environment})
    if done.returncode:
        raise Difference(f"{pathlib.Path(words[0]).name} ended with {done.returncode}: {(done.stderr.strip().splitlines() or done.stdout.strip().splitlines() or [''])[-1]}")
    return done


def tool(name):
    return pathlib.Path(os.environ["WARPSCOPE_BIN"]) / name


def suite():
    """(kind, name) of all kernels of the suite, in both languages."""
    names = sorted(path.parent.name for path in KERNELS.glob("*/*.launch"))
    return [(kind, name) for kind, ending in (("cuda", "cu"), ("opencl", "cl")) for name in names if (KERNELS / name / f"{name}.{ending}").exists()]


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.bin"))}


class Kernel:
    """A kernel of the suite, at its smallest size. `capture`: a file that machine code is recorded in."""

    def __init__(self, kind, name, folder, capture=None):
        self.name, self.folder, self.capture = name, folder, capture
        self.source = KERNELS / name / f"{name}.{'cu' if kind == 'cuda' else 'cl'}"
        self.size = ["--size", "small"] if '"small"' in self.source.with_suffix(".launch").read_text(encoding="utf-8") else []
        self.expected = self._buffers("clang", "--count-only")
        self.order_dependent = False
        self._check("clang")

    def _buffers(self, way, *words):
        folder = self.folder / way
        call([tool("trace-kernel"), self.source, *self.size, *words, "--dump-buffers", folder], self.folder)
        return contents(folder)

    def _check(self, way):
        """Against the host's reference, the kernel's check.py. Raises Difference."""
        said = subprocess.run([sys.executable, self.source.with_name("check.py"), self.folder / way, *self.size], capture_output=True, text=True, check=False)
        if said.returncode:
            raise Difference(f"{way}, on the host: {(said.stdout + said.stderr).strip()}")

    def verdict(self, architecture):
        """EQUAL, or the bound that holds. Raises Difference; also of the host's reference, which the kernel's check.py has."""
        counters = self.folder / "counters.json"
        output = ["-o", self.capture] if self.capture else ["--counters", counters]
        found = self._buffers(f"sm_{architecture}", f"--machine={GPUS[architecture]}", *output)
        if not self.capture:
            self.order_dependent |= "order_dependent" in json.loads(counters.read_text(encoding="utf-8"))
        if found != self.expected:
            self._check(f"sm_{architecture}")
        return compared(found, self.expected, ROUNDED.get(self.name, 0))


def compared(found, expected, bound):
    """EQUAL, or `bound`: the largest difference of single precision as a part of the buffer's largest number. Raises Difference."""
    if found == expected:
        return EQUAL
    if found.keys() != expected.keys():
        raise Difference(f"buffers {', '.join(found)}, expected {', '.join(expected)}")
    most = max(_distance(found[name], content) for name, content in expected.items())
    if most <= bound:
        return f"within {bound:g}"
    names = ", ".join(name.removesuffix(".bin") for name, content in expected.items() if found[name] != content)
    raise Difference(f"{names}: {most:.1e} of the largest number")


def _distance(found, expected):
    if found == expected:
        return 0.0
    if len(found) != len(expected):
        return float("inf")
    found, expected = (struct.unpack(f"<{len(content) // 4}f", content[:len(content) // 4 * 4]) for content in (found, expected))
    largest = max(map(abs, expected))
    most = max(abs(one - other) if one == one else float("inf") for one, other in zip(found, expected))
    return most / largest if largest else float("inf")


def listed():
    """The lines of the list without its remarks."""
    return [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


class Line:
    """A line of the list that names a program: FILE [FILE...] OPTIONS [sm_NN] [-- ARGUMENTS] [=> LAST LINE] [# PATTERN # WHY]."""

    def __init__(self, text):
        words, self.pattern, self.why, *_ = [*text.split(" # "), "", ""]
        words, _, self.says = words.partition(" => ")
        command, _, arguments = words.partition(" -- ")
        parts = shlex.split(command)
        self.since = max([int(part[3:]) for part in parts if part.startswith("sm_")], default=0)
        self.sources = [part if pathlib.Path(part).suffix else f"{part}.cu" for part in parts if not part.startswith(("-", "sm_"))]
        self.options, self.arguments = [part for part in parts if part.startswith("-")], shlex.split(arguments)
        self.name = " ".join([self.sources[0].removesuffix(".cu"), *self.arguments])


def programs():
    """{name: Line} of what is run."""
    return {line.name: line for line in map(Line, (text for text in listed() if not NOT_RUN.match(text)))}


def not_run():
    """{name: why} of the list's lines NAME: WHY."""
    return {found[1]: found[2] for found in map(NOT_RUN.match, listed()) if found}


def forgotten():
    """CUDA files of the tests' programs that the list does not have; and names of the list without a file."""
    files = {path.relative_to(PROGRAMS).as_posix() for path in PROGRAMS.rglob("*.cu")}
    named = {f"{name}.cu" for name in not_run()} | {source for line in programs().values() for source in line.sources if source.endswith(".cu")}
    return sorted(files ^ named)


class Program:
    """A CUDA program of the tests, whose output says what the host expected; once by Warpscope's compiler, unless the line has its last line, once
    by nvcc for some architectures."""

    def __init__(self, name, folder, architectures=tuple(GPUS)):
        self.folder, self.order_dependent = folder, False
        self.line = line = programs()[name]
        sources = [PROGRAMS / source for source in line.sources]
        words = [*sources, *(f"-I{source.parent}" for source in sources), *line.options]
        if not line.says:
            call([tool("warpscope-nvcc"), "-w", "-arch=sm_80", *words, "-o", "clang"], folder)
        codes = [f"-gencode=arch=compute_{max(VIRTUAL[one], line.since)},code=sm_{one}" for one in architectures if one >= line.since]
        if codes:
            call([tool("warpscope-nvcc"), "--with-nvcc", "-w", *codes, *words, "-o", "machine"], folder)
        self.expected = (0, line.says, "") if line.says else self._run("clang", 80)

    def _run(self, way, architecture):
        done = subprocess.run([f"./{way}", *self.line.arguments], cwd=self.folder, capture_output=True, text=True, errors="replace", check=False,
                              env={**os.environ, "WARPSCOPE_GPU": GPUS[architecture]})
        return done.returncode, done.stdout, done.stderr

    def verdict(self, architecture):
        if architecture < self.line.since:
            return f"is for sm_{self.line.since} and later"
        found = self._run("machine", architecture)
        if self.line.says:
            found = found[0], (found[1].splitlines() or [""])[-1], ""
        if found[:2] == self.expected[:2]:
            return EQUAL
        printed, expected = (collections.Counter(text.splitlines()) for text in (found[1] + found[2], self.expected[1]))
        lines = list((printed - expected).elements())
        if self.line.why and (lines or printed == expected) and all(re.search(self.line.pattern, line) for line in lines):
            return self.line.why
        raise Difference(f"status {found[0]}, expected {self.expected[0]}: {(lines or [''])[0]}")


def subject(kind, name, folder):
    """What has verdict(architecture)."""
    return Program(name, folder) if kind == "program" else Kernel(kind, name, folder)


def subjects():
    """(kind, name) of all."""
    return suite() + [("program", name) for name in programs()]


def row_of(kind, name, folder, known):
    """A row of the CSV: per architecture a verdict, or what differs. `known`: an earlier row, of which what differed is run again, or {}."""
    row = {"kind": kind, "name": name, "order_dependent": "no", **{column: DIFFERENT for column in ARCHITECTURES}, **known}
    made = None
    for architecture in GPUS:
        column = f"sm_{architecture}"
        if not row[column].startswith(DIFFERENT):
            continue
        try:
            made = made or subject(kind, name, folder)
            row[column] = made.verdict(architecture)
        except Difference as error:
            row[column] = f"{DIFFERENT}{error}"
        if made and made.order_dependent:
            row["order_dependent"] = "yes"
    return row


def differs(row):
    """Whether anything is neither equal, nor within its bound, nor listed with its cause."""
    return any(row[column].startswith(DIFFERENT) for column in ARCHITECTURES)


def tables(rows):
    """How many are equal, per kind and architecture; then all that are not, by name."""
    lines = [f"| equal | {' | '.join(ARCHITECTURES)} |", f"|---|{'--:|' * len(GPUS)}"]
    for kind, title in KINDS.items():
        of_kind = [row for row in rows if row["kind"] == kind]
        equal = [sum(row[column] == EQUAL for row in of_kind) for column in ARCHITECTURES]
        lines.append(f"| {title} | {' | '.join(f'{one} of {len(of_kind)}' for one in equal)} |")
    named = ["| not equal | where | how |", "|---|---|---|"]
    for row in rows:
        for verdict in sorted({row[column] for column in ARCHITECTURES} - {EQUAL}):
            where = [column for column in ARCHITECTURES if row[column] == verdict]
            named.append(f"| `{row['name']}`, {KINDS[row['kind']]} | {'all five' if len(where) == len(GPUS) else ', '.join(where)} | {verdict} |")
    return ["\n".join(lines), "\n".join(named)]
