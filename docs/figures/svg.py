"""Small SVG pictures that can be read on light and on dark pages: they bring their own paper, and follow the reader's theme."""
import pathlib
from xml.sax.saxutils import escape

# Class: colour on light and on dark paper. Series after Okabe and Ito, "Color Universal Design" (2008); the dark ones are lighter.
COLOURS = {
    "paper": ("#ffffff", "#161b22"), "ink": ("#1f2328", "#e6edf3"), "quiet": ("#57606a", "#a0a9b3"), "grid": ("#d0d7de", "#3d444d"),
    "shade": ("#eaeef2", "#262c36"), "blue": ("#0072b2", "#56b4e9"), "red": ("#d55e00", "#f58b4c"), "green": ("#009e73", "#3cc79f"),
    "orange": ("#b87800", "#e69f00"), "purple": ("#a8588b", "#dd9cc0"),
}
FONT = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"


def style():
    def rules(theme):
        return "".join(f".{name}{{fill:{pair[theme]}}}.{name}-line{{stroke:{pair[theme]};fill:none}}" for name, pair in COLOURS.items())
    return f"text{{font:13px {FONT}}}.small{{font-size:11px}}.bold{{font-weight:600}}{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}"


def number(value):
    """Two decimals at most: 3, 3.5, 3.14."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Picture:
    """A picture of WIDTH × HEIGHT pixels; y grows downwards. TITLE and ALT are for screen readers."""

    def __init__(self, width, height, title, alt):
        self.width, self.height = width, height
        self.parts = [f"<title>{escape(title)}</title><desc>{escape(alt)}</desc><style>{style()}</style>"]
        self.rect(0, 0, width, height, "paper", radius=6)

    def rect(self, x, y, width, height, kind, radius=0):
        corner = f' rx="{radius}"' if radius else ""
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"{corner} class="{kind}"/>')

    def text(self, x, y, words, kind="ink", anchor="start"):
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}"{where} class="{kind}">{escape(words)}</text>')

    def line(self, points, kind, width=1.0, dashes=""):
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<path d="{path}" class="{kind}-line" stroke-width="{number(width)}"{dashed}/>')

    def squares(self, corners, size, kind):
        """Filled squares of one kind: their upper left corners."""
        if corners:
            path = "".join(f"M{number(x)} {number(y)}h{number(size)}v{number(size)}h-{number(size)}z" for x, y in corners)
            self.parts.append(f'<path d="{path}" class="{kind}"/>')

    def save(self, path):
        pathlib.Path(path).write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img">\n' + "\n".join(self.parts) + "\n</svg>\n", encoding="utf-8")
