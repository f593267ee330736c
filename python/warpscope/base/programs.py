"""Programs behind "--": the words of the command, and what it is called, for the folder of its report."""
import pathlib
import re

from warpscope.base.errors import InputError

INTERPRETERS = r"(python|perl|ruby|bash|sh|dash|julia|node)[0-9.]*|env|time|nice|timeout|stdbuf"


def split(words):
    """(the words before "--", the program and its arguments behind it as a list, or None)."""
    if "--" not in words:
        return words, None
    at = words.index("--")
    if not words[at + 1:]:
        raise InputError("--: expected a program and its arguments behind it")
    return words[:at], words[at + 1:]


def name_of(words):
    """The name of a command: that of its script, where an interpreter or a wrapper starts it. `python3 -O PATH/RUN.py` is "RUN"."""
    script = 0
    while script < len(words) and re.fullmatch(INTERPRETERS, pathlib.Path(words[script]).name):
        after = next((at for at, word in enumerate(words[script + 1:], script + 1)
                      if not word.startswith("-") and "=" not in word and not re.fullmatch(r"[0-9.]+[smhd]?", word)), None)
        if after is None or words[after - 1] in ("-c", "-m", "-e"):
            break
        script = after
    return pathlib.Path(words[min(script, len(words) - 1)]).stem or "program"
