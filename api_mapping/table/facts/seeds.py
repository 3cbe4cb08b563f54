"""Functions that seed PyTorch, and what NumPy and Python draw of generators of their own."""

import re

SEEDS = frozenset(
    {
        "torch.manual_seed",
        "torch.random.manual_seed",
        "torch.cuda.manual_seed",
        "torch.cuda.manual_seed_all",
        "torch.xpu.manual_seed",
        "torch.xpu.manual_seed_all",
    }
)

GENERATORS = ("random", "numpy.random")
"""The modules whose functions draw of a generator that all code shares."""

APART = frozenset("RandomState default_rng Generator SeedSequence Random SystemRandom".split())
"""What makes a generator that no other code draws of."""

DRAWS = re.compile(
    rb"(?m)^[ \t]*(?:import|from)[ \t][^#\n]*\brandom\b"
    rb"|(?<!torch)\.random\.(?!(?:%s)\b)\w" % "|".join(sorted(APART)).encode()
)
"""What is in the files of a project that draw of the generators that all code shares."""
