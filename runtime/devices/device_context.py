"""`mindspore.device_context`: settings of each kind of device, accepted without an effect."""

from __future__ import annotations

from types import SimpleNamespace

from ..engine.context import set_context
from .execution import accepted, device_count


def threads_num(num: int) -> None:
    """How many threads compute. Raises: TypeError, ValueError for what is no such number."""
    set_context(runtime_num_threads=num)


def settings(names: str, available: bool) -> SimpleNamespace:
    """The functions of one kind of device, each in its group: `op_tuning.threads_num`."""
    made = SimpleNamespace(is_available=lambda: available, device_count=device_count)
    for name in names.split():
        group, _, function = name.partition(".")
        if not hasattr(made, group):
            setattr(made, group, SimpleNamespace())
        setattr(getattr(made, group), function, accepted)
    return made


cpu = settings("op_tuning.threads_num", True)
cpu.op_tuning.threads_num = threads_num

gpu = settings(
    """op_precision.conv_allow_tf32 op_precision.matmul_allow_tf32 op_tuning.conv_dgrad_algo
    op_tuning.conv_fprop_algo op_tuning.conv_wgrad_algo""",
    False,
)

ascend = settings(
    """op_debug.aclinit_config op_debug.debug_option op_debug.execute_timeout
    op_precision.conv_allow_hf32 op_precision.matmul_allow_hf32 op_precision.op_precision_mode
    op_precision.precision_mode op_tuning.aclnn_cache op_tuning.aoe_job_type
    op_tuning.aoe_tune_mode op_tuning.op_compile""",
    False,
)
