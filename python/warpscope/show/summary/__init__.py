"""The answer of a result in at most 25 lines: what ran, what it is bound by, what costs most, the key rates, what to do next.

docs/tools/summary.md defines every number. Reading order: finding.py, accesses.py, rules.py, bound.py, rates.py, layout.py.
"""
