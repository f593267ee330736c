"""Generates docs/validation/accuracy.md and validation/notes/truth.md: every measured dataset compared with our simulation of it.

  accuracy --doc docs/validation/accuracy.md --truth-doc validation/notes/truth.md -o out/accuracy
  accuracy --only truth            only the launches of validation/truth, which can be stopped and continued
  accuracy --only transpose --sample 8
  accuracy --add 2026-11-23.json   only what somebody measured, or another simulator computed (docs/validation/contribute.md)

Simulates the published measurements of validation/published, compares what hw-profile collected on real GPUs
(validation/hardware/GPU/DATE.csv), if there is any, and simulates the launches of validation/truth. Writes OUT/accuracy.csv,
accuracy.md, plots, truth.csv and truth.md; --doc and --truth-doc replace the pages.
"""
import csv
import pathlib

import accuracy_data
import accuracy_hardware
import accuracy_page
from truth import added, command, errors, tables
from warpscope.base import children
from warpscope.base.command import ArgumentParser, run_main
from warpscope.base.errors import InputError
from warpscope.show.plots import style

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
    parser.add_argument("--only", nargs="+", default=[],
                        help="only these: gtx480 titanx v100 a100 h200, truth, or families and launches of validation/truth or of --add")
    parser.add_argument("--work", type=pathlib.Path, default=SOURCE / "build" / "compare-hw", help="folder of captures")
    command.add_arguments(parser)
    arguments = parser.parse_args()
    children.catch_signals()
    published, launches = parts(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    if arguments.add:
        print(added.run(arguments))
        return
    if published is not None:
        compare_published(arguments, published)
    if launches:
        print(command.run(arguments))


def parts(arguments):
    """(the published datasets to compare: [] all, None none; whether launches of validation/truth are compared)."""
    known = command.names(tables.launches())
    published = [name for name in arguments.only if name not in known]
    if arguments.doc and arguments.only:
        raise InputError("--only with --doc: expected the page to show every dataset")
    if not arguments.only:
        return [], True
    return published or None, len(published) < len(arguments.only)


def compare_published(arguments, only):
    simulation = accuracy_data.Simulation()
    datasets = accuracy_data.all_datasets(simulation, only)
    if arguments.errors:
        errors.write_published(arguments.errors, datasets, simulation.commit)
    sections = accuracy_hardware.collected(arguments.work) if not only else []
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
