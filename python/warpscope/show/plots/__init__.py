"""The plots; every module draws one, and has the command that does so."""
