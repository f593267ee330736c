"""What the tests of this folder share: captures and results of two pairs of kernels, made once per process."""
import atexit
import functools
import html.parser
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("endtoend_support", FOLDER.parent / "endtoend" / "support.py")
endtoend = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(endtoend)
BIN, SOURCE, KINDS, ToolTest, kernel = endtoend.BIN, endtoend.SOURCE, endtoend.KINDS, endtoend.ToolTest, endtoend.kernel
os.environ["WARPSCOPE_BIN"] = str(BIN)
sys.path.insert(0, str(SOURCE / "python"))

GPU = "h100"
_work = tempfile.TemporaryDirectory()
atexit.register(_work.cleanup)


def _run(tool, *words):
    done = subprocess.run([str(BIN / tool), *map(str, words)], cwd=_work.name, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{tool} {words}: {done.stderr}")
    return done.stdout


@functools.lru_cache(maxsize=None)
def capture(name, *options):
    """Path of a capture of a benchmark kernel of small size; "mt_padded_tile" is mt_tiled with a padded tile."""
    path = pathlib.Path(_work.name) / f"{'_'.join([name, *options])}.wtrace"
    if name != "mt_padded_tile":
        return endtoend.captures.copy(name, "--size", "small", *options, to=path)
    source = path.with_name("mt_padded_tile.cl")
    source.write_text(kernel("mt_tiled").read_text().replace("tile[TILE][TILE];", "tile[TILE][TILE + 1];"))
    _run("trace-kernel", source, "--size", "small", "--launch-file", kernel("mt_tiled").with_suffix(".launch"), *options, "-o", path)
    return path


@functools.lru_cache(maxsize=None)
def result_path(name, gpu=GPU, clock="both"):
    """Path of a result.json of `warpscope`."""
    folder = pathlib.Path(_work.name) / f"{name}-{gpu}-{clock}"
    _run("warpscope", capture(name), "--gpu", gpu, "--clock", clock, "--advice-budget", "0", "--no-plots", "-o", folder)
    return folder / "result.json"


def result(name, gpu=GPU, clock="both"):
    return json.loads(result_path(name, gpu, clock).read_text())


def compile_c(source, *options):
    """Compiles a C program next to its source."""
    subprocess.run(["cc", source, "-o", source.with_suffix(""), *options], check=True)


class Elements(html.parser.HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found, self.text, self.open = [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes another element")

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data
