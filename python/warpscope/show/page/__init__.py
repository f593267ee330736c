"""report.html: a result as one page that needs no network. The program in it is report/dist, built from report/src."""
import pathlib

from warpscope.base import presets
from warpscope.base.errors import printable
from warpscope.show.page import answer, comparisons, data, roofline
from warpscope.show.page.html_file import DATA, MOST_BYTES, NAME, add, bundle_folder, document, embedded, read, read_bundled, write

__all__ = ["DATA", "MOST_BYTES", "NAME", "add", "bundle_folder", "capacities", "document", "embedded", "make", "read", "read_bundled", "write"]


def capacities():
    """[name, description, L1 in KiB, bytes per line] of the GPUs that have an L1 of known size."""
    found = []
    for name, preset in presets.all_of(presets.folder()).items():
        size, line = (preset.get(key, {}).get("value") for key in ("l1_size_kib", "l1_line_bytes"))
        if isinstance(size, int) and isinstance(line, int) and size:
            found.append([name, printable(preset.get("description", name)), size, line])
    return found


def make(result, folder, capture=None, **extras):
    """Writes report.html into a folder and returns its path; with a capture it has samples of the accesses, too. `extras` are
    those of write(); findings are the summary's where none are given."""
    path = pathlib.Path(folder) / NAME
    extras = {"presets": capacities(), "what_ifs": [*comparisons.of_advice(result), *comparisons.what_ifs(folder)],
              "roofline": roofline.of_result(result, capture),
              **answer.of_result(result), **extras}
    if capture is not None:
        extras |= data.of_capture(result, capture)
    write(result, None, extras, path)
    return path
