"""warpscope study: programs × parameters × GPUs × configurations, on one machine or on many."""
