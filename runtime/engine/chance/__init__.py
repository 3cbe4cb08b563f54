"""Random numbers: those of initial weights, and those that a trace has made constants."""
