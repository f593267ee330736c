"""What a finding is about, in JSON."""


def where(finding):
    """What a finding is about, as keys of JSON."""
    access = finding.access
    if access is None:
        return {"kernels": finding.kernels, "kind": None, "file": None, "line": None, "column": None, "buffers": []}
    return {"kernels": access.kernels, "kind": access.kind, "file": access.file, "line": access.line, "column": access.column,
            "buffers": access.buffers}
