"""Checks of NVIDIA machine instructions as text: register banks, control words. Needs no assembler and no GPU."""
