"""Pieces of a JSON schema (draft 2020-12), each with a description and, of numbers, a unit."""


def _with_unit(kind, unit, meaning):
    return {"type": kind, "description": f"{meaning} [unit: {unit}]", "unit": unit}


def integer(unit, meaning):
    """A whole number from 0 on."""
    return {**_with_unit("integer", unit, meaning), "minimum": 0}


def number(unit, meaning):
    return _with_unit("number", unit, meaning)


def text(meaning):
    return {"type": "string", "description": meaning}


def boolean(meaning):
    return {"type": "boolean", "description": meaning}


def nullable(schema):
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}], "description": schema.get("description", "")}


def array(items, meaning, length=None):
    exactly = {"minItems": length, "maxItems": length} if length else {}
    return {"type": "array", "description": meaning, "items": items, **exactly}


def record(meaning, properties, required=None):
    """An object; `required`: which keys are always there, None = all. Others may be added."""
    return {"type": "object", "description": meaning, "properties": properties, "required": list(properties if required is None else required)}


def map_of(values, meaning):
    """An object with any keys."""
    return {"type": "object", "description": meaning, "additionalProperties": values}


def ref(name):
    return {"$ref": f"#/$defs/{name}"}
