"""Rewrites a capture as an earlier release would have written it: descriptions of blocks lack some keys (traces/FORMAT.md)."""
import ctypes
import json
import struct

HEADER = struct.Struct("<4sIIIQQ")  # tag, stored size, raw size, launch, number, checksum


def _xxh3(content, seed=0):
    hashed = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
    hashed.restype, hashed.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)
    return hashed(content, len(content), seed)


def _unpacked(stored, raw_size):
    if len(stored) == raw_size:
        return stored
    unpack = ctypes.CDLL("libzstd.so.1").ZSTD_decompress
    unpack.restype, unpack.argtypes = ctypes.c_size_t, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    raw = ctypes.create_string_buffer(raw_size)
    assert unpack(raw, raw_size, stored, len(stored)) == raw_size
    return raw.raw


def _section(tag, stored, raw_size, launch, number):
    head = HEADER.pack(tag, len(stored), raw_size, launch, number, 0)[:24]
    checksum = _xxh3(stored, _xxh3(head))
    return head + struct.pack("<Q", checksum) + stored, checksum


def without(capture, keys):
    """The bytes of a capture of one launch whose blocks lack `keys`. Its index stays: that launch is at the same place, and its chunks follow
    it at once."""
    content = capture.read_bytes()
    out, at, identity, index_at = content[:8], 8, 0, 0
    while at < len(content) - 16:
        tag, size, raw_size, launch, number, _ = HEADER.unpack_from(content, at)
        stored = content[at + HEADER.size:at + HEADER.size + size]
        at += HEADER.size + size
        if tag == b"LNCH":
            described = json.loads(_unpacked(stored, raw_size))
            for block in described["kernel"]["blocks"]:
                for key in keys:
                    block.pop(key, None)
            stored = json.dumps(described).encode()
            raw_size = len(stored)
        elif tag == b"INDX":
            number, index_at = identity, len(out)
        section, checksum = _section(tag, stored, raw_size, launch, number)
        if tag in (b"BUFF", b"LNCH", b"CHNK"):
            identity = _xxh3(struct.pack("<Q", checksum), identity)
        out += section
    return out + struct.pack("<Q", index_at) + content[-8:]
