"""What a reader sees: tables, summary, page, plots, exports."""
