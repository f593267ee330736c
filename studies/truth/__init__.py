"""Launches that others measured, simulated and scored: docs/validation/truth.md. scripts/accuracy runs it."""
