"""Passes over the weights of layers that MindSpore has otherwise, or has where PyTorch has none."""
