"""Counters of real GPUs: collecting them (hw_profile) and comparing simulations with them (compare_hw)."""
