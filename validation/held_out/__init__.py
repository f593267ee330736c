"""Kernels that are held out, and how cycles and hit rates are scored (README.md)."""
