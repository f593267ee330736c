"""The option --advice-seconds."""
import math

from warpscope.errors import InputError

SECONDS = 20


def seconds_of_option(text):
    """--advice-seconds as a number from 0 on; 0: no advice."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 86400:
        raise InputError(f"--advice-seconds {text}: expected seconds from 0 (no advice) to 86400")
    return value
