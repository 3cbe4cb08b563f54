"""Gradients that tensors hold, that other functions compute, and that are asked for by hand."""
