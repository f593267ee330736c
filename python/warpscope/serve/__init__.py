"""warpscope serve: the Model Context Protocol, and what its tools run."""
