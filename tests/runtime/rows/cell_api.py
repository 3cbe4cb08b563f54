"""What Cell, Parameter and ParameterTuple answer, and what they refuse."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = nn.Dense(2, 3, weight_init='ones', bias_init='zeros')
        self.seq = nn.SequentialCell([nn.ReLU(), nn.Conv2d(1, 2, 3)])
        self.w = ms.Parameter(ms.Tensor([1.0]), name='ww')
        self.register_buffer('b', ms.Tensor([2.0]))
        self.register_buffer('nb', ms.Tensor([3.0]), persistent=False)
    def construct(self, x):
        return self.d(x) * 2.0
def before(cell, inputs): return inputs[0] * 2.0
def before_named(cell, inputs, named): return (inputs[0] * 3.0,), named
def after(cell, inputs, output): return output * 3.0
def back(cell, of_inputs, of_outputs): return of_inputs[0] * 5.0 + of_outputs[0].sum()
def back_before(cell, of_outputs): return of_outputs[0] * 7.0
def hooked(register, hook, **options):
    net = Net()
    getattr(net.d, register)(hook, **options)
    return net(x(4, 2)), ms.grad(net)(x(4, 2))
def removed(register, hook):
    net = Net()
    getattr(net.d, register)(hook).remove()
    return net(x(4, 2)), ms.grad(net)(x(4, 2))
def given(value, make):
    make(value)
    return value
p = ms.Parameter(ms.Tensor([1.0, 2.0]), name='p')
net = Net()
"""


def of_net(*calls: str) -> tuple[str, ...]:
    return tuple(f"{NET}result = {call}" for call in calls)


rows(
    *of_net(
        "hooked('register_forward_pre_hook', before)",
        "hooked('register_forward_pre_hook', before_named, with_kwargs=True)",
        "hooked('register_forward_hook', after)",
        "hooked('register_backward_hook', back)",
        "hooked('register_backward_pre_hook', back_before)",
        "removed('register_forward_hook', after)",
        "removed('register_backward_hook', back)",
        "list(net.state_dict())",
        "list(net.state_dict(prefix='q.'))",
        "repr(net.load_state_dict(net.state_dict()))",
        "repr(net.load_state_dict({}, strict=False))",
        "repr(net.load_state_dict({'x': ms.Tensor([1.0])}, strict=False))",
        "[name for name, _ in net.named_buffers()]",
        "[name for name, _ in net.named_buffers('pre', recurse=False)]",
        "[net.get_buffer('b'), repr(net.get_sub_cell('seq.0'))]",
        "[net.add_flags(a=1) is net, net.a, net.add_flags_recursive(b=2).seq.b, net.get_flags()]",
        "[net.phase, net.set_train(False).phase, net.training, net.d.training]",
        "[net.param_prefix, net.update_cell_prefix(), net.d.param_prefix]",
        "[net.get_scope(), net.generate_scope(), net.d.get_scope(), net.seq[1].get_scope()]",
        "[list(net.parameters_broadcast_dict()), list(net.parameters_dict())]",
        "[net.parameter_layout_dict, net.check_names(), len(net.init_parameters_data())]",
        "[net.update_parameters_name('z.'), [p.name for p in net.get_parameters()]]",
        "[net.set_broadcast_flag() is net, net.set_comm_fusion(1) is net, net.set_grad() is net]",
        "[net.set_data_parallel(), net.recompute(), net.shard(((1, 1),)), net.get_inputs()]",
        "[setattr(net, 'w', ms.Tensor([5.0])), net.w * 1.0, setattr(net, 'd', None), net.d]",
        "[p.layerwise_parallel, p.parallel_optimizer, p.comm_fusion, p.cache_enable]",
        "[p.key, p.sliced, p.unique, p.is_init, p.inited_param, p.requires_grad, p.has_init]",
        "[repr(p), repr(p.clone()), p.clone('zeros').asnumpy(), p.clone(3.0).asnumpy()]",
        "[ms.Parameter(v, name='k').dtype for v in (3, 3.0, [1, 2.0], np.ones(2, np.float32))]",
        "p.set_data(ms.Tensor([3, 4]))",
        "[q.name for q in ms.ParameterTuple([p]).clone('pre')]",
        "ms.ParameterTuple([p]).clone('pre', 'zeros')[0].asnumpy()",
        "[ms.Parameter(x(1)).name.split('#')[0], ms.Parameter(x(1), name=' a ').name]",
        "repr(net).split('weight_init')[0].rstrip(', )\\n')",
    ),
    gradient=False,
    because="it is no number, or has a gradient of its own",
)
refused(
    *of_net(
        "net.register_forward_hook(1)",
        "net.load_state_dict({})",
        "net.load_state_dict({'w': x(2)}, strict=False)",
        "net.load_state_dict(3)",
        "net.get_buffer('w')",
        "net.get_sub_cell('w')",
        "net.get_sub_cell('zz')",
        "setattr(net, 'phase', 1)",
        "setattr(net, 'd', 3)",
        "setattr(net, 'w', 3)",
        "setattr(net, 'b', 3)",
        "net.update_parameters_name('!')",
        "net.set_boost('less')",
        "net.set_comm_fusion(-1)",
        "net.set_comm_fusion(True)",
        "net.to_float(ms.int32)",
        "net.set_inputs(q=x(1))",
        "net.set_inputs(x(1), x=x(1))",
        "net.get_extra_state()",
        "net.recompute(wrong=True)",
        "net.insert_param_to_cell('a.b', p)",
        "net.insert_param_to_cell('', p)",
        "net.insert_param_to_cell('k', 3)",
        "net.insert_child_to_cell('w', nn.ReLU())",
        "net.insert_child_to_cell('k', 3)",
        "net.insert_child_to_cell(3, nn.ReLU())",
        "setattr(p, 'layerwise_parallel', 1)",
        "setattr(p, 'requires_grad', 1)",
        "setattr(p, 'comm_fusion', -1)",
        "setattr(p, 'cache_shape', 1)",
        "setattr(p, 'name', 3)",
        "setattr(p, 'name', 'a' * 1025)",
        "ms.Parameter(True)",
        "ms.Parameter(None)",
        "ms.Parameter((1, 2))",
        "ms.Parameter(x(1), name=3)",
        "ms.Parameter(x(1), requires_grad=2)",
        "p.set_data(np.ones(2))",
        "p.add_pipeline_stage('a')",
        "ms.ParameterTuple([1])",
        "ms.ParameterTuple(3)",
        "ms.ParameterTuple([p]).clone(3)",
        "ms.ParameterTuple([p, ms.Parameter(x(1), name='p')])",
        "ms.JitConfig(jit_level='O5')",
        "ms.JitConfig(exc_mode='x')",
        "ms.set_recursion_limit(0)",
        "ms.set_recursion_limit('a')",
        "ms.jit_class(3)",
    )
)
