"""Functions of functions, ops on Python's values, and what settings are refused."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

FUNCTIONS = """
kinds = C.MultitypeFuncGraph('kinds')
@kinds.register('Tensor', 'Tensor')
def of_tensors(a, b): return a + b
@kinds.register('Number', 'Tensor')
def of_mixed(a, b): return a * b
@kinds.register('Number', 'Number')
def of_numbers(a, b): return a - b
@kinds.register('Tuple', 'Tuple')
def of_tuples(a, b): return a + b
def square(a): return a * a
"""


def called(*calls: str) -> tuple[str, ...]:
    return tuple(f"{FUNCTIONS}result = {call}" for call in calls)


rows(
    *called(
        "[kinds(x(3), x(3, seed=1)), kinds(2, x(3)), kinds(5, 2), kinds((1,), (2,))]",
        "C.HyperMap()(kinds, (x(3), (2, x(2))), (x(3), (x(2), x(2))))",
        "C.HyperMap(kinds)((x(3), x(2)), (x(3), x(2)))",
        "ops.HyperMap()(F.partial(kinds, 2), [x(3), x(2)])",
        "ops.HyperMap()(square, (x(3), (x(2), x(2))))",
        "C.Map(kinds)((x(3), 2), (x(3), x(3)))",
        "ops.HyperMap()(kinds, (x(3), x(3)), (x(3),))",
        "C.clip_by_value(x(3), 0.5, 1.0)",
        "C.ones_like((x(3), x(2)))",
        "ops.partial(kinds, x(3))(x(3, seed=1))",
        "ops.Partial()(square, x(3))()",
        "ops.Depend()(x(3), x(2))",
    ),
    gradient=False,
    because="MindSpore differentiates no MultitypeFuncGraph in PyNative mode",
)
rows(
    "F.tuple_getitem((1, 2), 1)",
    "[F.scalar_max(1, 2), F.scalar_min(1, 2), F.scalar_log(2.0), F.shape_mul((2, 3))]",
    "[F.reduced_shape((2, 3), (1,)), F.reduced_shape((2, 3), ()), F.reduced_shape((2, 3), (-1,))]",
    "[F.broadcast_gradient_args((2, 3), (3,)), F.broadcast_gradient_args((2, 3), (2, 3))]",
    "[F.make_slice(1, 2, 3), F.make_range(3), F.tuple_reversed((1, 2)), F.tuple_div((4,), (2,))]",
    "[F.tuple_setitem((1, 2), 0, 5), F.list_setitem([1, 2], 0, 5), F.dict_getitem({'a': 1}, 'a')]",
    "[F.is_(1, 1), F.is_not(1, 2), F.in_dict('a', {'a': 1}), F.not_in_dict('a', {'a': 1})]",
    "[F.tuple_len((1, 2)), F.list_len([1]), F.tuple_equal((1,), (1,)), F.isconstant(1)]",
    "F.tensor_range(ms.Tensor(0), ms.Tensor(3), ms.Tensor(1))",
    "[F.mixed_precision_cast(ms.float16, x(3)), F.mixed_precision_cast(ms.float16, (x(2), 1))]",
    "[F.tensor_ge(x(3), 0.5), F.tensor_le(x(3), 0.5), F.bool_not(True)]",
    "[F.tensor_expm1(x(3)), F.tensor_floordiv(x(3), x(3, seed=1)), F.pows(x(3), 2)]",
    "C.tensor_dot(x(2, 3), x(3, 2), 1)",
    "[ms.hal.device_count(), ms.hal.is_available('CPU'), ms.hal.get_device_name(0, 'CPU')]",
    "[ms.runtime.synchronize(), ms.runtime.memory_allocated(), repr(ms.runtime.Stream())]",
    "[ms.get_context('mode'), ms.get_context('device_target'), ms.get_current_device()]",
)
refused(
    *called("kinds('a', 'b')", "kinds(x(3))", "ops.WhileLoop()(1, square, 1)"),
    *called("ops.ForiLoop()(0.5, 1, kinds, 1)", "ops.WhileLoop()(square, lambda v: v.foo, 1)"),
    *[
        f"ms.set_context({setting})"
        for setting in (
            *("mode=3", "mode='x'", "device_target='X'", "device_id=-1", "device_id='a'"),
            *("foo=1", "max_call_depth=0", "save_graphs=4", "save_graphs='a'", "op_timeout='a'"),
            *("precompile_only=1", "enable_graph_kernel=1", "graph_kernel_flags=1"),
            *("max_device_memory=3", "deterministic='x'", "jit_syntax_level=7", "debug_level=5"),
            *("memory_optimize_level='x'", "ascend_config=1", "jit_config={'x': 1}"),
            *("runtime_num_threads=-1", "pynative_synchronize=1", "grad_for_scalar=True"),
            *("env_config_path='nope.json'", "exec_order='x'", "enable_compile_cache=1"),
        )
    ],
    "ms.get_context('nope')",
    "ms.set_context(1)",
    "ms.set_seed('a')",
    "ms.set_seed(-1)",
    "ms.set_seed(2**40)",
    "ms.set_seed(True)",
    "ms.set_deterministic(1)",
    "ms.set_device('XPU')",
)
