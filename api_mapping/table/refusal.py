"""What is raised where a use has no MindSpore code."""


class Refusal(Exception):
    """This call has no MindSpore code by this rule; the text says why and what to do."""


class FinalRefusal(Refusal):
    """No code for a call that its row is for: the rows behind it must not be tried."""
