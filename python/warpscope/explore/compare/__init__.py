"""Two results next to each other: warpscope diff, conditions and baselines for continuous integration, compare-ncu."""
