"""The option --advice-seconds."""
import math
import os

from warpscope.base.errors import InputError

VARIABLE = "WARPSCOPE_ADVICE_SECONDS"
SECONDS = 20


def default_seconds():
    """The text that stands for the option where it is not given: the variable's, else SECONDS."""
    return os.environ.get(VARIABLE) or str(SECONDS)


def seconds_of_option(text):
    """--advice-seconds as a number from 0 on; 0: no advice."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 86400:
        raise InputError(f"--advice-seconds {text}: expected seconds from 0 (no advice) to 86400; the default is ${VARIABLE}, else {SECONDS}")
    return value
