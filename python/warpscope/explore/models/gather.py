"""Brings the inputs of a model together: the user's over those of a capture or result, over the machine's, over defaults."""
import math

from warpscope.base.errors import InputError
from warpscope.base.inputs import read_json
from warpscope.explore.models import machine
from warpscope.explore.models.formulas import catalogue, values
from warpscope.explore.models.formulas.values import EXPECTED, Value, checked, is_known


def read_inputs(path, model):
    """({name: entry}, the GPU that the file names or None) of --inputs FILE: an object of inputs, or the whole output of --json."""
    content = read_json(path, f"inputs of a model, {EXPECTED}")
    if not isinstance(content, dict):
        raise InputError(f"{path}: no object, expected {EXPECTED}")
    if "model" not in content:
        return content, None
    if content["model"] != model:
        raise InputError(f"{path}: is of model '{content['model']}', expected '{model}', which --model says")
    if not isinstance(content.get("inputs"), dict):
        raise InputError(f"{path}: no 'inputs', expected {EXPECTED}")
    return content["inputs"], content.get("gpu")


def _entry(where, spec, entry):
    if not isinstance(entry, dict) or "value" not in entry:
        raise InputError(f"{where}: '{spec.name}' has no 'value', expected {EXPECTED}")
    origin = entry.get("origin", "user")
    return checked(where, spec, entry["value"], entry.get("unit"), origin if isinstance(origin, str) else "user")


def hints(entries):
    """{name: Value} of the bare values: which inputs a model takes may depend on them."""
    return {name: Value(entry["value"], "", "") for name, entry in entries.items()
            if isinstance(entry, dict) and isinstance(entry.get("value"), (str, int, float))}


def user_values(model, entries, where, given):
    """{name: Value} of what the user gave at `where`; `given`: hints() of all that was given. Raises InputError for names that the
    model does not take, and for values and units that do not fit."""
    specs = {spec.name: spec for spec in catalogue.inputs_for(model, given)}
    if unknown := [name for name in entries if name not in specs]:
        raise InputError(f"{where}: '{unknown[0]}' is no input of {model}, expected some of {', '.join(specs)}")
    return {name: _entry(where, specs[name], entry) for name, entry in entries.items()}


def set_entries(words, model, given):
    """{name: entry} of --set NAME=VALUE, in the unit that the input has; `given`: hints() of what else was given."""
    bare = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not text:
            raise InputError(f"--set {word}: expected NAME=VALUE")
        bare[name] = {"value": number_or_name(text), "origin": "user"}
    units = {spec.name: spec.unit for spec in catalogue.inputs_for(model, {**given, **hints(bare)})}
    return {name: {**entry, "unit": units.get(name)} for name, entry in bare.items()}


def number_or_name(text):
    """A number of an option's text; names stay text."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def machine_values(model, gpu, specs):
    """What the machine gives a model. Raises InputError if it knows nothing of the model."""
    found = machine.roofline_values(gpu) if model in catalogue.OF_PRESETS else {}
    if model == "sgemm" and (cores := gpu.of_preset("cores")) is not None:
        found["cores"] = Value(cores, "cores", f"preset {gpu.preset_name}: cores")
    if not found and not gpu.has(model):
        known = machine.knowing(model)
        raise InputError(f"--gpu {gpu.name}: {model} has no parameters of this GPU, expected one of {', '.join(known)}, a machine "
                         "file, or the values in --inputs without --gpu")
    return {**found, **gpu.values(model, [spec for spec in specs if spec.origin == "machine"])}


def resolve(model, gpu, collected, user, absent):
    """{name: Value} of every input that is known, in the model's order.

    gpu        Machine or None;  collected, user: {name: Value};  absent: {name: why} of what a capture or result has not
    """
    given = {**collected, **user}
    specs = catalogue.inputs_for(model, given)
    of_machine = machine_values(model, gpu, specs) if gpu else {}
    found, missing = {}, []
    for spec in specs:
        if (value := user.get(spec.name) or collected.get(spec.name) or of_machine.get(spec.name)) is not None:
            found[spec.name] = value
        elif spec.default is None:
            missing.append(spec)
        elif is_known(spec.default):
            why = f"; {absent[spec.name]}" if spec.name in absent else ""
            found[spec.name] = Value(spec.default, spec.unit, "default of the model" + why)
    if missing:
        raise InputError(_missing_text(model, gpu, missing, absent))
    return found


def _missing_text(model, gpu, missing, absent):
    shown = [f"{spec.name} ({absent[spec.name]})" if spec.name in absent else f"{spec.name} ({spec.unit or 'a number'})"
             for spec in missing]
    of_machine = [spec.name for spec in missing if spec.origin == "machine"]
    where = f"{gpu.path}: no '{of_machine[0]}'; " if gpu and of_machine else ""
    how = " in --inputs or --set" + (", or a machine with --gpu" if of_machine and not gpu else "")
    return f"{where}{model}: not given: {', '.join(shown)}; expected them{how}"


def answer(model, inputs):
    """The model's Answer for these inputs."""
    v = values.namespace(inputs)
    for spec in catalogue.inputs_for(model, inputs):
        if not hasattr(v, spec.name):
            setattr(v, spec.name, spec.default)
    try:
        found = catalogue.MODELS[model].evaluate(v)
        if not all(math.isfinite(value) for value in (found.seconds, *(part.value for part in found.parts if part.unit != "name"))):
            raise OverflowError("a result is not finite")
        return found
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise InputError(f"{model}: the inputs are outside what its formulas allow ({error}), expected values of a real launch") \
            from error
