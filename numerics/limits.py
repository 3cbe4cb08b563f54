"""How far apart numbers may be and still be the same: one limit for each question, and why.

Changed only with benchmarks/planted.py beside it: they are what tells planted faults from rounding.
What a user may allow is `tolerance.PROFILES`.
"""

# whole networks, whose own rounding is measured: see `rounding.Allowance`

NOISE_FACTOR = 8.0
"""How much farther from PyTorch's numbers the others may be than PyTorch's float32 from its own.

Two orders of summation are at most a few times as far apart as each is from the true value; the
rest is for the largest of few numbers, of two runs, which is a rough measure.
"""

SURE_NOISE_FACTOR = 5.0
"""The same where many runs have told how far PyTorch's numbers are from its own."""

KERNEL_FACTOR = 4.0
"""How many times as far as MindSpore's own approximations of tanh and exp take PyTorch's numbers
the others may be: see `troubleshooter/sides/child/kernels.py`.

Found: 3.6 times, with MindSpore's kernels for CPUs without AVX and FMA."""

OF_LARGEST = 2e-6
"""Always allowed, relative to the largest number of a tensor: about 16 steps of float32, since
kernels compute exp, erf and tanh by approximations of their own."""

OF_ALL = 1e-7
"""Always allowed of gradients, relative to the largest number of all that are judged together: some
are zero but for rounding."""

# a script's outputs beside the original's

OF_HALF = 8
"""Half-precision results may be off by so many steps of their type, relative to the maximum: both
round after each of several operations, in other orders."""

OWN_ROUNDING = 2
"""How many times as far as the original is from itself a script may be from it, where that is more
than its tolerance: rounding that grows from layer to layer, as with random weights."""

MOST_OWN_ROUNDING = 1e-2
"""No more than this is ever allowed for it, relative to the output's maximum."""

MOST_OF_QUANTISED = 1e-1
"""The same where values are quantised: rounding decides over steps of 1/255, and these grow."""

# one layer beside a model of it in float64: relative to the norm, unless it says otherwise

ROUNDING_FACTOR = 10.0
"""How many times the rounding that is measured a result may be off: kernels sum in other orders
and approximate exp, erf and tanh."""

REPRODUCED = 1e-4
"""How far a model of the reference's layer may be from its own output, of float32: with a wrong
setting it is farther, and its rounding alone is measured afterwards."""

OF_GRADIENTS = 1e-4
"""So far off is rounding of gradients: they are sums of many terms."""

OF_EXPRESSIONS = 1e-5
"""What is between layers is short, so its rounding is small."""

OF_FACTORS = 1e-4
"""So much the factors between two tensors' elements may scatter, and still be one factor."""

OF_OPERATORS = 3e-6
"""Values of two blocks that are closer than this are the same: about 25 steps of float32."""

OF_OPTIONS = 1e-6
"""ONNX keeps attributes in float32."""

# weights beside each other: relative to the largest element

OF_COPIES = (1e-6, 1e-7)
"""Of each element, and of the largest: but for the last digit of float32."""

OF_RELATIONS = 1e-5
"""What a weight was made of another by, a factor or an offset, has its own rounding."""

# recorded tensors by their sketches: estimates of norms, good to some percent of themselves

OF_SKETCHES = 1e-4
"""Tensors that are closer than this are the same."""

SIBLING_CLOSE, SIBLING_APART = 1e-3, 1e-2
"""A layer that lacks one behind it: its result is so far from its counterpart's, and so close to
what that one gives."""
