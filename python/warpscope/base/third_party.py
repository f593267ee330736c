"""Says in one line which package is missing; imported before numpy and matplotlib are."""
import importlib.util
import pathlib
import sys

for _name in ("numpy", "matplotlib"):
    if importlib.util.find_spec(_name) is None:
        print(f"{pathlib.Path(sys.argv[0]).name}: the Python module {_name} is missing, expected the Debian package "
              f"python3-{_name}; scripts/setup installs it (warpscope --no-plots does without)", file=sys.stderr)
        sys.exit(2)
