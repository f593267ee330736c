"""Machine files: what a model must know of a GPU, with a source per value (models/README.md), and values from GPU presets."""
import functools
import pathlib

from warpscope.base import presets, toolchain
from warpscope.base.errors import InputError
from warpscope.base.inputs import complete, read_json
from warpscope.base.source import SOURCE
from warpscope.explore.models.formulas import catalogue
from warpscope.explore.models.formulas.values import Value, checked

EXPECTED = "a machine file (models/README.md)"
SHARED = "all"  # section with what all models take
OTHER_KEYS = ("description", "preset", "preset_set", SHARED)


@functools.lru_cache(None)
def folder(name):
    """The folder `name` (gpus, models/machines) of the source tree, the build or the installation."""
    candidates = [SOURCE / name, pathlib.Path(__file__).resolve().parents[6] / "share" / "warpscope" / name]
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    return toolchain.folder().parent / "share" / "warpscope" / name


def _names(of):
    return sorted(path.stem for path in folder(of).glob("*.json"))


class Machine:
    """One GPU. `name` and `preset` (a dict of the preset's values, {} without one); `values` of a model."""

    def __init__(self, gpu, path, content, preset_name, preset):
        self.name, self.path, self.content, self.preset_name, self.preset = gpu, path, content, preset_name, preset

    def has(self, model):
        return model in self.content

    def values(self, model, specs):
        """{name: Value} of a model's machine inputs that the file has. Raises InputError for entries that do not fit."""
        by_name = {spec.name: spec for spec in specs}
        found = {}
        for section in (SHARED, model):
            for name, entry in self.content.get(section, {}).items():
                if name not in by_name:
                    if section == model:
                        raise InputError(f"{self.path}: {section}: unknown input '{name}', expected one of {', '.join(by_name)}")
                    continue
                found[name] = self._value(section, by_name[name], entry)
        return found

    def _value(self, section, spec, entry):
        where = f"{self.path}: {section}"
        if not isinstance(entry, dict) or not {"value", "unit", "source"} <= set(entry):
            raise InputError(f"{where}: '{spec.name}' lacks one of 'value', 'unit' and 'source', expected all three")
        status = f" ({entry['status']})" if "status" in entry else ""
        return checked(where, spec, entry["value"], entry["unit"], f"machine {self.name}: {entry['source']}{status}")

    def of_preset(self, key):
        """A number of the preset, or None if there is no preset or it does not know."""
        return self.preset.get(key, {}).get("value")


def _preset(name):
    path = folder("gpus") / f"{name}.json"
    return presets.read(path) if path.exists() else None


def _with_changes(preset, content):
    """The preset with what the machine file changes of it, as --set does."""
    changes = content.get("preset_set", {})
    return {**preset, **{key: {"value": entry["value"], "source": entry["source"]} for key, entry in changes.items()}}


def load(gpu):
    """The Machine of a name (models/machines, gpus) or a path that ends in .json. Raises InputError for one that is not there."""
    path = pathlib.Path(gpu) if gpu.endswith(".json") else folder("models/machines") / f"{gpu}.json"
    if gpu.endswith(".json") or path.exists():
        content = read_json(path, EXPECTED)
        with complete(path, EXPECTED):
            if not isinstance(content, dict) or not isinstance(content["description"], str):
                raise InputError(f"{path}: no 'description', expected {EXPECTED}")
            _check_sections(path, content)
            preset_name = content.get("preset", path.stem)
            preset = _preset(preset_name)
            if preset is None and "preset" in content:
                raise InputError(f"{path}: preset '{preset_name}' is not there, expected one of {', '.join(_names('gpus'))}")
            return Machine(path.stem, path, content, preset_name if preset else None, _with_changes(preset or {}, content))
    name = presets.canonical(gpu)
    preset = _preset(name)
    if preset is None:
        known = sorted({*_names("models/machines"), *_names("gpus")})
        raise InputError(f"--gpu {gpu}: unknown GPU, expected a .json file or one of {', '.join(known)}")
    return Machine(name, folder("gpus") / f"{name}.json", {}, name, preset)


def _check_sections(path, content):
    known = (*OTHER_KEYS, *catalogue.MODELS)
    for key, section in content.items():
        if key not in known:
            raise InputError(f"{path}: unknown key '{key}', expected one of {', '.join(known)}")
        if key in (SHARED, *catalogue.MODELS) and not isinstance(section, dict):
            raise InputError(f"{path}: '{key}' is no object, expected inputs by name")


def knowing(model):
    """Names of the GPUs whose machine file has a section of the model."""
    names = []
    for name in _names("models/machines"):
        if load(name).has(model):
            names.append(name)
    return names


def roofline_values(machine):
    """Peak rate and bandwidths that the preset gives: {name: Value}."""
    get = machine.of_preset
    origin = f"preset {machine.preset_name}"
    cores, clock = get("cores"), get("core_clock_mhz")
    found = {}
    for name, key in (("peak", "fp32_per_cycle"), ("fp64_peak", "fp64_per_cycle")):
        if None not in (cores, clock) and get(key):
            found[name] = Value(2 * get(key) * cores * clock / 1000, "Gop/s", f"{origin}: 2 · {key} · cores · core_clock_mhz")
    if get("dram_bandwidth_gb_per_s"):
        found["bandwidth"] = Value(get("dram_bandwidth_gb_per_s"), "GB/s", f"{origin}: dram_bandwidth_gb_per_s")
    if None not in (cores, clock) and get("local_banks") and get("local_bank_bytes"):
        found["local_bandwidth"] = Value(get("local_banks") * get("local_bank_bytes") * cores * clock / 1000, "GB/s",
                                         f"{origin}: local_banks · local_bank_bytes · cores · core_clock_mhz")
    return found
