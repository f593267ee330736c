"""Launches of the kernels whose counters others published (validation/hardware/families), to be measured on this GPU.

Standard library only: this runs on machines that have CUDA and Python and nothing else.
"""
import csv
import hashlib
import pathlib
import shlex

from collect import opencl_source
from warpscope.base.errors import InputError, reason
from warpscope.base.source import SOURCE
from warpscope.result import launches

HEADER = SOURCE / "validation" / "hardware" / "opencl.cuh"
COLUMNS = ("launch", "file", "options", "part")


class Launch(launches.Launch):
    """A line of a list. `options` are those of trace-kernel: its macros, and which part of it is captured."""

    def __init__(self, row, work):
        file = SOURCE / row["file"]
        words = shlex.split(row["options"])
        if words[::2] != ["-D"] * (len(words) // 2) or not all("=" in word for word in words[1::2]):
            raise InputError(f"{row['launch']}: options '{row['options']}', expected -D NAME=VALUE and nothing else")
        variant = dict(word.split("=", 1) for word in words[1::2])
        super().__init__(file.with_suffix(".launch"), "", variant)
        self.name = row["launch"]
        self.folder = self.name.split("/")[0]
        self.file = file
        self.size = launches.OWN_SIZE
        self.options = [*words, *shlex.split(row["part"])]
        self.build_options = []
        self.defines_are_arguments = False
        text = file.read_text(encoding="utf-8")
        self.input = hashlib.sha256(text.encode() + self.path.read_bytes()).hexdigest()[:12]
        self.source = file if file.suffix == ".cu" else self._translated(text, pathlib.Path(work))

    def _translated(self, text, work):
        counts = {name: argument.count for name, argument in self.arguments.items()}
        path = work / "opencl" / f"{self.file.stem}.cu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(opencl_source.as_cuda(text, self.file, HEADER, counts), encoding="utf-8")
        return path

    @property
    def program_key(self):
        """Launches with the same key share a compiled program."""
        return (str(self.file.relative_to(SOURCE)), self.kernel, tuple(sorted(self.defines.items())), ())


def rows(path):
    """The lines of a list of launches. Raises InputError with the line."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            if tuple(table.fieldnames or ()) != COLUMNS:
                raise InputError(f"{path}:1: expected the columns {','.join(COLUMNS)}")
            found = list(table)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {reason(error)}, expected a list of launches (validation/hardware/families/launches.csv)") from error
    for number, row in enumerate(found, 2):
        if None in row or None in row.values() or not (SOURCE / row["file"]).is_file():
            raise InputError(f"{path}:{number}: expected {','.join(COLUMNS)}, with a file of this source tree")
    return found


def find(path, work, families=()):
    """The launches of a list; `families`: only of these."""
    found = [Launch(row, work) for row in rows(path) if not families or row["launch"].split("/")[0] in families]
    if not found:
        raise InputError(f"{path}: no launch of {', '.join(families) or 'any family'}")
    return found


def stored_keys(path):
    """(launch file, size, defines) of every line, for launches.store()."""
    return [((SOURCE / row["file"]).with_suffix(".launch"), "", dict(word.split("=", 1) for word in shlex.split(row["options"])[1::2]))
            for row in rows(path)]
