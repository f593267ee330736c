"""The formulas of the models, one module per model, and the values that they take."""
