#!/usr/bin/python3
"""Fails if a report of ctest or GoogleTest (XML, in the folder given) names a skipped test.

A test that needs a GPU or NVIDIA's toolkit says so in its name ("NeedsGpu", "needs_gpu", "NeedsCudaToolkit") and may be skipped.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from warpscope.base.command import ArgumentParser, run_main  # noqa: E402
from warpscope.base.errors import InputError  # noqa: E402


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
    parser = ArgumentParser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    reports = sorted(folder.glob("*.xml"))
    if not reports:
        raise InputError(f"{folder}: no report of a test in it, expected .xml files")
    names = [name for report in reports for name in skipped_tests(report)]
    forbidden = [name for name in names
                 if not any(need in name.lower().replace("_", "") for need in ("needsgpu", "needscudatoolkit"))]
    for name in forbidden:
        print(f"skipped, which counts as a failure: {name}")
    return 1 if forbidden else 0


if __name__ == "__main__":
    run_main("no_skipped_tests", main)
