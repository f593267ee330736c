"""A referee of kernels (warpscope judge): whether a candidate computes what a reference does, without faults, and at what cost."""
