"""Attributes and methods of modules that have names of MindSpore's own nn.Cell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...syntax.walk import all_in
from .containers import is_own
from .facts import Facts
from .rule import Hit, in_modules, limit

NAMES = frozenset(
    """
    IGNORE_LIST _auto_prefix _backward_hook _backward_pre_hook _bprop_debug _cell_tag _cells
    _compile_cache _compiled _create_time _exist_names _exist_objs _forward_hook _forward_pre_hook
    _id _init_check _init_flag _param_prefix _params _params_list _phase _phase_cache _predict
    _primitives _recompute _run_construct _scope _self_check _shard_fn _user_parameters add_flags
    add_flags_recursive arguments_key bprop_debug cast_inputs cell_init_args cell_type cells
    cells_and_names check_names check_names_and_refresh_name cls_name compile_and_run
    compile_cache compile_phase compiled construct create_time enable_backward_hook exist_names
    exist_objs extend_repr generate_scope get_flags get_func_graph_proto get_inputs
    get_mixed_precision_type get_parameters get_scope get_sub_cell global_cells grad_ops_label
    has_bprop init_parameters_data insert_child_to_cell insert_param_to_cell is_top_cell
    jit_config_dict mixed_precision_type name_cells parallel_parameter_merge_net_dict
    parallel_parameter_name_list param_prefix parameter_layout_dict parameters_and_names
    parameters_broadcast_dict parameters_dict phase phase_cache pipeline_segment pipeline_stage
    recompute remove_redundant_parameters run_construct set_boost set_broadcast_flag
    set_comm_fusion set_data_parallel set_grad set_inputs set_jit_config
    set_mixed_precision_type set_train to_float total_instance_count trainable_params
    untrainable_params update_cell_prefix update_cell_type update_parameters_name
    """.split()
)
"""What an nn.Cell has and a Module of PyTorch's has not, and what nn.Cell itself asks for."""

REGISTER = frozenset({"register_buffer", "register_parameter", "add_module", "register_module"})
HEAD = "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        "
ADVICE = "give it another name in the PyTorch source, wherever it is used, and convert that"


@limit(
    "MS233",
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.FunctionDef, ast.Call),
    advice=ADVICE,
    found=(
        f"{HEAD}self.cells = nn.ModuleList()  # !",
        f"{HEAD}self.phase, self.size = 'test', 3  # !",
        f"{HEAD}self.register_buffer('phase', torch.ones(3))  # !",
        "class M(nn.Module):\n    def get_parameters(self):  # !\n        return []",
    ),
    clean=(
        f"{HEAD}self.cell = nn.LSTMCell(2, 2)",
        f"{HEAD}cells = self.phases = 3",
        "class Plain:\n    def __init__(self):\n        self.cells = []",
        "class Plain:\n    def get_parameters(self):\n        return []",
    ),
    called=REGISTER,
    holds_for=in_modules,
)
def name_of_cell(node: ast.AST, facts: Facts) -> Iterator[Hit]:
    """`self.cells = ...` hides the method that MindSpore finds the layers by."""
    for name in sorted(NAMES.intersection(names_set(node, facts))):
        yield Hit(node, f"{name} is a name of nn.Cell's own, which needs what it stands for")


def names_set(node: Any, facts: Facts) -> list[str]:
    """The attributes that a statement or call gives to the object, or to its class."""
    scope, cls = facts.scope, type(node)
    if cls is ast.FunctionDef:
        return [node.name] if scope.owner is not None and node in scope.owner.body else []
    if cls is ast.Call:
        is_register = isinstance(node.func, ast.Attribute) and node.func.attr in REGISTER
        first = node.args[0] if is_register and node.args else None
        return [str(first.value)] if isinstance(first, ast.Constant) else []
    targets = node.targets if cls is ast.Assign else [node.target]
    own = [p.attr for t in targets if type(t) is not ast.Name for p in all_in(t) if is_own(p)]
    if scope.function is None:
        own += [n.id for t in targets for n in all_in(t) if type(n) is ast.Name]
    return own
