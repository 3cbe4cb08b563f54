"""What layers compute, in float64 and NumPy: a third implementation beside both that part."""
