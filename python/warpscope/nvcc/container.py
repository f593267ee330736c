"""The device part of an object: one file that clang puts into the host part, and that the runtime reads.

    8 bytes "WSCUDA01", u64 bytes of the whole, u64 bytes of the directory, the directory (JSON), the sections in its order

Integers are little-endian. The directory: {"source_name", "options", "architecture", "relocatable", "sections": [{"name", "bytes"}]}.
A container that can run has the sections optimised, instrumented, kernels, signatures, and the source. One of relocatable code
has the section device (bitcode to link) and the source. A container that was linked from several has the first one's source, and those
of the others as further_source, each named by "file".
"""
import json
import struct
from dataclasses import dataclass

MAGIC = b"WSCUDA01"
HEAD = struct.Struct("<8sQQ")


@dataclass
class Container:
    """`sections`: [(name, bytes, further members of its directory entry)]."""

    source_name: str
    options: list
    architecture: int
    relocatable: bool
    sections: list

    def section(self, name):
        """The bytes of the first section of that name; None without one."""
        return next((content for title, content, _ in self.sections if title == name), None)

    @property
    def sources(self):
        """[(name of the file, its text)]"""
        return [(more.get("file", self.source_name), content) for title, content, more in self.sections if title.endswith("source")]

    def pack(self):
        directory = json.dumps({
            "source_name": self.source_name, "options": self.options, "architecture": self.architecture, "relocatable": self.relocatable,
            "sections": [{"name": name, "bytes": len(content), **more} for name, content, more in self.sections]}).encode()
        body = directory + b"".join(content for _, content, _ in self.sections)
        return HEAD.pack(MAGIC, HEAD.size + len(body), len(directory)) + body


def unpack(data, offset=0):
    """(the container that begins at `offset`, its bytes); None if none begins there."""
    if len(data) < offset + HEAD.size:
        return None
    magic, total, length = HEAD.unpack_from(data, offset)
    if magic != MAGIC or total > len(data) - offset or HEAD.size + length > total:
        return None
    at = offset + HEAD.size
    try:
        said = json.loads(data[at:at + length])
        entries = [(entry["name"], entry["bytes"], {key: value for key, value in entry.items() if key not in ("name", "bytes")})
                   for entry in said["sections"]]
    except (ValueError, KeyError, TypeError):
        return None
    at += length
    if HEAD.size + length + sum(count for _, count, _ in entries) != total:
        return None
    sections = []
    for name, count, more in entries:
        sections.append((name, bytes(data[at:at + count]), more))
        at += count
    return Container(said["source_name"], said["options"], said["architecture"], said["relocatable"], sections), total


def find_all(data):
    """The containers in the bytes of an object, a library or a program, in their order."""
    found, at = [], data.find(MAGIC)
    while at >= 0:
        one = unpack(data, at)
        if one:
            found.append(one[0])
        at = data.find(MAGIC, at + (one[1] if one else 1))
    return found
