"""What kernels do wrong (warpscope check): found in a capture by trace-view --faults, or said by trace-kernel, which ran them."""
