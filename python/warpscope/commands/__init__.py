"""One module per command: its words, what it asks for, what it shows."""
