"""Performance models: formulas from papers, fed by captures, results, machine files and the user. One module per model."""
