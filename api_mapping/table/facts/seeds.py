"""Functions that seed PyTorch, and what NumPy and Python draw of generators of their own."""

SEEDS = frozenset(
    {
        "torch.manual_seed",
        "torch.random.manual_seed",
        "torch.cuda.manual_seed",
        "torch.cuda.manual_seed_all",
    }
)

APART = frozenset("RandomState default_rng Generator SeedSequence Random SystemRandom".split())
"""What makes a generator that no other code draws of."""
