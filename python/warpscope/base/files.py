"""Files that are complete or not there."""
import os
import pathlib
import sys


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
