"""Files that are complete or not there."""
import os
import pathlib
import sys

from warpscope.base.errors import InputError


def check_output(option: str, path: str | None) -> None:
    """Raises InputError where no file can be written that an option names; better known before the work than after."""
    if path not in (None, "-") and not pathlib.Path(path).absolute().parent.is_dir():
        raise InputError(f"{option} {path}: no folder {pathlib.Path(path).parent}, expected a file in a folder that is there")
    if path not in (None, "-") and pathlib.Path(path).is_dir():
        raise InputError(f"{option} {path}: is a folder, expected a file")


def write(path: str | pathlib.Path, content: str | bytes) -> None:
    """Writes text (as UTF-8) or bytes under the final name once they are complete. An error, such as a full disk, leaves nothing behind
    and what was there before as it was."""
    path = pathlib.Path(path)
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_or_print(path: str | pathlib.Path, text: str) -> None:
    """As write(), or to standard output for "-"."""
    if path == "-":
        sys.stdout.write(text)
    else:
        write(path, text)
