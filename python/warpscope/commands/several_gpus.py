"""Simulates one capture on several GPUs: --gpu A,B,C."""
import pathlib
import re

from warpscope.base.errors import InputError
from warpscope.explore.advice import attach
from warpscope.explore.advice.text import lines as text_of_advice
from warpscope.run import clocks
from warpscope.show import page
from warpscope.show.page import comparisons
from warpscope.show.summary import compare as table, layout


def named(values):
    """The GPUs of --gpu A,B,C; [None] where none is given."""
    names = (values["--gpu"] or "").split(",")
    if len(names) == 1:
        return [values["--gpu"]]
    if len(names) > table.MOST_GPUS:
        raise InputError(f"--gpu {values['--gpu']}: {len(names)} GPUs, expected at most {table.MOST_GPUS}")
    if "" in names or len(set(names)) < len(names):
        raise InputError(f"--gpu {values['--gpu']}: expected different GPUs with a comma between them")
    if values["--details"]:
        raise InputError(f"--details: --gpu {values['--gpu']} compares GPUs in one table, expected one GPU with it")
    return names


def compare(capture_file, requests, work, steps, with_plots, advice):
    """(exit status, names of the files in `work`, function of where they are -> lines of the table). They share the budget of `advice`."""
    status, by_gpu, files, text = 0, [], [], []
    for request in requests:
        name = request.gpu.name
        short = re.sub(r"[^\w.-]", "_", pathlib.Path(name).stem if name.endswith(".json") else name)
        steps.begin(f"simulation ({name})")
        file = work / f"result-{short}.json"
        status = max(status, clocks.run_both(capture_file, request, file))
        by_gpu.append((short, attach.to_file(capture_file, request, file, advice, len(requests))))
        files.append(file.name)
        text += [*layout.summary(by_gpu[-1][1]), "", *text_of_advice(by_gpu[-1][1]), ""]
    page.make(by_gpu[0][1], work, capture_file if with_plots else None, generations=comparisons.generations(by_gpu))
    page.add(work / page.NAME, what_ifs=[one for _, result in by_gpu for one in comparisons.of_advice(result)])
    (work / "report.txt").write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return status, ["report.txt", page.NAME, *files], lambda where: table.summary(by_gpu, where, str(capture_file))
