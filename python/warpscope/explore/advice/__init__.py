"""Advice: rules that name a pattern propose changes, and the changes that gain when they are simulated are given as advice.

docs/tools/advice.md says what each rule looks at. Reading order: proposal.py, patterns.py, case.py, layouts.py and machines.py (what to
try), trial.py (trying it), gain.py (whether it pays), engine.py, catalogue.py (how to write it), text.py.
"""
