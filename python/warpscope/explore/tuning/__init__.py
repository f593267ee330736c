"""Searches a kernel's parameters for the variant with the fewest simulated cycles: `warpscope tune`."""
