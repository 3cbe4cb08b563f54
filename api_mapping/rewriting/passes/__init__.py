"""The passes that make MindSpore code of PyTorch's, and the order in which they are tried."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..rewriter import Passes
from . import (
    base_method,
    class_test,
    data_pipeline,
    either,
    formatted_attributes,
    formatted_number,
    gradient_call,
    in_place,
    inversion,
    layout,
    leaf,
    literal_name,
    magnitude,
    numpy_operand,
    param_group_rate,
    printed_parameter,
    references,
    registration,
    roles,
    seed,
    shift,
    table_call,
    training_mode,
)
from .indices import lead_axis, numpy_index, scalar_index, stored_part, strided_index
from .modules import child_set, layer_call, parts, walks
from .weights import conv1d, norm

PASSES = Passes(
    of_type={
        ast.Lambda: (data_pipeline.function_behind_tensor,),
        ast.Name: (
            data_pipeline.function_behind_tensor,
            walks.target,
            roles.module,
            roles.in_role,
            references.reference,
        ),
        ast.Attribute: (
            roles.module,
            roles.in_role,
            conv1d.stored_part,
            references.reference,
        ),
        ast.Subscript: (
            roles.final,
            data_pipeline.sampled,
            param_group_rate.rate_read,
            conv1d.stored_part,
            stored_part.stored,
            numpy_index.indexed,
            scalar_index.taken,
            strided_index.taken,
            parts.taken,
        ),
        ast.Call: (
            walks.iterated,
            child_set.replaced,
            layer_call.placed,
            parts.chained,
            literal_name.asked,
            data_pipeline.transformed,
            references.held_call,
            references.spread_call,
            in_place.kept,
            magnitude.absolute,
            seed.apart,
            leaf.flagged,
            gradient_call.differentiated,
            formatted_attributes.formatted_text,
            base_method.by_class,
            data_pipeline.composed,
            data_pipeline.of_image,
            data_pipeline.behind_tensor,
            table_call.table_call,
            either.by_class,
        ),
        ast.Constant: (literal_name.literal,),
        ast.UnaryOp: (inversion.inverse,),
        ast.BinOp: (shift.shifted, numpy_operand.computed),
        ast.Compare: (numpy_operand.computed,),
        ast.Expr: (leaf.begun, in_place.write_statement),
        ast.Assign: (
            param_group_rate.rate_set,
            registration.buffer_set,
            registration.weight_set,
            in_place.view_assigned,
            registration.registered,
            lead_axis.fitted,
        ),
        ast.AugAssign: (
            param_group_rate.rate_changed,
            in_place.augmented,
            shift.augmented,
            numpy_operand.augmented,
        ),
    },
    in_place=(
        printed_parameter.printed,
        formatted_number.in_field,
        formatted_number.as_number,
        class_test.tested,
        conv1d.itself,
        norm.asked_for,
    ),
    of_calls=(layout.laid_out, training_mode.in_training),
)
"""The passes of the source converter."""

SINGLE = replace(PASSES, of_calls=())
"""The passes for uses by themselves, whose suggestions have no lines to keep."""
