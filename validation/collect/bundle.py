"""What a machine with CUDA and Python and nothing else needs to run hw-profile, as one archive."""
import os
import pathlib
import tarfile

from collect import family_launches, measurements, suite_launches
from warpscope.base.source import SOURCE

KERNELS = SOURCE / "benchmarks" / "kernels"
VALIDATION = SOURCE / "validation"
HARDWARE = VALIDATION / "hardware"
PACKAGE = SOURCE / "python" / "warpscope"
FOR_GPU_MACHINES = ("__init__", *(f"base/{name}" for name in ("__init__", "children", "command", "errors", "inputs", "options", "source", "toolchain")),
                    "result/__init__", "result/counter_names", "result/launches")  # modules of the package, next to collect/


def write(path):
    """All that another machine needs, with the folders as here; same content, same bytes."""
    files = [VALIDATION / "hw-profile", *(PACKAGE / f"{name}.py" for name in FOR_GPU_MACHINES)]
    files += sorted((VALIDATION / "collect").glob("*.py"))
    files += [HARDWARE / name for name in ("harness.cuh", "launcher.cuh", "opencl.cuh", "device.cu", "variants.json", "README.md")]
    files += sorted(HARDWARE.glob("probe_plan.csv"))
    families = suite_launches.FAMILIES
    if families.exists():
        named = {SOURCE / row["file"] for row in family_launches.rows(families)}
        files += sorted({families, *named, *(file.with_suffix(".launch") for file in named), *families.parent.glob("*.cuh")})
    files += [suite_launches.write_stored(KERNELS)]
    files += sorted(one for one in KERNELS.rglob("*") if one.is_file() and "__pycache__" not in one.parts)

    def plain(member):
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return member

    with open(path, "wb") as file, measurements.gzip.GzipFile("", "wb", 9, file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for one in files:
            archive.add(one, pathlib.Path("warpscope-hardware") / one.relative_to(SOURCE), filter=plain)
    print(f"{path}: {len(files)} files, {os.path.getsize(path)} bytes. There: tar xf {path.name} && "
          "warpscope-hardware/validation/hw-profile --out RESULTS")
