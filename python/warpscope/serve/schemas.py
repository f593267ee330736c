"""The arguments of tools: JSON schemas, and whether arguments are as one says."""
from warpscope.base.errors import InputError

TYPES = {"string": str, "array": list, "object": dict, "number": (int, float), "integer": int, "boolean": bool}


def text(description, **more):
    return {"type": "string", "description": description, **more}


def texts(description):
    return {"type": "array", "items": {"type": "string"}, "description": description}


def of(properties, required=()):
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


KERNEL = {
    "file": text("a kernel: .cl, .cu, .ptx, .cubin, or a capture (.wtrace); either this or program"),
    "program": texts("instead of a file: an OpenCL or CUDA program and its arguments"),
    "directory": text("where the call runs, and what paths are relative to (default: the server's folder)"),
    "kernel": text("only these kernels: names, separated by commas"),
    "global": text("work-items, such as 512,512 (else those of the launch file next to the kernel)"),
    "local": text("work-items of a work-group, such as 16,16"),
    "args": texts("the kernel's arguments, each as NAME=1024 or NAME=count=65536,fill=random(1)"),
    "options": texts("further words for trace-kernel, such as -D, TILE=16, --machine"),
    "gpu": text("a name that list_gpus gives, or a .json file (default h100)")}


def _kind(value):
    return next((name for name, kind in TYPES.items() if isinstance(value, kind) and not (isinstance(value, bool) and name != "boolean")), "null")


def _as_text(value):
    """A number as its digits: clients send {"global": 128}, also where they were asked for a text."""
    return str(value) if _kind(value) in ("integer", "number") else value


def read(arguments, schema):
    """The arguments, with texts where `schema` asks for texts and they are numbers. Raises as check()."""
    kinds = {name: known["type"] for name, known in schema["properties"].items()}
    given = {name: _as_text(value) if kinds.get(name) == "string" else
             [_as_text(item) for item in value] if kinds.get(name) == "array" and isinstance(value, list) else value for name, value in arguments.items()}
    check(given, schema)
    return given


def check(arguments, schema):
    """Raises InputError that names the first argument that is not as `schema` says."""
    for name in schema["required"]:
        if name not in arguments:
            raise InputError(f"{name} is missing, expected {schema['properties'][name]['description']}")
    for name, value in arguments.items():
        known = schema["properties"].get(name)
        if known is None:
            raise InputError(f"'{name}': unknown argument, expected some of {', '.join(schema['properties'])}")
        if _kind(value) != known["type"] and not (known["type"] == "number" and _kind(value) == "integer"):
            raise InputError(f"{name}: expected a value of type {known['type']}, not {_kind(value)}")
        if "enum" in known and value not in known["enum"]:
            raise InputError(f"{name}: '{value}', expected one of {', '.join(known['enum'])}")
        if known["type"] == "array" and not all(isinstance(item, str) for item in value):
            raise InputError(f"{name}: expected a list of texts")
        if any("\0" in item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)):
            raise InputError(f"{name}: has a NUL, expected text")
