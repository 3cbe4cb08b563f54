"""The frameworks of two networks, each in a process of its own: files, inputs, weights by name."""
