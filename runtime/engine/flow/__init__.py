"""Control flow of the user's source, rewritten so that a graph can decide while it runs."""
