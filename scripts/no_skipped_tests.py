#!/usr/bin/python3
"""Fails if a report of ctest or GoogleTest (XML, in the folder given) names a skipped test.

A test that needs a GPU says so in its name ("NeedsGpu" or "needs_gpu") and may be skipped.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def skipped_tests(report):
    """Names of the skipped tests of one JUnit-like file."""
    for case in ElementTree.parse(report).iter("testcase"):
        skipped = (
            case.find("skipped") is not None
            or case.get("result") == "skipped"
            or case.get("status") in ("notrun", "disabled")
        )
        if skipped:
            yield f"{case.get('classname', '')}.{case.get('name', '')}"


def main():
    folder = pathlib.Path(sys.argv[1])
    names = [name for report in sorted(folder.glob("*.xml")) for name in skipped_tests(report)]
    forbidden = [name for name in names if "needsgpu" not in name.lower().replace("_", "")]
    for name in forbidden:
        print(f"skipped, which counts as a failure: {name}")
    return 1 if forbidden else 0


if __name__ == "__main__":
    sys.exit(main())
