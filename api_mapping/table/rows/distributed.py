"""torch.distributed: collectives, groups, sharded models, remote calls."""

from ..families import missing
from ..rule import Rule

PROCESSES = "several processes"
ON_ASCEND = "several processes on Ascend"
WITHOUT_CPU = (
    *("reduce", "all_gather_into_tensor", "reduce_scatter", "reduce_scatter_tensor"),
    *("all_to_all", "all_to_all_single", "send", "isend", "recv", "irecv", "batch_isend_irecv"),
    *("broadcast_object_list", "gather_object", "scatter_object_list"),
)
"""Collectives whose kernels MindSpore has for Ascend alone."""

START = "Start the processes by msrun, which tells each its number; the backend is the device's."


def collective(
    name: str, parameters: str, arguments: str, returns: str = "other", target: str = ""
) -> Rule:
    """A function of `mint.distributed` that is PyTorch's; it writes into its argument as well."""
    return Rule(
        f"torch.distributed.{name}({parameters})",
        f"{target or f'mint.distributed.{name}'}({arguments})",
        reject={
            parameter: "give the number of the process in all: src or dst"
            for parameter in ("group_src", "group_dst")
            if parameter in parameters
        },
        returns=returns,
        platform=ON_ASCEND if name in WITHOUT_CPU else PROCESSES,
    )


def gone(advice: str, prefix: str, *signatures: str) -> tuple[Rule, ...]:
    """Names of one module, with one thing to do instead."""
    return missing(advice, *(f"torch.distributed.{prefix}{signature}" for signature in signatures))


SUM = "op=torch.distributed.ReduceOp.SUM, group=None, async_op=False"
REDUCED = "op=op, group=group, async_op=async_op"
ENDING = "group=None, async_op=False"
ENDED = "group=group, async_op=async_op"

COLLECTIVES = (
    collective("all_reduce", f"tensor, {SUM}", f"tensor, {REDUCED}"),
    collective("reduce", f"tensor, dst=None, {SUM}, group_dst=None", f"tensor, dst, {REDUCED}"),
    collective("all_gather", f"tensor_list, tensor, {ENDING}", f"tensor_list, tensor, {ENDED}"),
    collective(
        "all_gather_into_tensor",
        f"output_tensor, input_tensor, {ENDING}",
        f"output_tensor, input_tensor, {ENDED}",
    ),
    collective("reduce_scatter", f"output, input_list, {SUM}", f"output, input_list, {REDUCED}"),
    collective("reduce_scatter_tensor", f"output, input, {SUM}", f"output, input, {REDUCED}"),
    *(
        Rule(
            f"torch.distributed.{name}({parameters})",
            f"mint.distributed.{target}({arguments})",
            returns="other",
            platform=ON_ASCEND,
        )
        for name, target, parameters, arguments in (
            (
                "all_gather_single",
                "all_gather_into_tensor",
                f"output_tensor, input_tensor, {ENDING}",
                f"output_tensor, input_tensor, {ENDED}",
            ),
            (
                "reduce_scatter_single",
                "reduce_scatter_tensor",
                f"output, input, {SUM}",
                f"output, input, {REDUCED}",
            ),
        )
    ),
    collective(
        "all_to_all",
        f"output_tensor_list, input_tensor_list, {ENDING}",
        f"output_tensor_list, input_tensor_list, {ENDED}",
    ),
    collective(
        "all_to_all_single",
        f"output, input, output_split_sizes=None, input_split_sizes=None, {ENDING}",
        "output, input, output_split_sizes=output_split_sizes, "
        f"input_split_sizes=input_split_sizes, {ENDED}",
    ),
    collective("broadcast", f"tensor, src=None, {ENDING}, group_src=None", f"tensor, src, {ENDED}"),
    collective(
        "gather",
        f"tensor, gather_list=None, dst=None, {ENDING}, group_dst=None",
        f"tensor, gather_list=gather_list, dst=dst, {ENDED}",
        target="compat.gather_to",
    ),
    collective(
        "scatter",
        f"tensor, scatter_list=None, src=None, {ENDING}, group_src=None",
        f"tensor, scatter_list=scatter_list, src=src, {ENDED}",
        target="compat.scatter_from",
    ),
    collective(
        "barrier",
        f"{ENDING}, device_ids=None, timeout=None",
        f"{ENDED}, device_ids=device_ids",
    ),
    Rule(
        "torch.distributed.monitored_barrier(group=None, timeout=None, wait_all_ranks=False)",
        "mint.distributed.barrier(group)",
        note="It does not say which process is late.",
        drop=("timeout", "wait_all_ranks"),
        returns="none",
        platform=PROCESSES,
    ),
    *(
        collective(
            name,
            f"tensor, {place}=None, group=None, tag=0, group_{place}=None",
            f"tensor, {place}={place}, group=group, tag=tag",
        )
        for name, place in (("send", "dst"), ("isend", "dst"), ("recv", "src"), ("irecv", "src"))
    ),
    Rule(
        "torch.distributed.P2POp(op, tensor, peer=None, group=None, tag=0, group_peer=None)",
        "mint.distributed.P2POp(op, tensor, peer, group=group, tag=tag)",
        reject={"group_peer": "give the number of the process in all: peer"},
        platform=ON_ASCEND,
    ),
    collective("batch_isend_irecv", "p2p_op_list", "p2p_op_list", "list"),
    *gone(
        "call the function for each tensor",
        "",
        "all_reduce_coalesced(tensors, op=None, group=None, async_op=False)",
        "all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False)",
    ),
)

OBJECTS = (
    collective(
        "all_gather_object", "object_list, obj, group=None", "object_list, obj, group=group"
    ),
    collective(
        "broadcast_object_list",
        "object_list, src=None, group=None, device=None, group_src=None",
        "object_list, src=src, group=group",
    ),
    collective(
        "gather_object",
        "obj, object_gather_list=None, dst=None, group=None, group_dst=None",
        "obj, object_gather_list, dst=dst, group=group",
    ),
    collective(
        "scatter_object_list",
        "scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, "
        "group_src=None",
        "scatter_object_output_list, always(scatter_object_input_list), src=src, group=group",
    ),
    *(
        Rule(
            f"torch.distributed.{name}(object_list, {place}=None, group=None, device=None, "
            f"group_{place}=None, use_batch=False)",
            f"mint.distributed.{name}(object_list, {place}={place}, group=group)",
            reject={f"group_{place}": f"give the number of the process in all: {place}"},
            drop=("use_batch",),
            returns="other",
            platform=ON_ASCEND,
        )
        for name, place in (("send_object_list", "dst"), ("recv_object_list", "src"))
    ),
)

OPERATIONS = (
    *(
        Rule(
            f"torch.distributed.{name}.{old}",
            f'"{new}"',
            note="The operation of a collective is a string.",
            returns="str",
            example=f"torch.distributed.{name}.{old}",
            check="runs",
        )
        for name in ("ReduceOp", "reduce_op")
        for old, new in (
            *(("SUM", "sum"), ("PRODUCT", "prod"), ("MIN", "min"), ("MAX", "max")),
            *([("AVG", "avg")] if name == "ReduceOp" else []),
        )
    ),
    *gone(
        'the operation of a collective is "sum", "prod", "min", "max" or "avg"',
        "",
        "ReduceOp",
        "reduce_op",
        "supports_complex(reduceOp)",
    ),
)

NO_CHOICE = "The backend is the device's own: hccl on Ascend, nccl on GPU, mccl on the CPU."

STATE = (
    *(
        Rule(
            f"torch.distributed.is_{backend}_available()",
            str(backend == "gloo"),
            note=NO_CHOICE,
            returns="bool",
            example=f"isinstance(torch.distributed.is_{backend}_available(), bool)",
        )
        for backend in ("gloo", "mpi", "nccl", "ucc", "xccl")
    ),
    Rule(
        "torch.distributed.is_available()",
        "True",
        note="MindSpore always has it.",
        returns="bool",
        example="torch.distributed.is_available()",
    ),
    Rule(
        "torch.distributed.is_initialized()",
        "ms.communication.GlobalComm.INITED",
        mint="mint.distributed.is_initialized()",
        returns="bool",
        example="torch.distributed.is_initialized()",
    ),
    Rule(
        "torch.distributed.init_process_group(backend=None, init_method=None, timeout=None, "
        'world_size=-1, rank=-1, store=None, group_name="", pg_options=None, device_id=None, '
        "_ranks=None)",
        "ms.communication.init()",
        note=START,
        drop=(
            *("backend", "init_method", "timeout", "world_size", "rank", "store"),
            *("group_name", "pg_options", "device_id", "_ranks"),
        ),
        returns="none",
        platform=PROCESSES,
    ),
    Rule(
        "torch.distributed.destroy_process_group(group=None)",
        "mint.distributed.destroy_process_group(group)",
        returns="none",
        platform=PROCESSES,
    ),
    Rule(
        "torch.distributed.get_rank()",
        "ms.communication.get_rank()",
        limit="Without ms.communication.init() it is 0, where PyTorch raises an error.",
        returns="int",
        example="torch.distributed.get_rank()",
        check="alone",
    ),
    collective("get_rank", "group=None", "group", "int"),
    Rule(
        "torch.distributed.get_world_size()",
        "ms.communication.get_group_size()",
        limit="Without ms.communication.init() it is 1, where PyTorch raises an error.",
        returns="int",
        example="torch.distributed.get_world_size()",
        check="alone",
    ),
    collective("get_world_size", "group=None", "group", "int"),
    Rule(
        "torch.distributed.get_node_local_rank(fallback_rank=None)",
        "ms.communication.get_local_rank()",
        note="It is 0 where there is one process.",
        drop=("fallback_rank",),
        returns="int",
        example="torch.distributed.get_node_local_rank(0)",
        check="alone",
    ),
    Rule(
        "torch.distributed.get_backend(group=None)",
        "mint.distributed.get_backend(group)",
        note="On the CPU it says hccl, too.",
        returns="str",
        platform=PROCESSES,
    ),
    collective("get_global_rank", "group, group_rank", "group, group_rank", "int"),
    collective("get_group_rank", "group, global_rank", "group, global_rank", "int"),
    collective("get_process_group_ranks", "group", "group", "list"),
    Rule(
        "torch.distributed.new_group(ranks=None, timeout=None, backend=None, pg_options=None, "
        "use_local_synchronization=False, group_desc=None, device_id=None, sort_ranks=True)",
        "mint.distributed.new_group(ranks)",
        drop=(
            *("timeout", "backend", "pg_options", "use_local_synchronization"),
            *("group_desc", "device_id", "sort_ranks"),
        ),
        returns="str",
        platform=PROCESSES,
    ),
    Rule(
        "torch.distributed.group.WORLD",
        "ms.communication.GlobalComm.WORLD_COMM_GROUP",
        returns="str",
        example="torch.distributed.group.WORLD",
        check="runs",
    ),
    *gone(
        "groups are made one by one: mint.distributed.new_group(ranks)",
        "",
        "new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, "
        "group_desc=None)",
        "new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, "
        "pg_options=None, group_desc=None)",
        "shrink_group(ranks_to_exclude, group=None, shrink_flags=0, pg_options=None)",
        "split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, "
        "group_desc=None, backend=None)",
        "get_pg_count()",
    ),
    *gone(
        "a group is a string on MindSpore: what new_group returns, or GlobalComm.WORLD_COMM_GROUP",
        "",
        "ProcessGroup",
        "GroupMember()",
        "GroupName",
        "group()",
        "RankType",
    ),
    *gone(
        "delete it: the backend is the device's own, hccl on Ascend, nccl on GPU, mccl on the CPU",
        "",
        "Backend(name)",
        "BackendConfig(backend)",
        "get_backend_config(group=None)",
        "get_default_backend_for_device(device)",
        "is_backend_available(backend)",
    ),
    *gone(
        "delete it: msrun starts the processes and lets them meet",
        "",
        "is_torchelastic_launched()",
        "FileStore",
        "HashStore",
        "PrefixStore",
        "Store",
        "TCPStore",
        "register_rendezvous_handler(scheme, handler)",
        "default_pg_timeout",
        "constants",
    ),
    *gone(
        "use what the function returns with async_op=True: it has wait()",
        "",
        "Work",
    ),
    *gone(
        "catch RuntimeError",
        "",
        "DistBackendError(*args, **kwargs)",
        "DistError(*args, **kwargs)",
        "DistNetworkError(*args, **kwargs)",
        "DistStoreError(*args, **kwargs)",
        "QueueEmptyError(*args, **kwargs)",
    ),
    *gone(
        "delete it; MindSpore logs by the environment's GLOG_v",
        "",
        "DebugLevel",
        "breakpoint(rank=0, skip=0, timeout_s=3600)",
        "c10d_logger",
        "config",
        "get_debug_level()",
        "log",
        "logging_handlers",
        "record_comm(name)",
        "set_debug_level(level)",
        "set_debug_level_from_env()",
        "utils",
        "distributed_c10d",
        "remote_device",
    ),
    *gone(
        "gradients are summed by nn.DistributedGradReducer(params), which has no hooks",
        "",
        "BuiltinCommHookType",
        "GradBucket(*args, **kwargs)",
        "algorithms",
    ),
)

SHARDED = (
    *gone(
        "wrap the network: net = ms.parallel.auto_parallel.AutoParallel(net), and shard weights "
        "and optimizer by net.hsdp()",
        "fsdp.",
        *(
            f"{module}FullyShardedDataParallel{method}"
            for module in ("", "fully_sharded_data_parallel.")
            for method in ("(module, process_group=None, **options)", ".state_dict_type")
        ),
        "FullyShardedDataParallel.optim_state_dict",
        "FullyShardedDataParallel.optim_state_dict_to_load",
        "FullyShardedDataParallel.rekey_optim_state_dict",
        *(
            f"fully_sharded_data_parallel.StateDictType.{kind}_STATE_DICT"
            for kind in ("FULL", "LOCAL", "SHARDED")
        ),
        "CPUOffload(offload_params=False)",
        "FSDPModule",
        "MixedPrecision(param_dtype=None, reduce_dtype=None, buffer_dtype=None, **options)",
        "MixedPrecisionPolicy(param_dtype=None, reduce_dtype=None, output_dtype=None, "
        "cast_forward_inputs=True)",
        "ShardingStrategy",
        "fully_shard(module, *, mesh=None, **options)",
        "wrap.size_based_auto_wrap_policy",
        "wrap.transformer_auto_wrap_policy",
    ),
    *gone(
        "lay tensors out by ms.parallel.Layout(device_matrix, names) and Cell.shard under "
        "ms.parallel.auto_parallel.AutoParallel",
        "",
        "DeviceMesh(device_type, mesh=None, *, mesh_dim_names=None, **options)",
        "device_mesh",
        "device_mesh.init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, "
        "backend_override=None)",
        "init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None)",
        "_tensor.Replicate()",
        "_tensor.Shard(dim)",
        "tensor.DTensor",
        "tensor.distribute_tensor(tensor, device_mesh=None, placements=None, **options)",
        "tensor.parallel.ColwiseParallel(*, input_layouts=None, output_layouts=None, "
        "use_local_output=True)",
        "tensor.parallel.RowwiseParallel(*, input_layouts=None, output_layouts=None, "
        "use_local_output=True)",
        "tensor.parallel.parallelize_module(module, device_mesh=None, parallelize_plan=None, "
        "**options)",
    ),
    *gone(
        "save the part of each process by ms.save_checkpoint, and load them by "
        "ms.load_distributed_checkpoint",
        "checkpoint.",
        "FileSystemReader(path, **options)",
        "FileSystemWriter(path, **options)",
        "state_dict.StateDictOptions(**options)",
        "state_dict.get_model_state_dict(model, **options)",
        "state_dict.get_optimizer_state_dict(model, optimizers, **options)",
        "state_dict.set_model_state_dict(model, model_state_dict, **options)",
        "state_dict.set_optimizer_state_dict(model, optimizers, optim_state_dict, **options)",
    ),
    *gone(
        "call recompute() of the Cell that is to be computed again",
        "algorithms._checkpoint.checkpoint_wrapper.",
        "checkpoint_wrapper(module, *args, **options)",
    ),
)

REMOTE = gone(
    "write one program for all processes that sends tensors by mint.distributed.send and recv: "
    "MindSpore has no remote calls",
    "",
    "rpc",
    "rpc.RRef(value)",
    "rpc.get_worker_info(worker_name=None)",
    "rpc.init_rpc(name, backend=None, rank=-1, world_size=None, rpc_backend_options=None)",
    "rpc.remote(to, func, args=None, kwargs=None, timeout=-1.0)",
    "rpc.rpc_sync(to, func, args=None, kwargs=None, timeout=-1.0)",
    "rpc.shutdown(graceful=True, timeout=0)",
    "autograd",
    "autograd.backward(context_id, roots, retain_graph=False)",
    "autograd.context()",
    "optim.DistributedOptimizer(optimizer_class, params_rref, *args, **kwargs)",
)

RULES = (*COLLECTIVES, *OBJECTS, *OPERATIONS, *STATE, *SHARDED, *REMOTE)
