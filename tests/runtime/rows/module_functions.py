"""Functions of the module `mindspore` itself: seeds, settings, exchange, compilation, memory."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, refused, rows

COMPILED = """
@ms.jit
def double(v, by=2.0):
    return v * by
"""


def jitted(signature: str, body: str, call: str, options: str = "") -> str:
    """A compiled function as a statement: MindSpore finds no lambda that stands in a call."""
    return f"@ms.jit{options}\ndef f({signature}):\n    return {body}\nresult = {call}"


rows(
    f"{COMPILED}\nresult = double(x(2, 3))",
    f"{COMPILED}\nresult = [double(x(2, 3), 3.0), double(x(4), by=4.0)]",
    f"{COMPILED}\nresult = double.__name__",
    jitted("v", "ops.softmax(v, -1)", "f(x(2, 3))"),
    jitted("v, w", "{'a': v + w, 'b': (v, w * 2)}", "f(x(2), x(2, seed=1))"),
    jitted("v", "v.reshape(-1)[:3]", "f(x(2, 3))"),
    jitted("v", "[v, v.shape, 3, 'text', None, True]", "f(x(2, 3))"),
    jitted("v, w", "v @ w.T", "f(x(2, 3), x(4, 3))"),
    jitted("*v", "sum(v)", "f(x(2), x(2, seed=1), x(2, seed=2))"),
    jitted("v, **named", "v * named['w']", "f(x(2), w=x(2, seed=1))"),
    jitted("v", "(v ** 3).sum()", "ms.grad(f)(x(3))"),
    jitted("v", "(v ** 3).sum()", "ms.value_and_grad(f)(x(3, low=0.5))"),
    jitted("v", "v + 1", "f(x(3))", "(capture_mode='ast')"),
    jitted("v", "v + 1", "f(x(3))", "(capture_mode='ast', jit_level='O0')"),
    jitted("v", "v + 1", "f(x(3))", "(jit_level='O1')"),
    jitted("v", "v + 1", "[f(x(3)), f(x(4))]", "(dynamic=1)"),
    jitted("v", "v + 1", "f(x(3))", "(fullgraph=True)"),
    jitted("v", "v + 1", "f(x(3))", "(backend='ms_backend')"),
    "net = filled(nn.Dense(3, 2))\nresult = ms.jit(net)(x(2, 3))",
    "class Net(nn.Cell):\n    @ms.jit\n    def construct(self, v):\n        return v * 2 + 1\n"
    "result = Net()(x(3))",
    "class Net(nn.Cell):\n    @ms.jit\n    def part(self, v, w):\n        return v * w\n"
    "    def construct(self, v):\n        return self.part(v, 3.0) + self.part(v, v)\n"
    "result = Net()(x(3))",
    "ms.jit(3)",
)
refused(
    jitted("v", "v", "f(x(2))", "(capture_mode='none')"),
    jitted("v", "v", "f(x(2))", "(jit_level='O9')"),
    jitted("v", "v", "f(x(2))", "(dynamic=5)"),
    jitted("v", "v", "f(x(2))", "(fullgraph=3)"),
    jitted("v", "v + 1", "f(x(2))", "(backend='none')"),
    f"{COMPILED}\nresult = double()",
    f"{COMPILED}\nresult = double(x(2), 1.0, 2.0)",
    f"{COMPILED}\nresult = double(x(2), to=2.0)",
)
rows(
    "@ms.constexpr\ndef made(shape):\n    return tuple(2 * n for n in shape)\n"
    + jitted("v", "v.reshape(1, -1) * made(v.shape)[0]", "f(x(2, 3))"),
    "@ops.constexpr\ndef made(n):\n    return ms.Tensor(np.arange(n).astype(np.float32))\n"
    + jitted("v", "v + made(3)", "f(x(3))"),
    "@ms.constexpr\ndef made(n):\n    return n + 1\nresult = made(3)",
    "class Block(nn.Cell):\n    @ms.lazy_inline\n    def __init__(self):\n"
    "        super().__init__()\n        self.fc = nn.Dense(2, 2, has_bias=False, "
    "weight_init='ones')\n    def construct(self, v):\n        return self.fc(v)\n"
    "result = Block()(x(3, 2))",
    "class Block(nn.Cell):\n    @ms.lazy_inline(policy='front')\n    def __init__(self):\n"
    "        super().__init__()\n        self.relu = nn.ReLU()\n"
    "    def construct(self, v):\n        return self.relu(v)\n"
    "result = Block()(x(3, 2))",
    "@ms.no_inline\ndef part(v):\n    return v * 2\n"
    + jitted("v", "part(v) + part(v + 1)", "f(x(3))"),
    "class Net(nn.Cell):\n    @ms.no_inline\n    def construct(self, v):\n        return v * 2\n"
    "result = Net()(x(3))",
)
refused("ms.lazy_inline(3)", "ms.lazy_inline(policy='other')(lambda self: None)")

# buffers and other libraries
rows(
    "ms.from_dlpack(ms.to_dlpack(x(2, 3)))",
    "ms.from_dlpack(ms.to_dlpack(x(2, dtype='int32') + 1))",
    "ms.from_dlpack(ms.to_dlpack(x(2, 3))).dtype",
    "ms.from_dlpack(x(2, 3).to_dlpack())",
    graph=False,
    gradient=False,
    because="memory is shared while Python runs",
)
rows(
    "ms.frombuffer(np.arange(4, dtype=np.float32).tobytes(), dtype=ms.float32)",
    "ms.frombuffer(bytearray(8), dtype=ms.int32)",
    "ms.frombuffer(np.arange(6, dtype=np.int16).tobytes(), dtype=ms.int16, count=2, offset=4)",
    "ms.frombuffer(np.arange(4, dtype=np.float64).tobytes(), dtype=ms.float64)",
)
refused(
    "ms.from_dlpack(3)",
    "ms.frombuffer('text', dtype=ms.float32)",
    "ms.frombuffer(bytearray(7), dtype=ms.float32)",
    "ms.frombuffer(bytearray(8), dtype=ms.float32, count=5)",
    "ms.frombuffer(bytearray(8), dtype=ms.float32, offset=9)",
    "ms.frombuffer(bytearray(8))",
    "ms.swap_tensors(x(3), 3)",
)

differs(
    "a, b = x(3) * 1, x(3, seed=1) * 1\nms.swap_tensors(a, b)\nresult = (a + 0, b + 0)",
    "(x(3, seed=1).asnumpy(), x(3).asnumpy())",
    because="MindSpore swaps what Python sees, and computes with what was there before",
)

# seeds
rows(
    "ms.set_seed(7)\nresult = ms.get_seed()",
    "ms.manual_seed(5)\nresult = ms.initial_seed()",
    "ms.manual_seed(5)\nstate = ms.get_rng_state()\nms.manual_seed(6)\nms.set_rng_state(state)\n"
    "result = [state.dtype, ms.initial_seed()]",
    "result = [type(ms.seed()).__name__, type(ms.initial_seed()).__name__]",
    "g = ms.Generator()\ng.manual_seed(3)\nresult = g.initial_seed()",
    "g = ms.Generator().manual_seed(3)\nresult = type(g).__name__",
    "g = ms.Generator()\ng.manual_seed(3)\nstate = g.get_state()\ng.manual_seed(4)\n"
    "g.set_state(state)\nresult = g.initial_seed()",
)
refused(
    "ms.manual_seed('a')", "ms.set_rng_state(3)", "ms.Generator().manual_seed('a')",
    "ms.set_seed(-1)", "ms.set_seed(1.5)", "ms.Generator().set_state(3)",
)  # fmt: skip

# settings of processes and memory, which a CPU answers
rows(
    "ms.get_auto_parallel_context('parallel_mode')",
    "ms.get_auto_parallel_context('device_num')",
    "ms.get_auto_parallel_context('gradients_mean')",
    "ms.get_auto_parallel_context('global_rank')",
    "ms.get_auto_parallel_context('full_batch')",
    "ms.set_auto_parallel_context(gradients_mean=True)\n"
    "a = ms.get_auto_parallel_context('gradients_mean')\nms.reset_auto_parallel_context()\n"
    "result = [a, ms.get_auto_parallel_context('gradients_mean')]",
    "ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.STAND_ALONE)\n"
    "result = ms.get_auto_parallel_context('parallel_mode')",
    "[ms.ParallelMode.STAND_ALONE, ms.ParallelMode.DATA_PARALLEL, ms.ParallelMode.HYBRID_PARALLEL, "
    "ms.ParallelMode.SEMI_AUTO_PARALLEL, ms.ParallelMode.AUTO_PARALLEL]",
    "ms.ParallelMode.MODE_LIST",
    "ms.get_ps_context('enable_ps')",
    "ms.set_ps_context(enable_ps=False)\nresult = ms.get_ps_context('enable_ps')",
    "ms.reset_ps_context()\nresult = ms.get_ps_context('enable_ps')",
    "ms.async_ckpt_thread_status()",
)
refused(
    "ms.get_auto_parallel_context('other')",
    "ms.set_auto_parallel_context(other=1)",
    "ms.set_auto_parallel_context(parallel_mode='other')",
    "ms.set_auto_parallel_context(device_num=0)",
    "ms.set_auto_parallel_context(gradients_mean=3)",
    "ms.get_ps_context('other')",
    "ms.set_ps_context(other=1)",
)
for name in """
    memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_stats
    memory_summary empty_cache reset_peak_memory_stats reset_max_memory_allocated
    reset_max_memory_reserved synchronize launch_blocking
""".split():
    rows(
        f"type(ms.{name}()).__name__",
    )
for name in ("current_stream", "default_stream", "communication_stream"):
    differs(
        f"type(ms.{name}()).__name__", "'Stream'", because="MindSpore's CPU build gives nothing"
    )
