"""Builds the wheel that pip installs (PEP 517) with the standard library alone, so that no network is needed.

Everything is in pyproject.toml, but the version, which is the project's in CMakeLists.txt.
"""
import base64
import hashlib
import pathlib
import re
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TAG = "py3-none-any"


def project():
    return tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def version():
    text = (HERE.parent / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(\w+ VERSION ([0-9.]+)", text, re.MULTILINE).group(1)


def metadata():
    """Name -> content of the files that describe the wheel."""
    about = project()
    extras = [line for extra, needs in about.get("optional-dependencies", {}).items()
              for line in (f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in needs))]
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {version()}", f"Summary: {about['description']}",
             f"Requires-Python: {about['requires-python']}", *(f"Requires-Dist: {name}" for name in about["dependencies"]), *extras]
    scripts = ["[console_scripts]", *(f"{name} = {target}" for name, target in about["scripts"].items())]
    return {"METADATA": "\n".join(lines) + "\n", "entry_points.txt": "\n".join(scripts) + "\n",
            "WHEEL": f"Wheel-Version: 1.0\nGenerator: warpscope\nRoot-Is-Purelib: true\nTag: {TAG}\n"}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """Writes the wheel into a folder and returns its name; same files, same bytes."""
    stem = f"{project()['name']}-{version()}"
    files = {str(path.relative_to(HERE)): path.read_bytes() for path in sorted((HERE / "warpscope").rglob("*.py"))}
    files["warpscope/py.typed"] = b""
    for folder, name in (("validation/truth", "errors.csv"), ("validation/hardware", "cycles.csv"), ("timed/config", "instruction_class.def"), ("cachesim/l1", "write_policy.def")):
        files[f"warpscope/{name}"] = (HERE.parent / folder / name).read_bytes()
    files |= {f"warpscope/show/page/dist/{path.name}": path.read_bytes() for path in sorted((HERE.parent / "report" / "dist").iterdir())}
    files |= {f"{stem}.dist-info/{name}": text.encode() for name, text in metadata().items()}
    record = f"{stem}.dist-info/RECORD"
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
               for name, content in files.items()}
    rows = [f"{name},sha256={digests[name]},{len(content)}" for name, content in files.items()]
    files[record] = ("\n".join([*rows, f"{record},,"]) + "\n").encode()
    name = f"{stem}-{TAG}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return name
