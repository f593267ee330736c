"""What a reference was compiled to: the cache that PoCL leaves in the folder of its runs, kept by content from one judgement to the next. A candidate's
is never kept, and has a folder of its own."""
from __future__ import annotations

import io
import pathlib
import zipfile
from typing import Optional

from warpscope.explore.judge import facts
from warpscope.explore.judge.runs import Kernel
from warpscope.run import confined, kept

MOST_BYTES = 16 << 20  # of all files of one reference
NAMES = ("program.bc", "*.so")  # others are PoCL's temporary ones, and times


class Compiled:
    """Of one reference, whose runs are in `folder`."""

    def __init__(self, kernel: Kernel, folder: pathlib.Path) -> None:
        where = kept.folder()
        self._caches = confined.caches(folder)
        self._store: Optional[kept.Store] = kept.Store(where, kept.MOST_BYTES) if where else None
        self._name = kept.digest("judge compiled", *facts.made_of(kernel)) if where else ""
        self._known: list[str] = []

    def restore(self) -> None:
        """Puts what is kept into the folder."""
        content = self._store.get(self._name) if self._store else None
        if content:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                archive.extractall(self._caches)
        self._known = self._files()

    def keep(self) -> None:
        """Keeps what is new."""
        files = self._files()
        if self._store is None or files == self._known or sum((self._caches / name).stat().st_size for name in files) > MOST_BYTES:
            return
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name in files:
                archive.writestr(zipfile.ZipInfo(name), (self._caches / name).read_bytes())
        try:
            self._store.put(self._name, content.getvalue())
        except OSError:
            pass  # a folder that cannot be written keeps nothing

    def _files(self) -> list[str]:
        found = [path for pattern in NAMES for path in self._caches.rglob(pattern) if path.is_file() and not path.is_symlink()]
        return sorted(str(path.relative_to(self._caches)) for path in found)
