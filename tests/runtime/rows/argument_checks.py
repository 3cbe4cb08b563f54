"""`mindspore._checkparam`: the checks that model zoos borrow, and what they let pass."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows


def checks(*calls: str) -> list[str]:
    return [f"v = ms._checkparam\nresult = {call}" for call in calls]


rows(
    *checks(
        "[v.EQ, v.NE, v.LT, v.LE, v.GT, v.GE, v.INC_NEITHER, v.INC_LEFT, v.INC_RIGHT, v.INC_BOTH]",
        "[v.IN, v.NOT_IN, v.check(1, 1, 'a', [1, 2], v.IN), v.check('x', 5, 'y', 5)]",
        "[v.check_positive_int(3, 'x', 'me'), v.check_non_negative_int(0)]",
        "v.check_equal_int(3, 3)",
        "[v.check_negative_int(-1), v.check_non_positive_int(0), v.check_int(3, 2, v.GT)]",
        "[v.check_positive_float(0.5), v.check_non_negative_float(0.0), v.check_is_float(0.5)]",
        "[v.check_float(0.5, 1.0, v.LT), v.check_negative_float(-1.0), v.check_is_int(4)]",
        "[v.check_int_range(3, 1, 5, v.INC_BOTH), v.check_int_range(1, 1, 5, v.INC_LEFT, 'x')]",
        "v.check_float_range(np.float32(1), 0, 1, v.INC_RIGHT)",
        "v.check_float_range(float('nan'), 0, 1, v.INC_BOTH)",
        "v.check_number_range(np.array(0.5), 0, 1, v.INC_NEITHER, float)",
        "[v.check_number('x', 3, 2, v.GE, 'me'), v.check_bool(True)]",
        "v.check_isinstance('x', 3, int)",
        "[v.check_value_type('a', 3, [int, float]), v.check_value_type('a', True, (int, bool))]",
        "[v.check_value_type('a', 0.1234567891, object), v.check_string('a', ['a', 'b'], 's')]",
        "[v.check_positive_int_sequence((1, 2)), v.check_non_negative_int_sequence([0])]",
        "[v.check_positive_float_sequence([0.5]), v.check_valid_input('x', 0, 'me')]",
        "[v.check_str_by_regular('a.b'), v.check_str_and_none_by_regular('')]",
        "[v.check_file_name_by_regular('a/b.ckpt'), v.check_input_format('NCHW')]",
        "repr(v.check_type_name('x', ms.float32, [ms.float32], 'p'))",
        "v.check_subclass('x', ms.float32, ms.number, 'p')",
        "v.check_subclass('x', ms.int8, (ms.float16, ms.int8), 'p')",
        "v.check_types_same_and_valid({'a': ms.int8, 'b': ms.int8}, ms.dtype.number_type, 'p')",
        "v.check_element_type_of_iterable('x', [True, 2], [int])",
        "v.check_element_type_of_dict('x', {'a': 1}, [str], [int, float])",
        "[v.check_axis_in_range(-1, 3), v.check_axis_valid((0, -1), 3)]",
        "v.check_axis_valid(None, 2)",
        "[v.once(3), v.twice(3), v.triple((1, 2, 3)), v.twice_sequence([1, 2])]",
        "v.args_type_check(a=int, b=(str, list))(lambda a, b=None: [a, b])(3, b='x')",
    )
)
refused(
    *checks(
        "v.check_positive_int(0, 'x', 'me')",
        "v.check_positive_int(True)",
        "v.check_positive_int(1.0)",
        "v.check_int(float('inf'), 2, v.GT)",
        "v.check_is_float(float('inf'))",
        "v.check_is_float(1)",
        "v.check_positive_float(float('nan'))",
        "v.check_int_range(6, 1, 5, v.INC_BOTH)",
        "v.check_int_range(True, 0, 5, v.INC_BOTH)",
        "v.check_float_range(1, 0, 1, v.INC_BOTH)",
        "v.check_float_range(2.0, 0, 1, v.INC_LEFT)",
        "v.check('x', 1, 'y', 2)",
        "v.check('x', 1, 'y', 2, v.GE, 'me', TypeError)",
        "v.check_number('x', 1, 2, v.GE, 'me')",
        "v.check_bool(1)",
        "v.check_isinstance('x', 's', int)",
        "v.check_value_type('a', 's', [int])",
        "v.check_value_type('a', True, [int])",
        "v.check_string('c', ['a'])",
        "v.check_string(1, ['a'])",
        "v.check_positive_int_sequence((1, 0))",
        "v.check_valid_input('x', None, 'me')",
        "v.check_str_by_regular('!')",
        "v.check_file_name_by_regular('a/')",
        "v.check_file_name_by_regular(3)",
        "v.check_input_format('NHWC')",
        "v.check_type_name('x', ms.float16, [ms.float32], 'p')",
        "v.check_subclass('x', ms.float32, ms.int8, 'p')",
        "v.check_types_same_and_valid({'a': ms.int8, 'b': ms.int16}, ms.dtype.number_type, 'p')",
        "v.check_element_type_of_iterable('x', ['a'], [int])",
        "v.check_element_type_of_dict('x', {'a': 's'}, [str], [int])",
        "v.check_axis_in_range(3, 3)",
        "v.check_axis_valid((0, 0), 3)",
        "v.twice((1, 2, 3))",
        "v.twice([1, 2])",
        "v.args_type_check(a=int)(lambda a: a)('x')",
    )
)
OWN = """
class Own(nn.Optimizer):
    def __init__(self, rate, parameters, decay=0.0):
        super().__init__(rate, parameters, decay)
net = nn.Dense(2, 3)
both = [{{'params': [net.weight], 'weight_decay': 0.5, 'grad_centralization': True}},
        {{'params': [net.bias], 'lr': 0.2}}]
swapped = [{{'params': [net.weight]}}, {{'params': [net.bias]}},
           {{'order_params': [net.bias, net.weight]}}]
o = {made}
result = [o._is_dynamic_lr_or_weight_decay(), type(o.map_).__name__, type(o.hyper_map).__name__,
          type(o.map_reverse).__name__, type(o.hyper_map_reverse).__name__, o.dynamic_decay_flags,
          o._unique, o.unique, o._target, o.grad_centralization, o.is_group_params_ordered,
          o.param_rank, o.enable_tuple_broaden, o.use_parallel, repr(o.learning_rate)]
"""
GROUPED = """
result += [[p.name for p in o.group_params], o.group_weight_decay, o.group_grad_centralization,
           [type(rate).__name__ for rate in o.group_lr]]
"""
rows(
    OWN.format(made="Own(0.1, net.trainable_params())"),
    OWN.format(made="Own([0.1, 0.2], net.trainable_params(), 0.5)"),
    OWN.format(made="Own(0.1, both)") + GROUPED,
    OWN.format(made="Own(nn.ExponentialDecayLR(0.1, 0.9, 4), both, 0.5)") + GROUPED,
    OWN.format(made="Own(0.1, swapped)") + GROUPED,
    gradient=False,
    because="attributes",
)
KEPT = """
o = {made}
result = [o.init_args, repr(o.init_params), o.init_learning_rate]
"""
rows(
    *[
        KEPT.format(made=made.format(p="nn.Dense(2, 3).trainable_params()"))
        for made in (
            "nn.Adam({p}, 0.1)", "nn.Momentum({p}, ms.Tensor(0.5), 0.9)",
            "nn.SGD({p}, [0.5, 0.25])",
            "nn.RMSProp({p}, nn.ExponentialDecayLR(0.1, 0.9, 4))", "nn.Lamb({p}, 0.5)",
            "nn.Adagrad({p})", "nn.FTRL({p})", "nn.AdaMax({p})", "nn.Adadelta({p})", "nn.ASGD({p})",
            "nn.Rprop({p})", "nn.ProximalAdagrad({p})", "nn.LazyAdam({p})", "nn.AdaFactor({p})",
        )
    ],
    gradient=False,
    because="attributes",
)  # fmt: skip
