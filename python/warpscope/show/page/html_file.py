"""The page as a file: the program, the data in it, and how they are read and changed."""
import html
import json
import pathlib

from warpscope.base import files
from warpscope.base.errors import InputError
from warpscope.base.source import SOURCE
from warpscope.show.page import data

MOST_BYTES = 4_800_000  # of a page
NAME = "report.html"
DATA = '<script type="application/json" id="result">'
# Nothing is fetched, whatever is in the data: the browser refuses it.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def bundle_folder():
    """Where report.js and report.css are: next to this module if installed, else in the source tree."""
    beside = pathlib.Path(__file__).resolve().parent / "dist"
    return beside if beside.is_dir() else SOURCE / "report" / "dist"


def read_bundled(name):
    """The text of report.js or report.css."""
    path = bundle_folder() / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected the page's program, which report/README.md says how to build") from error


def embedded(value):
    """JSON that may be inside a script element of HTML: no text in it can end the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for letter, escaped in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        text = text.replace(letter, escaped)
    return text.encode("utf-8", "replace").decode("utf-8")


def document(shaped):
    """The page as text, of what data.shape() returns."""
    title = html.escape(f"{shaped['title']} – Warpscope")
    return "\n".join([
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">', '<meta name="color-scheme" content="light dark">',
        f"<title>{title}</title>", f"<style>{read_bundled('report.css')}</style>", "</head>", "<body>",
        '<div id="page"></div>', "<noscript><p>This page draws its tables and charts with JavaScript, which is switched off here. "
        "report.txt has the tables.</p></noscript>",
        f"{DATA}{embedded(shaped)}</script>", f"<script>{read_bundled('report.js')}</script>",
        "</body>", "</html>", ""])


def write(result, sources, extras, path):
    """Writes the page of a result.

    `result`: a result as results.load() returns it. `sources`: [{"name", "text"}], None = those of the result. `extras`: what is
    not in the result, a dictionary with any of
      findings     [{"title", "line", "source", "buffer", "cause", "cost", "gain", "grade", "advice"}], all but title optional;
                   line a number, source a file's name, cost and gain texts, grade exact, modelled or estimated
      bound        lines about what the launches are bound by
      generations  what cachesim --compare-generations --json has under `generations`
      samples      what samples.of_capture() returns
      roofline     what roofline.of_result() returns
      caches       what caches.of_capture() returns
      what_ifs     comparisons as `warpscope what-if --json` writes them
    Where the page would be larger than 5 MB, it has fewer launches, memory instructions and lines, and says so.
    Raises InputError where the page's program is missing.
    """
    share = 1.0
    while len(text := document(data.shape(result, sources, extras, share)).encode()) > MOST_BYTES and share > 0.01:
        share /= 2
    files.write(path, text)


def read(path):
    """The data in a page that write() wrote, as data.shape() returns it. Raises InputError where the file is no such page."""
    path = pathlib.Path(path)
    text = path.read_text(encoding="utf-8")
    start = text.find(DATA)
    end = text.find("</script>", start)
    if start < 0 or end < 0:
        raise InputError(f"{path}: not a page of warpscope, expected a report.html; warpscope report RESULT.json makes it again")
    return json.loads(text[start + len(DATA):end])


def add(path, **extras):
    """Puts `extras`, those of write(), into a page that write() wrote. Raises InputError as read()."""
    files.write(path, document(read(path) | extras))
