"""What a block's own code calls, operator by operator, with the lines of the user's files."""
