"""Sections of a page that are made again without the rest of it."""


def replace(path, lines):
    """Puts `lines`, of which the first is a heading "## …", in the place of the section of that heading. Raises ValueError if there is none."""
    before, head, after = path.read_text(encoding="utf-8").partition(f"{lines[0]}\n")
    if not head:
        raise ValueError(f"{path}: no section {lines[0]!r}")
    path.write_text(before + "\n".join(lines) + "\n## " + after.partition("\n## ")[2], encoding="utf-8")
