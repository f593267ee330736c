"""The container's bytes, by hand, and what is none."""
import struct
import unittest

import support  # noqa: F401 pylint: disable=unused-import
from warpscope.nvcc.container import Container, find_all, unpack

DIRECTORY = (b'{"source_name": "a.cu", "options": ["-DX"], "architecture": 70, "relocatable": false, '
             b'"sections": [{"name": "optimised", "bytes": 3}, {"name": "source", "bytes": 2, "file": "a.cu"}]}')
BYTES = b"WSCUDA01" + struct.pack("<QQ", 24 + len(DIRECTORY) + 5, len(DIRECTORY)) + DIRECTORY + b"BC\xc0" + b"x\n"
ONE = Container("a.cu", ["-DX"], 70, False, [("optimised", b"BC\xc0", {}), ("source", b"x\n", {"file": "a.cu"})])


class ContainerTest(unittest.TestCase):
    def test_is_what_the_format_says(self):
        self.assertEqual(ONE.pack(), BYTES)

    def test_comes_back(self):
        self.assertEqual(unpack(BYTES), (ONE, len(BYTES)))
        self.assertEqual(unpack(b"..." + BYTES + b"...", 3), (ONE, len(BYTES)))
        self.assertEqual((ONE.section("optimised"), ONE.section("device"), ONE.sources), (b"BC\xc0", None, [("a.cu", b"x\n")]))

    def test_are_found_among_other_bytes(self):
        self.assertEqual(find_all(b"\x7fELF WSCUDA01 no" + BYTES + b"\0\0" + BYTES + b"WSCUDA01"), [ONE, ONE])

    def test_a_container_within_a_container_is_not_another_one(self):
        outer = Container("b.cu", [], 70, False, [("source", BYTES, {})])
        self.assertEqual(find_all(outer.pack()), [outer])

    def test_what_is_damaged_is_none(self):
        for cut in range(len(BYTES)):
            self.assertIsNone(unpack(BYTES[:cut]))
        self.assertIsNone(unpack(BYTES.replace(b"WSCUDA01", b"WSCUDA02")))
        self.assertIsNone(unpack(BYTES.replace(b'"bytes": 3', b'"bytes": 4')))
        self.assertIsNone(unpack(BYTES.replace(b'"sections"', b'"sektions"')))
        self.assertIsNone(unpack(BYTES.replace(b'{"source_name"', b'["source_name"')))


if __name__ == "__main__":
    unittest.main()
