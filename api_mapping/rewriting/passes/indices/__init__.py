"""Passes about what tensors are indexed by, and about values that are assigned to parts of them."""
