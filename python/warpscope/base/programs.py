"""What a program is called, for the folder of its report."""
import pathlib
import re

INTERPRETERS = r"(python|perl|ruby|bash|sh|dash|julia|node)[0-9.]*|env|time|nice|timeout|stdbuf"


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
