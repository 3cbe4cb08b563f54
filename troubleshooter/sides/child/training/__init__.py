"""A training on one side, looked on: the hooks, and what is noted."""
