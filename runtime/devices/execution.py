"""`mindspore.runtime` and `mindspore.hal`: one device, whose calls are done when they return."""

from __future__ import annotations

import contextlib
import time
from typing import Any

COUNTS = (
    "total_reserved_memory",
    "total_allocated_memory",
    "total_idle_memory",
    "total_eager_free_memory",
    "max_reserved_memory",
    "max_allocated_memory",
)
"""What `memory_stats` tells: nothing is pooled on the CPU."""


class Event:
    """A moment in the order of calls, as `mindspore.runtime.Event`."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        self.enable_timing, self.blocking = enable_timing, blocking
        self.moment: float | None = None

    def record(self, stream: Any = None) -> None:
        self.moment = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Everything before it is done."""

    def synchronize(self) -> None:
        """Everything before it is done."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, other_event: Event) -> float:
        """Milliseconds between two moments. Raises: RuntimeError if one is not recorded."""
        if self.moment is None or other_event.moment is None:
            raise RuntimeError("Both events must be recorded before their time can be told.")
        return (other_event.moment - self.moment) * 1000


class Stream:
    """A queue of calls, as `mindspore.runtime.Stream`; there is one, and it is empty."""

    device_name, device_id, id = "CPU", 0, 0

    def __init__(self, priority: int = 0, **kwargs: Any) -> None:
        self.priority = priority

    def record_event(self, event: Event | None = None) -> Event:
        found = Event() if event is None else event
        found.record(self)
        return found

    def wait_event(self, event: Event) -> None:
        """Everything before it is done."""

    def wait_stream(self, stream: Stream) -> None:
        """Everything in it is done."""

    def synchronize(self) -> None:
        """Everything in it is done."""

    def query(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f"Stream(device_name={self.device_name}, device_id:{self.device_id}, stream id:0)"


@contextlib.contextmanager
def StreamCtx(ctx_stream: Stream) -> Any:  # a class in MindSpore
    """Inside, calls go to `ctx_stream`, which is the only one."""
    yield ctx_stream


def current_stream() -> Stream:
    return Stream()


default_stream = communication_stream = current_stream


def set_cur_stream(stream: Stream) -> None:
    """Accepted. Raises: TypeError for what is no Stream."""
    if not isinstance(stream, Stream):
        raise TypeError(f"For 'set_cur_stream', the 'stream' must be Stream, but got {stream}.")


def accepted(*args: Any, **kwargs: Any) -> None:
    """Nothing to do: calls are done when they return, and nothing is pooled."""


set_stream_limit = reset_stream_limit = set_device_limit = memory_replay = accepted
synchronize = launch_blocking = empty_cache = set_memory = set_cpu_affinity = accepted
dispatch_threads_num = set_kernel_launch_group = set_kernel_launch_capture = accepted
reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats = accepted


def nothing(device_target: str | None = None) -> int:
    """Bytes that a pool holds: there is none."""
    return 0


memory_allocated = memory_reserved = max_memory_allocated = max_memory_reserved = nothing


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    pool = {"block_unit_size": 0, "block_counts": 0, "blocks_info": {}}
    return {
        **dict.fromkeys(COUNTS, 0),
        "common_mem_pool_stats": dict(pool),
        "persistent_mem_pool_stats": dict(pool),
    }


def memory_summary(device_target: str | None = None) -> str:
    """`memory_stats` as a table."""
    edge, line = f"|{'=' * 45}|", f"|{'-' * 45}|"
    rows = [
        f"| {name.replace('_', ' ').capitalize():<20} | {'0 B':>10}{' ' * 11}|" for name in COUNTS
    ]
    head = [edge, f"|{'Memory summary':^45}|", edge]
    return "\n".join([*head, *[part for row in rows for part in (row, line)][:-1], edge, ""])


def device_count(device_target: str | None = None) -> int:
    return 1


def is_available(device_target: str = "CPU") -> bool:
    """Whether there is such a device. Raises: ValueError for one that MindSpore lacks."""
    if device_target not in ("CPU", "GPU", "Ascend"):
        raise ValueError(f"For 'is_available', there is no device_target {device_target}.")
    return device_target == "CPU"


is_initialized = is_available


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    return "CPU" if device_target is None else device_target


def get_device_capability(device_id: int, device_target: str | None = None) -> None:
    """Nothing is known of a CPU."""


def get_device_properties(device_id: int, device_target: str | None = None) -> None:
    """Nothing is known of a CPU."""


def get_arch_list(device_target: str | None = None) -> None:
    """Nothing is known of a CPU."""


def run_check() -> None:
    """Multiplies two matrices, and says whether the product is right."""
    from ..engine.tensor import Tensor
    from ..ops.registry import OPS  # ops need the device first

    product = OPS["matmul"](Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))
    right = product.asnumpy().tolist() == [[11.0]]
    word = "correct" if right else "wrong"
    print(f"The result of multiplication calculation is {word}.")  # noqa: T201  # it is to be read
