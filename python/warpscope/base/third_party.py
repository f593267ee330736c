"""Says in one line which package is missing."""
import importlib.util
import pathlib
import sys


def check():
    """Ends the program where numpy or matplotlib is missing; called before they are imported, and before work whose plots need them."""
    for name in ("numpy", "matplotlib"):
        if importlib.util.find_spec(name) is None:
            print(f"{pathlib.Path(sys.argv[0]).name}: the Python module {name} is missing, expected the Debian package "
                  f"python3-{name}; scripts/setup installs it (warpscope --no-plots does without)", file=sys.stderr)
            sys.exit(2)
