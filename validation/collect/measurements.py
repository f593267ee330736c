"""The CSV files of validation/hardware: written by hw-profile, read by compare-hw. Standard library only.

validation/hardware/README.md describes the format.
"""
import csv
import gzip
import io
import statistics

from warpscope.base.errors import InputError, reason
from warpscope.result import counter_names

FORMAT = 1
HEAD = "# warpscope hardware counters, format "
COLUMNS = ("launch", "input", "global", "local", "counter", "repeats", "median", "lowest", "highest")
PLACEMENT_COLUMNS = ("launch", "work_group", "core", "start_ns")


def sizes_text(sizes):
    return "x".join(str(size) for size in sizes)


def row(launch, counter, values):
    """One line: `values` are those of the repeats."""
    return [launch["launch"], launch["input"], sizes_text(launch["global"]), sizes_text(launch["local"]), counter, len(values),
            *(counter_names.shortest(value) for value in (statistics.median(values), min(values), max(values)))]


def write(path, context, rows):
    """Context first, as lines `# key: value`; then the table."""
    text = io.StringIO()
    text.write(f"{HEAD}{FORMAT}\n")
    for key, value in context.items():
        text.write(f"# {key}: {value}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text.getvalue(), encoding="utf-8")
    temporary.replace(path)


class Measured:
    """One launch of a file: counter name -> (median, lowest, highest)."""

    def __init__(self, launch, digest, global_size, local_size):
        self.launch = launch
        self.input = digest
        self.global_size = global_size
        self.local_size = local_size
        self.counters = {}

    def median(self, counter):
        return self.counters[counter][0] if counter in self.counters else None


def is_measurements(path):
    """Whether a file begins as those of hw-profile do; what cannot be read does not."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().startswith(HEAD)
    except (OSError, UnicodeDecodeError):
        return False


def read(path):
    """(context, [Measured]) of a file; raises InputError with the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {reason(error)}, expected a CSV of hw-profile") from error
    if not lines or not lines[0].startswith(HEAD):
        raise InputError(f"{path}:1: expected '# warpscope hardware counters, format {FORMAT}', as hw-profile writes it "
                         "(published values: validation/accuracy)")
    if lines[0].rpartition(" ")[2] != str(FORMAT):
        raise InputError(f"{path}:1: format {lines[0].rpartition(' ')[2]}, expected {FORMAT}")
    context, launches = {}, {}
    header = None
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            key, separator, value = line[1:].partition(":")
            if separator:
                context[key.strip()] = value.strip()
            continue
        cells = next(csv.reader([line]), [])
        if header is None:
            header = cells
            if tuple(header) != COLUMNS:
                raise InputError(f"{path}:{number}: columns {','.join(header)}, expected {','.join(COLUMNS)}")
            continue
        _add(launches, path, number, cells)
    return context, list(launches.values())


def _add(launches, path, number, cells):
    if len(cells) != len(COLUMNS):
        raise InputError(f"{path}:{number}: {len(cells)} columns, expected {len(COLUMNS)}")
    one = dict(zip(COLUMNS, cells))
    try:
        sizes = [[int(size) for size in one[key].split("x")] for key in ("global", "local")]
        values = tuple(float(one[key]) for key in ("median", "lowest", "highest"))
    except ValueError as error:
        raise InputError(f"{path}:{number}: {error}, expected numbers") from error
    measured = launches.setdefault(one["launch"], Measured(one["launch"], one["input"], *sizes))
    if one["counter"] in measured.counters:
        raise InputError(f"{path}:{number}: counter '{one['counter']}' of {one['launch']} is there twice")
    measured.counters[one["counter"]] = values


def write_placement(path, placed):
    """`placed`: launch name -> (cores, start times in ns), by work-group. Compressed; same content, same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(PLACEMENT_COLUMNS)
    for launch in sorted(placed):
        for group, (core, start) in enumerate(zip(*placed[launch])):
            writer.writerow((launch, group, core, start))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        packed.write(text.getvalue().encode())
    temporary.replace(path)


def read_placement(path):
    """Launch name -> (cores, start times), by work-group."""
    placed = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            if tuple(next(rows, ())) != PLACEMENT_COLUMNS:
                raise InputError(f"{path}:1: expected {','.join(PLACEMENT_COLUMNS)}")
            for number, (launch, group, core, start) in enumerate(rows, 2):
                cores, starts = placed.setdefault(launch, ([], []))
                if int(group) != len(cores):
                    raise InputError(f"{path}:{number}: work-group {group}, expected {len(cores)}")
                cores.append(int(core))
                starts.append(int(start))
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path}: {reason(error)}, expected a placement file of hw-profile") from error
    return placed


def placement_of(path):
    """The placement file that belongs to a CSV."""
    return path.with_name(path.name.removesuffix(".csv") + "-placement.csv.gz")
