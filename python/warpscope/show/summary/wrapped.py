"""Lines of at most COLUMNS: what is longer goes on in the next line, and nothing is cut off."""
import re
import textwrap

from warpscope.base.errors import printable

COLUMNS = 100
COMMAND = re.compile(r"Next: warpscope ")


def wrapped(line, width=COLUMNS):
    """The lines of a line. A command keeps its words whole, and a shell takes its lines as one."""
    line = printable(line)
    if len(line) <= width:
        return [line]
    if COMMAND.match(line):
        return _command(line, width)
    indent = " " * (len(line) - len(line.lstrip()) + 3)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)


def _command(line, width):
    lines = [""]
    for word in re.findall(r"(?:'[^']*'|\S)+", line):
        if lines[-1].strip() and len(lines[-1]) + len(word) + 3 > width:
            lines[-1] += " \\"
            lines.append("  ")
        lines[-1] += word if not lines[-1].strip() else f" {word}"
    return lines


def every(lines):
    """All of several lines, wrapped."""
    return [part for line in lines for part in wrapped(line)]
