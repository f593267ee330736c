"""How the user's source declares an array or a buffer: texts of advice repeat it with the change in place."""
import functools
import re

_QUALIFIERS = r"(?:__local|local|__shared__)"
_TYPE = r"(?:(?:const|volatile|unsigned|signed|struct)\s+)*[A-Za-z_][\w:]*(?:\s*<[^<>;]*>)?"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@functools.lru_cache(maxsize=64)
def _plain(text):
    """A source without comments; places do not matter here."""
    return _COMMENT.sub(" ", text)


def _files(result, access):
    """The sources of a result, that of the access first."""
    every = [source for source in result.get("sources") or [] if source["text"]]
    return [_plain(source["text"]) for source in sorted(every, key=lambda one: one["name"].rsplit("/", 1)[-1] != access.file.rsplit("/", 1)[-1])]


def of_local(result, access, name):
    """("__shared__ double", ["8", "8"]) of an array in local memory, as written; None where it is not found."""
    found = re.compile(rf"({_QUALIFIERS}\s+(?:__align__\([^)]*\)\s+)?{_TYPE})\s+(?:[^;()]*?,\s*)?{re.escape(name.rsplit('.', 1)[-1])}\s*((?:\[[^\[\]]+\]\s*)+)")
    for text in _files(result, access):
        if match := found.search(text):
            return " ".join(match[1].split()), re.findall(r"\[([^\[\]]+)\]", match[2])
    return None


def padded(result, access, name):
    """The declaration of an array in local memory with rows that are longer by one element; "" where there is none with rows."""
    known = of_local(result, access, name)
    if known is None or len(known[1]) < 2:
        return ""
    before, sizes = known
    return f"{before} {name}{''.join(f'[{size.strip()}]' for size in sizes[:-1])}[{sizes[-1].strip()} + 1];"


def type_of(result, access, name):
    """The type of a buffer's elements as a kernel's parameter names it; "" where it is not found."""
    found = re.compile(rf"[(,]\s*((?:__global|global|__constant|constant|const|volatile|restrict|\s)*)({_TYPE})\s*(?:const\s*)?\*\s*"
                       rf"(?:const\s+|restrict\s+|__restrict__\s+|__restrict\s+)*{re.escape(name)}\s*[,)]")
    for text in _files(result, access):
        if match := found.search(text):
            return " ".join(word for word in match[2].split() if word not in ("const", "volatile"))
    return ""
