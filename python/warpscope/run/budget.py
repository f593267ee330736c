"""--budget TIME: how long the simulations of both clocks may take together."""
import time

from warpscope.base.errors import InputError

FIXED_PART = 1 / 3  # of the budget, that the fixed order may take where the timed engine follows: it takes a tenth of the timed one's time
LEAST_SECONDS = 0.1  # that cachesim takes as a budget


def seconds_of(text):
    """Of a --budget that cachesim has taken: `30`, `30s` or `5m`."""
    number = text[:-1] if text[-1:] in ("s", "m") else text
    try:
        return float(number) * (60 if text.endswith("m") else 1)
    except ValueError:
        raise InputError(f"--budget {text}: expected seconds such as 30s, or minutes such as 5m") from None


def words(text):
    """The option for cachesim, to ask whether it takes it; nothing without a budget."""
    return ["--budget", text] if text else []


def shared(text, count):
    """The budget of each of `count` simulations that share one; None without one."""
    return f"{max(seconds_of(text) / count, LEAST_SECONDS):g}s" if text else None


class Budget:
    """Counts down from now."""

    def __init__(self, text):
        self.seconds, self._began = seconds_of(text), time.monotonic()

    def words_of(self, part=1.0):
        """The option for cachesim: this part of what is left."""
        left = self.seconds - (time.monotonic() - self._began)
        return ["--budget", f"{max(left * part, LEAST_SECONDS):.1f}s"]


def of_sample(result):
    """Which launches a timed result has that were drawn in a budget: "60 of 870 launches"; empty where it has all."""
    drawn = (result or {"context": {}})["context"].get("sampled_launches")
    return f"{drawn['count']:,} of {drawn['of']:,} launches" if drawn else ""
