"""Parameters of performance models out of timings of micro-benchmarks: `warpscope model --fit` and `--measure`."""
