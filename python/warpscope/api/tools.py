"""Runs the programs for the functions of `import warpscope`: their failures are exceptions, their remarks warnings."""
from __future__ import annotations

import contextlib
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings
from typing import IO, Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from warpscope.base import toolchain
from warpscope.base.default_gpu import default_gpu
from warpscope.base.errors import EXIT_BAD_INPUT, InputError, ToolFailed, why_of

EXIT_LEFT_OUT = 3
Path = Union[str, "os.PathLike[str]"]
Numbers = Union[int, str, Iterable[Union[int, str]]]


class Incomplete(UserWarning):
    """A program left something out (a launch that does not fit the GPU, an access that cannot be traced), and says what."""


def _checked(status: int, said: str, has_answer: bool) -> None:
    """Raises what a program's end means."""
    if status == 0 or status == EXIT_LEFT_OUT and has_answer:
        if status == EXIT_LEFT_OUT:
            warnings.warn(Incomplete(why_of(said)), stacklevel=5)
        return
    if status == EXIT_BAD_INPUT:
        raise InputError(why_of(said))
    raise ToolFailed(status if status > 0 else 128 - status, why_of(said))


def output(tool: str, *words: object, answer: Optional[pathlib.Path] = None) -> str:
    """What a program writes to standard output, or a file `answer` that it makes. Raises InputError or ToolFailed with its line; warns
    Incomplete."""
    status, text, said = toolchain.attempt(tool, *words)
    _checked(status, said, answer.exists() if answer else bool(text))
    return text


def front(*words: object) -> str:
    """Standard output of `warpscope WORDS`, of this package and with the same programs. Raises and warns as output()."""
    package = pathlib.Path(__file__).resolve().parents[2]
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "WARPSCOPE_BIN": str(toolchain.folder())}
    done = subprocess.run([sys.executable or "python3", "-m", "warpscope", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                          env=environment, check=False)
    _checked(done.returncode, done.stderr.decode("utf-8", "replace"), bool(done.stdout))
    return done.stdout.decode("utf-8")


def file_word(path: object, what: str = "a capture") -> str:
    """A file's name as the programs take it: one that begins with - is no option."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{path!r}: expected {what}, or the path of one")
    name = os.fsdecode(path)
    return f"./{name}" if name.startswith("-") else name


def gpu_words(source: Path, gpu: Optional[Path], settings: Optional[Mapping[str, object]] = None, carveout: Optional[int] = None) -> list[str]:
    """--gpu, --set and --carveout; without a GPU that of $WARPSCOPE_GPU, else that of the command warpscope for this capture."""
    words = ["--gpu", str(gpu or toolchain.given_gpu() or default_gpu(source))]
    for key, value in (settings or {}).items():
        words += ["--set", f"{key}={value}"]
    return words if carveout is None else [*words, "--carveout", str(carveout)]


def listed(values: Numbers) -> str:
    """A list as the programs take it: 3, "0,3-7" or (0, 3)."""
    return str(values) if isinstance(values, (int, str)) else ",".join(str(value) for value in values)


def choice_words(launches: Optional[Numbers], kernels: Optional[Union[str, Sequence[str]]]) -> list[str]:
    """--launch and --kernel."""
    words = [] if launches is None else ["--launch", listed(launches)]
    if kernels is not None:
        words += ["--kernel", kernels if isinstance(kernels, str) else ",".join(kernels)]
    return words


def needed(module: str, what: str) -> Any:
    """A module that only some functions need. Raises InputError that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f"{what} needs the Python module {module}, expected the Debian package python3-{module} (or pip install {module})") from error


@contextlib.contextmanager
def piped(tool: str, *words: object) -> Iterator[IO[bytes]]:
    """The standard output of a program that runs meanwhile; leaving before its end stops it. Raises as output()."""
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(toolchain.command(tool, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages,
                                   env=toolchain.environment())
        assert process.stdout is not None
        failed: Optional[InputError] = None
        try:
            yield process.stdout
            ended = process.stdout.read(1) == b""
        except InputError as error:  # a stream that ends early: the program says why
            ended, failed = True, error
        finally:
            process.stdout.close()
            status = process.wait()
        messages.seek(0)
        if ended:
            _checked(status, messages.read().decode("utf-8", "replace"), failed is None)
        if failed is not None:
            raise failed
