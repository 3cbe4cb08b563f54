"""The names of MindSpore's former tool, with their arguments; the face of the package has them."""
