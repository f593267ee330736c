"""Makes the host program that runs a kernel's launches on a GPU (validation/hardware/harness.cuh does the work).

The parameters' types are left to the CUDA compiler; only their names are read here, because launch files name them.
"""
import re

from warpscope.base.errors import InputError

NOT_NAMES = {"__launch_bounds__", "__attribute__", "__maxnreg__", "__cluster_dims__", "alignas", "__declspec", "void"}
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\S")
# Where the placement is recorded, the kernel becomes a function that another kernel calls after it has noted the core.
AS_DEVICE_FUNCTION = ("#ifdef WARPSCOPE_PLACEMENT", "#undef __global__", "#define __global__ __device__",
                      "#undef __launch_bounds__", "#define __launch_bounds__(...)", "#endif")
AS_BEFORE = ("#ifdef WARPSCOPE_PLACEMENT", "#undef __global__", "#define __global__ __location__(global)",
             "#undef __launch_bounds__", "#define __launch_bounds__(...) __annotate__(launch_bounds(__VA_ARGS__))", "#endif")
CUDA_TYPES = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long long",
              "long": "long long"}


def split_top(text, separator=","):
    """Splits at separators outside of all brackets; empty text has no parts."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "([{<") - (character in ")]}>")
        if character == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [one.strip() for one in [*parts, part]] if text.strip() else []


class Kernel:
    """A __global__ function: `call` is how it is written in a launch, `parameters` the names in order."""

    def __init__(self, name, call, parameters):
        self.name = name
        self.call = call
        self.parameters = parameters


def _balanced(tokens, at):
    """Position after the bracket that opens at `at`."""
    pairs = {"(": ")", "<": ">", "[": "]", "{": "}"}
    opening, closing = tokens[at], pairs[tokens[at]]
    depth = 0
    for position in range(at, len(tokens)):
        depth += (tokens[position] == opening) - (tokens[position] == closing)
        if depth == 0:
            return position + 1
    raise InputError("unbalanced brackets")


def _parameter_name(text):
    text = text.split("=")[0]
    text = re.sub(r"\[[^\]]*\]", "", text)
    words = re.findall(r"[A-Za-z_]\w*", text)
    return words[-1] if words else ""


def kernels_in(preprocessed):
    """Name -> Kernel of every __global__ function; templates as they are instantiated in the file."""
    tokens = TOKEN.findall(preprocessed)
    scopes, found, instances = [], {}, {}
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "namespace" and tokens[at + 1] != "=":
            name = tokens[at + 1] if tokens[at + 1] != "{" else ""
            scopes.append(name)
            at += 3 if name else 2
            continue
        if token == "{":
            scopes.append(None)
        elif token == "}" and scopes:
            scopes.pop()
        if token == "__global__":
            is_instance = at > 0 and tokens[at - 1] == "template"
            at = _global_function(tokens, at + 1, scopes, is_instance, found, instances)
            continue
        at += 1
    result = {}
    for name, (qualified, parameters, is_template) in found.items():
        calls = instances.get(name, [])
        if not is_template:
            result[name] = Kernel(name, qualified, parameters)
        for arguments in calls:
            result[f"{name}<{arguments}>"] = Kernel(name, f"{qualified}<{arguments}>", parameters)
    return result


def _global_function(tokens, at, scopes, is_instance, found, instances):
    start = at - 1
    while at < len(tokens):
        if tokens[at] in NOT_NAMES:
            at = _balanced(tokens, at + 1) if tokens[at + 1] == "(" else at + 1
            continue
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        is_name = re.match(r"[A-Za-z_]", tokens[at])
        if is_name and following in ("(", "<"):
            break
        at += 1
    name = tokens[at]
    arguments = ""
    if tokens[at + 1] == "<":
        end = _balanced(tokens, at + 1)
        arguments = " ".join(tokens[at + 2:end - 1]).replace(" ,", ",")
        at = end - 1
    end = _balanced(tokens, at + 1)
    if is_instance:
        instances.setdefault(name, []).append(arguments)
        return end
    parameters = [_parameter_name(one) for one in split_top(" ".join(tokens[at + 2:end - 1]))]
    parameters = [one for one in parameters if one and one != "void"]
    is_template = start > 0 and _is_template(tokens, start)
    qualified = "::".join([scope for scope in scopes if scope] + [name])
    if name not in found or any(parameters):
        found[name] = (qualified, parameters, is_template)
    return end


def _is_template(tokens, start):
    """Whether `template <...>` precedes the declaration that begins before `start`."""
    for position in range(start - 1, max(start - 200, -1), -1):
        if tokens[position] in (";", "}", "{"):
            return False
        if tokens[position] == "template":
            return tokens[position + 1] == "<"
    return False


def choose(kernels, wanted, source):
    """The kernel that a launch file means: by its full name, else by its name without template arguments."""
    def plain(text):
        return re.sub(r"(?<=[<,0-9])([0-9]+)[uUlL]+", r"\1", text.replace(" ", "")).rpartition("::")[2]

    if wanted is None and len(kernels) == 1:
        return next(iter(kernels.values()))
    fitting = [kernel for name, kernel in kernels.items() if wanted and plain(name) == plain(wanted)]
    fitting = fitting or [kernel for name, kernel in kernels.items() if wanted and kernel.name == plain(wanted)]
    if len(fitting) != 1:
        raise InputError(f"{source}: kernel '{wanted}': {len(fitting)} fit, expected one of: {', '.join(kernels) or 'none'}")
    return fitting[0]


def literal(number):
    """A number as C++ text that keeps its value."""
    return f"{number!r}" if isinstance(number, float) else f"{number}ll"


def _fill(fill):
    if fill is None:
        return "hw::Fill{}"
    word, given = fill
    if word == "file":
        return "hw::Fill{hw::Fill::Kind::file, {}, " + _text(given) + "}"
    numbers = ", ".join(f"hw::Number({literal(number)})" for number in given)
    return "hw::Fill{hw::Fill::Kind::" + word + ", {" + numbers + "}, \"\"}"


def _text(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _size(argument):
    if argument.count is not None:
        return f"hw::Size::elements({argument.count})"
    return f"hw::Size::bytes({argument.bytes})" if argument.bytes is not None else "hw::Size{}"


def _argument(argument, kernel, source):
    """One line that sets an argument, or its part of the dynamic shared memory (then None)."""
    base, _, member = argument.name.partition(".")
    if argument.shared_bytes is not None and base not in kernel.parameters:
        return None
    if base in kernel.parameters:
        place = f"std::get<{kernel.parameters.index(base)}>(arguments)" + (f".{member}" if member else "")
        name = _text(argument.name)
        if argument.is_null:
            return f"{place} = nullptr;"
        if argument.values is not None and argument.fill is None:
            numbers = ", ".join(f"hw::Number({literal(number)})" for number in argument.values)
            return f"session.value({place}, {{{numbers}}}, {name});"
        if argument.type:
            element = CUDA_TYPES.get(argument.type, argument.type)
            return f"session.buffer_of<{element}>({place}, {name}, {_size(argument)}, {_fill(argument.fill)});"
        return f"session.buffer({place}, {name}, {_size(argument)}, {_fill(argument.fill)});"
    if not re.fullmatch(r"[A-Za-z_]\w*", argument.name):
        raise InputError(f"{source}: no parameter '{argument.name}', expected one of {', '.join(kernel.parameters)}")
    # What is no parameter is a __constant__ or __device__ variable that the host fills.
    return f"session.symbol({argument.name}, {_text(argument.name)}, {_fill(argument.fill)});"


def in_order(arguments, kernel):
    """The arguments in the order of the kernel's parameters, so that buffers lie as the kernel lists them; then the variables."""
    def place(argument):
        base = argument.name.partition(".")[0]
        return kernel.parameters.index(base) if base in kernel.parameters else len(kernel.parameters)

    return sorted(arguments, key=place)


def generate(launches, kernel, source, folder):
    """The text of a program that makes all these launches of one kernel; `folder` has harness.cuh."""
    largest = max(block[0] * block[1] * block[2] for block in (launch.local_size for launch in launches))
    lines = [
        "// Generated by validation/hw-profile: runs the launches of one kernel.",
        f"#include {_text(folder / 'harness.cuh')}",
        f"#define WARPSCOPE_LARGEST_BLOCK {largest}",
        *AS_DEVICE_FUNCTION,
        f"#include {_text(source)}",
        *AS_BEFORE,
        f"#define WARPSCOPE_KERNEL {kernel.call}",
        f"#include {_text(folder / 'launcher.cuh')}",
        "",
    ]
    for number, launch in enumerate(launches):
        arguments = in_order(launch.arguments.values(), kernel)
        shared = sum(argument.shared_bytes or 0 for argument in arguments if argument.name not in kernel.parameters)
        lines += [f"// {launch.name}", f"static void prepare_{number}(hw::Session& session, hw::ArgumentsOf& arguments) {{",
                  f"  session.work_items = {launch.groups}ll * {launch.local_size[0] * launch.local_size[1] * launch.local_size[2]};",
                  f"  session.shared_bytes = {shared};"]
        lines += ["  session.align_buffers = true;"] if launch.defines_are_arguments else []
        for argument in arguments:
            line = _argument(argument, kernel, launch.path)
            if argument.name in kernel.parameters and argument.fill is None:
                lines.append(f"  session.position = {kernel.parameters.index(argument.name)};")
            lines += [f"  {line}"] if line else []
        named = {argument.name.partition(".")[0] for argument in arguments}
        for index, name in enumerate(kernel.parameters):
            if name not in named:
                lines += [f"  session.position = {index};", f"  session.missing(std::get<{index}>(arguments), {_text(name)});"]
        lines += ["}", ""]
    lines += ["int main(int count, char** words) {", "  return hw::run(count, words, {"]
    for number, launch in enumerate(launches):
        grid, block = (", ".join(map(str, sizes)) for sizes in (launch.grid, launch.local_size))
        lines.append(f"    {{{_text(launch.name)}, dim3({grid}), dim3({block}), prepare_{number}}},")
    lines += ["  });", "}", ""]
    return "\n".join(lines)
