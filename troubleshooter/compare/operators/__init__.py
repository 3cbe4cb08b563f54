"""Which operator of a block differs, and on which lines of both files it stands.

Where a block's own code is at fault, it runs once more on both sides, operator by operator.
"""
