"""Files that nobody would write, through the commands that read them: see `__main__`."""
