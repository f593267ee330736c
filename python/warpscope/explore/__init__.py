"""Questions that take several simulations: what-if, advice, comparison, models, tuning, studies."""
