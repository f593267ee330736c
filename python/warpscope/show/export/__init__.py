"""A result in other forms: CSV, trace events, the profilers' CSV, charts; and the schema of result.json."""
