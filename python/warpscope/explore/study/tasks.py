"""What a study has to do: a task per program, variant, GPU and configuration; tasks that need the same capture are a group.

Captures and tasks have names made from all they depend on: sources and what they include, options, GPU, tools. So what is there is known
by its name, on every machine, and what has changed is done again."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

from warpscope.explore.study.reading import Configuration, Gpu, PLACE, Program, Study
from warpscope.explore.tuning.launch import Launch
from warpscope.explore.tuning.variants import NO_GPU, Kernel, content_of, words_of
from warpscope.run import kept
from warpscope.run.record import gpu_of_work_groups, machine_words

SCHEMA = 1


@dataclass(frozen=True)
class Task:
    """One simulation: a row of the results. `number`: its place in the study."""

    key: str
    number: int
    program: str
    parameters: dict[str, Any]
    gpu: Gpu
    configuration: Configuration

    def text(self) -> str:
        """As a person names it."""
        named = " ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.program}{' ' + named if named else ''} | {self.gpu.name} | {self.configuration.name}"


@dataclass
class Group:
    """A capture and the tasks that simulate it. `words`: of trace-kernel, with `folder` as the current one; `limit`: seconds of a tool."""

    capture: str
    words: list[str]
    folder: pathlib.Path
    is_kernel: bool
    limit: Optional[float]
    tasks: list[Task] = field(default_factory=list)


def _kernel_content(program: Program, study: Study) -> str:
    assert program.kernel is not None
    return content_of(Kernel(program.kernel, NO_GPU, Launch.of_words(program.options, study.path.parent)))


def _command_content(words: Sequence[str], study: Study) -> list[str]:
    """The files that a command names, and the program itself."""
    files: list[pathlib.Path] = []
    for at, word in enumerate(words):
        found = shutil.which(word) if at == 0 and os.sep not in word else None
        with contextlib.suppress(OSError):  # a word that is too long for a file's name
            files += kept.with_includes([pathlib.Path(found) if found else study.folder / word])
    return [kept.of_file(path) for path in sorted(set(files))]


def _of_gpu(program: Program, gpu: Gpu) -> list[str]:
    """--gpu for trace-kernel where the options name cores of a GPU: then a GPU has captures of its own."""
    words: list[str] = gpu_of_work_groups(list(program.options), gpu.word)
    return words


def _options(program: Program, gpu: Gpu) -> list[str]:
    """Of trace-kernel; machine code is of a GPU, which has then captures of its own."""
    words: list[str] = machine_words(program.kernel, program.options, gpu.word) if program.kernel else list(program.options)
    return words


class Planner:
    """Makes the groups of a study, in its order."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.tracer, self.simulator = kept.of_tools("trace-kernel"), kept.of_tools("cachesim")
        self.gpus = {gpu.name: kept.of_preset(gpu.word) for gpu in study.gpus}
        self.groups: dict[str, Group] = {}
        self.count = 0

    def _content(self, program: Program) -> list[str]:
        """Digests of the files that all variants of a program depend on."""
        own = [_kernel_content(program, self.study), kept.of_compilers(program.kernel, program.options)] if program.kernel else []
        return [*own, *([kept.of_files(program.inputs, self.study.folder)] if program.inputs else [])]

    def _group(self, program: Program, named: dict[str, Any], options: list[str], extra: list[str], content: list[str]) -> Group:
        if program.kernel:
            words = [*options, *words_of(program.parameters, named)[0], *extra]
            what, before = [program.kernel.name], [str(program.kernel), *words]
        else:
            what = [PLACE.sub(lambda place: str(named[place[1]]), word) for word in program.command]
            words = [*options, *extra]
            content = [*content, *_command_content(what, self.study)]
            before = [*words, "--", *what]
        capture = kept.digest(SCHEMA, self.tracer, what, words, content)
        return self.groups.setdefault(capture, Group(capture, before, self.study.folder, program.kernel is not None, self.study.limit_seconds))

    def _add(self, group: Group, program: Program, named: dict[str, Any], gpu: Gpu, configuration: Configuration) -> None:
        key = kept.digest(SCHEMA, self.simulator, group.capture, program.name, named, gpu.name, self.gpus[gpu.name], configuration.name,
                      configuration.engine, configuration.words)
        group.tasks.append(Task(key, self.count, program.name, named, gpu, configuration))
        self.count += 1

    def run(self) -> list[Group]:
        for program in self.study.programs:
            content = self._content(program)
            options = [(gpu, (_options(program, gpu), _of_gpu(program, gpu))) for gpu in self.study.gpus]
            for named in program.variants:
                group, before = None, None
                for gpu, words in options:
                    if group is None or words != before:
                        group, before = self._group(program, named, *words, content), words
                    for configuration in self.study.configurations:
                        self._add(group, program, named, gpu, configuration)
        return list(self.groups.values())


def groups_of(study: Study) -> list[Group]:
    """Raises InputError where there are no tools."""
    return Planner(study).run()


def tasks_of(groups: Sequence[Group]) -> list[Task]:
    """All tasks, in the order of the study."""
    return sorted((task for group in groups for task in group.tasks), key=lambda task: task.number)
