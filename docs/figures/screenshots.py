"""Screenshots of report.html by a headless Chromium: they need Debian's chromium and python3-pil, and depend on its fonts."""
import shutil
import subprocess

from PIL import Image

from measure import FOLDER, page_kernel, run

LAUNCH = ("--global", "256,256", "--local", "32,32", "--arg", "width=256", "--arg", "height=256")


def report_page():
    """The page of the tile of the tutorial's first page."""
    folder = FOLDER / "report"
    if not folder.exists():
        run("warpscope", page_kernel("tutorial/1-first-kernel.md", "tile.cl"), *LAUNCH, "-o", folder)
    return (folder / "report.html").read_text(encoding="utf-8")


def shoot(path, size, style):
    """A picture of the page with some of its parts hidden, in at most 128 colours."""
    chromium = shutil.which("chromium")
    if not chromium:
        raise SystemExit("regenerate: chromium: not there; install it, or leave out --screenshots")
    page, raw = FOLDER / "shot.html", FOLDER / "shot.png"
    page.write_text(report_page().replace("</head>", f"<style>{style}</style></head>", 1), encoding="utf-8")
    subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}",
                    "--virtual-time-budget=4000", f"--screenshot={raw}", page.as_uri()], check=True, capture_output=True)
    Image.open(raw).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def overview(path):
    shoot(path, "1200,690", "main>section:not(:first-of-type){display:none!important}")


def source(path):
    shoot(path, "1400,640", "main>section:not(#source){display:none!important} nav,header{display:none!important} main{grid-column:1/-1}")
