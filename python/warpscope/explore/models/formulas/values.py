"""What models take and give: inputs with unit and origin, parts of an answer with their equation."""
import dataclasses
import math
import types

from warpscope.base.errors import InputError

EXPECTED = '{"name": {"value": …, "unit": …, "origin": …}}'


@dataclasses.dataclass(frozen=True)
class Input:
    """An input of a model.

    unit       as it must be written; "" for a pure number, "name" for one of `choices`
    origin     where it usually comes from: "kernel" or "machine"
    default    the model's own value; None: must be given; NaN: optional, the model does without
    least      smallest value allowed; `above` excludes it
    """
    name: str
    unit: str
    meaning: str
    origin: str = "kernel"
    default: object = None
    least: float = 0.0
    above: bool = False
    choices: tuple = ()


@dataclasses.dataclass(frozen=True)
class Value:
    """One input as it was used."""
    value: object
    unit: str
    origin: str

    def as_json(self):
        return {"value": self.value, "unit": self.unit, "origin": self.origin}


@dataclasses.dataclass(frozen=True)
class Part:
    """A number that a model computed. `reconstructed` says why, if the equation is not in the source as it is used here."""
    name: str
    value: object
    unit: str
    equation: str
    reconstructed: str = ""


@dataclasses.dataclass
class Answer:
    """seconds: predicted time. advice: (text, seconds that it could save or None), best first. rows: a table of kernels ×
    operations, {row: {column: seconds}}, of models that have one."""
    seconds: float
    parts: list
    bottleneck: str
    advice: list
    rows: dict = dataclasses.field(default_factory=dict)

    def part(self, name):
        """The value of a part."""
        return next(part.value for part in self.parts if part.name == name)


def _problem(spec, value, unit):
    """What is wrong with a value for an input, as "IS, expected …"; None if it is fine."""
    if unit is None:
        return f"has no unit, expected {spec.unit!r}"
    if unit != spec.unit:
        return f"has unit {unit!r}, expected {spec.unit!r}"
    if spec.unit == "name":
        return None if value in spec.choices else f"is {value!r}, expected one of {', '.join(spec.choices)}"
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return f"is {value!r}, expected a number"
    if value < spec.least or (spec.above and value == spec.least):
        return f"is {value!r}, expected a number {'above' if spec.above else 'of at least'} {spec.least:g}"
    return None


def checked(where, spec, value, unit, origin):
    """The Value, or InputError "WHERE: input 'x' …"."""
    if problem := _problem(spec, value, unit):
        raise InputError(f"{where}: '{spec.name}' {problem}")
    return Value(value, unit, origin)


def namespace(inputs):
    """The bare values, by name, for the formulas."""
    return types.SimpleNamespace(**{name: value.value for name, value in inputs.items()})


def is_known(value):
    """Whether an optional input was given."""
    return isinstance(value, str) or not math.isnan(value)


def summed(parts):
    """Parts from (name, value, unit, equation[, why reconstructed])."""
    return [Part(*part) for part in parts]
