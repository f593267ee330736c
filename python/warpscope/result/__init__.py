"""What a result says: reading it, its rates and counters, its launches and kernels."""
