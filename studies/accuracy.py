"""Generates docs/validation/accuracy.md: every measured dataset compared with our simulation of it, and what peers report on theirs.

  accuracy --doc docs/validation/accuracy.md -o out/accuracy

Simulates the published measurements of studies/published, and compares what hw-profile collected on real GPUs
(benchmarks/hardware/GPU/DATE.csv), if there is any. Writes OUT/accuracy.csv, accuracy.md and plots; --doc replaces the page
and its figures.
"""
import csv
import pathlib

import accuracy_data
import accuracy_hardware
import accuracy_page
from warpscope.errors import ArgumentParser, InputError, run_main
from warpscope.plots import style

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def write_csv(path, datasets):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("dataset", "preset", "configuration", "series", "measured", "simulated", "error", "unit"))
        for dataset in datasets:
            for point in dataset.points:
                for kind in (point.simulated, point.trivial, point.others):
                    for series, value in kind.items():
                        error = dataset.error(point, value)
                        writer.writerow((dataset.title, dataset.preset, point.configuration, series, f"{point.measured:g}",
                                         f"{value:.4f}", "" if error is None else f"{error:.4f}", dataset.unit))


def main():
    parser = ArgumentParser(__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("out/accuracy"))
    parser.add_argument("--doc", type=pathlib.Path, help="page to write; plots go to figures/ next to it")
    parser.add_argument("--only", nargs="+", default=[], help="only these datasets: gtx480 titanx v100 a100 h200")
    parser.add_argument("--work", type=pathlib.Path, default=SOURCE / "build" / "compare-hw", help="folder of captures")
    arguments = parser.parse_args()
    if arguments.doc and arguments.only:
        raise InputError("--only with --doc: expected the page to show every dataset")
    arguments.output.mkdir(parents=True, exist_ok=True)
    datasets = accuracy_data.all_datasets(accuracy_data.Simulation(), arguments.only)
    sections = accuracy_hardware.collected(arguments.work) if not arguments.only else []
    write_csv(arguments.output / "accuracy.csv", datasets)
    for name, figure in accuracy_page.figures(datasets, sections).items():
        if arguments.doc:
            folder = arguments.doc.parent / "figures"
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(folder / f"{name}.png", dpi=80, metadata={"Software": None})
        style.save(figure, arguments.output / name)
    page = accuracy_page.page(datasets, sections)
    (arguments.output / "accuracy.md").write_text(page, encoding="utf-8")
    if arguments.doc:
        arguments.doc.write_text(page, encoding="utf-8")
    print(page)


def start():
    run_main("accuracy", main)
