"""What of a tensor has no part in its history, and which methods of modules compute nothing."""

from __future__ import annotations

CUTTING = frozenset(
    """detach item tolist numpy data shape size dim ndim dtype device argmax argmin argsort
    multinomial long new_zeros new_ones new_full new_empty new_tensor zeros_like ones_like
    full_like empty_like rand_like randn_like""".split()
)
"""What gives a tensor's values, or something of it, without its history."""


PASSIVE = frozenset(
    """train eval to cuda cpu half float double parameters named_parameters state_dict buffers
    load_state_dict zero_grad modules children named_modules named_children requires_grad_ apply
    register_buffer share_memory compile""".split()
)
"""Methods of modules that compute nothing with the weights."""


TELLING = frozenset({"train", "eval", "parameters", "named_parameters", "zero_grad"})
"""Methods of modules that say of a receiver that it is one."""


BACKWARD, GRADIENT = "torch.Tensor.backward", "torch.Tensor.grad"
DIFFERENTIATION = "torch.autograd.grad"
DETACHED, IN_GRAPH, INNER = "gradients", "graph_gradients", "inner_gradients"
"""The functions of the compat module that stand for it: of values, of what is differentiated again,
and of what stands in a function that is differentiated again."""
NEEDING, OPTIMIZERS = "torch.Tensor.requires_grad_", "torch.optim."
STEP_METHODS = frozenset({"backward", "step", "zero_grad"})
"""The methods that a training step is made of, whatever has them."""
ATTRIBUTE = "grad"
"""The attribute of a tensor that is its gradient."""

CLEARING = frozenset(
    """
    zero_grad zero_ fill_ zeros_like detach_ requires_grad_ no_grad
    parameters named_parameters values items zip enumerate list
    """.split()
)
"""What is called by code that clears gradients, and does nothing else."""


STEPS = frozenset(
    {
        *(BACKWARD, "torch.autograd.backward", "torch.nn.Module.zero_grad"),
        *("torch.optim.Optimizer.step", "torch.optim.Optimizer.zero_grad"),
        *("torch.optim.optimizer.Optimizer.step", "torch.optim.optimizer.Optimizer.zero_grad"),
        *("torch.amp.GradScaler.step", "torch.amp.GradScaler.unscale_"),
        *("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_"),
    }
)
"""The APIs that training steps are made of; no other code has them."""
