"""The launches of the benchmark kernels for programs that run them on a GPU: the same sizes, values and content of buffers as
trace-kernel captures. Standard library only: this runs on machines that have CUDA and Python and nothing else.
"""
import copy
import hashlib
import json
import pathlib
import re

from collect import family_launches
from warpscope.base.errors import InputError, reason
from warpscope.base.source import SOURCE
from warpscope.result import launches
from warpscope.result.launches import OWN_SIZE

SIZES = ("small", "medium", "large")
FAMILIES = SOURCE / "validation" / "hardware" / "families" / "launches.csv"


class Launch(launches.Launch):
    """A launch file in one of its sizes, with other values of its macros if a variant is given."""

    def __init__(self, path, root, size=OWN_SIZE, variant=None):
        path = pathlib.Path(path)
        self.variant = {name: str(value) for name, value in (variant or {}).items()}
        super().__init__(path, "" if size == OWN_SIZE else size, self.variant)
        if size == OWN_SIZE and size in self.sizes:
            super().__init__(path, size, self.variant)
        self.size = size
        self.is_named = size in self.sizes
        self.defines_are_arguments = False  # the kernel's source has none of them; buffers begin at multiples of their size
        self.place = f"{path.relative_to(root)}:{size}"
        self.source = source_of(path)
        self.folder = path.parent.name
        self.build_options = [word for word in self.build_options.split() if word.startswith("-D")]
        self.input = hashlib.sha256(self.source.read_bytes() + path.read_bytes()).hexdigest()[:12]

    @property
    def name(self):
        chosen = ",".join(f"{name}={value}" for name, value in self.variant.items())
        return self.place + (f":{chosen}" if chosen else "")

    def with_arguments(self, variant):
        """The same launch of a kernel whose macros are all arguments of the same name in small letters, with other values; WORDS is
        the size of the buffer `zeros`."""
        other = copy.copy(self)
        other.variant = {name: str(value) for name, value in variant.items()}
        other.defines = {**self.defines, **other.variant}
        other.arguments = {name: copy.copy(argument) for name, argument in self.arguments.items()}
        for name, value in variant.items():
            if name == "WORDS":
                other.arguments["zeros"].count = value
            else:
                other.arguments[name.lower()].values = [value]
        other.defines_are_arguments = True
        return other

    @property
    def file(self):
        """What trace-kernel captures."""
        return self.source

    @property
    def program_key(self):
        """Launches with the same key share a compiled program."""
        defines = () if self.defines_are_arguments else tuple(sorted(self.defines.items()))
        return (str(self.source), self.kernel, defines, tuple(self.build_options))

    @property
    def options(self):
        """The sizes as trace-kernel and the kernels' check.py take them."""
        named = ["--size", self.size] if self.is_named else []
        for name, value in self.variant.items():
            named += ["-D", f"{name}={value}"]
        return [*named, "--global", ",".join(map(str, self.global_size)), "--local", ",".join(map(str, self.local_size))]


OWN_PROBE_WORDS = 1 << 20  # WORDS of probe.launch


def probe_launches(plan, root):
    """Launches of the kernel `probe` for the rows of a plan of `cachesim infer` (docs/tools/infer.md), and those of the kernels
    that show what stores do. Raises InputError with the line."""
    word = 4  # the plan is in bytes, the kernel counts in words
    probe = Launch(root / "probe" / "probe.launch", root)
    found, header, seen = [], None, set()
    try:
        lines = pathlib.Path(plan).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{plan}: {reason(error)}, expected a plan of cachesim infer") from error
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split(",")
        if header is None:
            header = cells
            missing = [name for name in ("pattern", "mask", "step", "places", "rounds", "hot") if name not in header]
            if missing:
                raise InputError(f"{plan}:{number}: no column '{missing[0]}', expected a plan of cachesim infer")
            continue
        row = dict(zip(header, cells))
        if len(cells) != len(header):
            raise InputError(f"{plan}:{number}: {len(cells)} columns, expected {len(header)}")
        if row["pattern"] != "chase":
            continue
        try:
            mask = 2**32 - 1 if row["mask"] == "all" else int(row["mask"], 0) // word
            step = int(row["step"]) // word if row["mask"] == "all" else 1
            variant = {"MASK": mask, "STEP": step, **{key.upper(): int(row[key]) for key in ("places", "rounds", "hot")}}
            if row["mask"] != "all" and mask >= OWN_PROBE_WORDS:
                variant["WORDS"] = 1 << mask.bit_length()  # beyond the buffer of the launch file
        except ValueError as error:
            raise InputError(f"{plan}:{number}: {error}, expected whole numbers") from error
        if step < 1 or (row["mask"] != "all" and int(row["mask"], 0) % word):
            raise InputError(f"{plan}:{number}: expected steps and masks of whole words ({word} bytes)")
        if tuple(variant.values()) not in seen:
            found.append(probe.with_arguments(variant))
        seen.add(tuple(variant.values()))
    if not found:
        raise InputError(f"{plan}: no row of pattern 'chase', expected a plan of cachesim infer")
    return found + [Launch(path, root, "small", variant) for path, variant in stores(root)]


def stores(root):
    """(launch file, variant) of the kernels that show what stores do, for `cachesim infer`."""
    load = root / "store_load" / "store_load.launch"
    return [(load, {}), (load, {"LOAD_FIRST": 0}), (root / "store_store" / "store_store.launch", {})]


def sizes_in(names):
    """A launch file's sizes in order, from the names that it gives them; its own is the suite's medium one."""
    named = [size for size in SIZES if size in names] + [size for size in names if size not in SIZES]
    return named if OWN_SIZE in named else [*named, OWN_SIZE]


def variants_of(path):
    """Other values of a kernel's macros that are measured too: validation/hardware/variants.json, by the launch file's stem."""
    file = path.parents[3] / "validation" / "hardware" / "variants.json"
    return json.loads(file.read_text(encoding="utf-8")).get(path.stem, []) if file.exists() else []


def is_of_suite(name):
    """Whether it is a name as these launches have, not one of validation/hardware/families (FAMILY/VARIANT)."""
    return ":" in name


def launch_named(name, root):
    """The launch that a name stands for (FILE:SIZE, FILE:SIZE:MACRO=VALUE,…), or None where there is none any more, or it is another list's."""
    if not is_of_suite(name):
        return None
    file_name, size, *variant = name.split(":")
    path = pathlib.Path(root) / file_name
    if not path.exists() or size not in sizes_in(launches.evaluated(path)["sizes"]):
        return None
    return Launch(path, root, size, dict(one.split("=", 1) for one in variant[0].split(",")) if variant else None)


def source_of(path):
    """NAME.cu next to NAME.launch, NAME-more.launch and the like: the longest name that fits, else the folder's."""
    path = pathlib.Path(path)
    fitting = [cu for cu in path.parent.glob("*.cu") if path.stem == cu.stem or re.match(re.escape(cu.stem) + r"[^A-Za-z0-9]",
                                                                                          path.stem)]
    if fitting:
        return max(fitting, key=lambda cu: len(cu.stem))
    return path.parent / f"{path.parent.name}.cu"


def paths_below(root, kernels=()):
    """The launch files under `root`; `kernels` are folder names."""
    unknown = [name for name in kernels if not (root / name).is_dir()]
    if unknown:
        raise InputError(f"--kernels {unknown[0]}: no such folder in {root}")
    return [path for path in sorted(root.glob("*/*.launch")) if not kernels or path.parent.name in kernels]


def find(root, sizes, kernels=()):
    """All launches under `root` of these sizes, in the order of their names; `kernels` are folder names."""
    root = pathlib.Path(root)
    paths = paths_below(root, kernels)
    found = [Launch(path, root, size) for path in paths if source_of(path).exists()
             for size in sizes_in(launches.evaluated(path)["sizes"]) if size in sizes]
    if OWN_SIZE in sizes:
        found += [Launch(path, root, OWN_SIZE, variant) for path in paths for variant in variants_of(path)]
    if not found:
        raise InputError(f"{root}: no launch file with size {', '.join(sizes)} and a .cu file next to it")
    return found


def write_stored(root, lists=()):
    """Brings validation/hardware/launches.json up to date where there is a build, which can; returns its path. `lists`: more launches of families."""
    if launches.has_tool():
        text = stored(root, lists)
        if not launches.STORED.exists() or launches.STORED.read_text(encoding="utf-8") != text:
            launches.STORED.write_text(text, encoding="utf-8")
    return launches.STORED


def stored(root, lists=()):
    """The content of launches.json: every launch of the suite, those for `cachesim infer`, and those of the lists."""
    wanted = []
    for path in paths_below(root):
        wanted += [(path, size, None) for size in ("", *launches.evaluated(path)["sizes"])]
        wanted += [(path, "", variant) for variant in variants_of(path)]
    wanted += [(path, "small", variant) for path, variant in stores(root) if variant and path.exists()]
    for path in [*([FAMILIES] if FAMILIES.exists() else []), *lists]:
        wanted += family_launches.stored_keys(path)
    return launches.store(wanted)
