"""Which kernels are held out (README.md), and the tables of measured launches."""
import csv
import hashlib
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
CYCLES = SOURCE / "validation" / "hardware" / "cycles.csv"
RATES = SOURCE / "validation" / "truth" / "errors.csv"
SIMULATED_RATES = SOURCE / "validation" / "hardware" / "rates.csv"
LIST = HERE / "kernels.csv"
FRONT_ENDS = ("clang", "machine")
BOUNDS = ("issue", "l1", "l2", "dram")  # columns of cycles.csv: what each of these units alone would take
FOLDS, HELD_OUT = 4, 0


def fold_of(kernel):
    """0 to 3: the first hexadecimal digit of the SHA-256 of its name, modulo 4."""
    return int(hashlib.sha256(kernel.encode()).hexdigest()[0], 16) % FOLDS


# Families with a file for each of several kernels: the kernel's name is the variant's, of these with the family before it.
PREFIXED, BARE = ("softmax", "layernorm", "transpose_tile"), ("matmul_tiled", "row_column_sums")


def kernel_of(launch):
    """Of a name as h100/mm/large: the kernel, without size and variant; of h100/softmax/online-n4096-d1024 softmax_online."""
    _, kernel, *rest = launch.split("/")
    variant = re.split(r"[-:]", rest[0])[0] if rest else ""
    if kernel in BARE and variant:
        return variant
    return f"{kernel}_{variant}" if kernel in PREFIXED and variant else kernel


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def seen():
    """Kernels with an error on our pages when the protocol began."""
    return {row["kernel"] for row in rows(LIST)} if LIST.exists() else set()


def write_list():
    """Writes kernels.csv of what the tables have."""
    kernels = sorted({kernel_of(row["launch"]) for path in (CYCLES, RATES) for row in rows(path)})
    with open(LIST, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("kernel", "fold", "seen"))
        writer.writerows((kernel, fold_of(kernel), "yes") for kernel in kernels)
    print(f"{len(kernels)} kernels, {sum(fold_of(kernel) == HELD_OUT for kernel in kernels)} of fold {HELD_OUT}")
