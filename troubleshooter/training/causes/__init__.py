"""What is wrong in training scripts, told from the numbers of both sides."""
