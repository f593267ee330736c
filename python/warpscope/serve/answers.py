"""Answers of tools: short ones, with the paths of the long ones."""
import json

MOST_BYTES = 2000  # of an answer's text
MOST_ITEMS = 5  # of a list in a short answer


def short(text, path):
    """The first lines of a text, MOST_BYTES at most; `path`: where all of it is, which is said if some are left out."""
    lines, kept, size = text.rstrip().splitlines(), [], 0
    for line in lines:
        size += len(line.encode()) + 1
        if size > MOST_BYTES - 200:
            break
        kept.append(line)
    left = len(lines) - len(kept)
    return "\n".join([*kept, f"({left} more lines in {path})"] if left else kept)


def brief(value, items=MOST_ITEMS):
    """JSON without the ends of its long lists: the first items, and how many there are."""
    if isinstance(value, dict):
        return {name: brief(each, items) for name, each in value.items()}
    if isinstance(value, list):
        first = [brief(each, items) for each in value[:items]]
        return first if len(value) <= items else [*first, {"left_out": len(value) - items}]
    return value


def fitting(value, most):
    """`value` with shorter lists, until it has `most` bytes as JSON; its numbers and texts alone if nothing helps."""
    for items in (MOST_ITEMS, 2, 1):
        if len(json.dumps(shortened := brief(value, items))) <= most:
            return shortened
    return {name: each for name, each in value.items() if not isinstance(each, (dict, list))}


def result(text, structured):
    """A tool's result. Clients that do not know structured content read the text."""
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": False}


def failure(message):
    return {"content": [{"type": "text", "text": message}], "isError": True}
