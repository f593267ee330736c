"""Launches that others measured, simulated and scored: validation/notes/truth.md. validation/accuracy runs it."""
