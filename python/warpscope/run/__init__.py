"""Runs the tools: captures, the engines, their clocks and budgets, and what is kept of their answers."""
