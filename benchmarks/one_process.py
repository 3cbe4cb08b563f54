"""Training steps in a process of their own.

    python one_process.py FRAMEWORK NETWORK STEPS THREADS

FRAMEWORK is runtime, torch or mindspore (whose Python must run this). Prints "start", then one
line for each step, its seconds; at the end "peak", the MB that the process took beyond what it
had after its imports.
"""

import sys
import time
from pathlib import Path

from networks.sizes import batch


def held(which):
    """MB that the process holds now (VmRSS), or held at most (VmHWM)."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if which in line)


def make_step(framework, name, threads):
    """The step, and what the process held before anything was made."""
    x, y = batch(name)
    if framework == "torch":
        import torch
        from networks import in_torch

        torch.set_num_threads(threads)
        before = held("VmRSS")
        return in_torch.training_step(name, x, y)[1], before
    if framework == "runtime":
        from msconvert.runtime.alias import answer_mindspore

        answer_mindspore()
    import mindspore
    from networks import in_mindspore

    mindspore.set_context(runtime_num_threads=threads)
    before = held("VmRSS")
    return in_mindspore.training_step(name, x, y, framework == "runtime")[1], before


def main(framework, name, steps, threads):
    step, before = make_step(framework, name, int(threads))
    print("start", flush=True)
    for _ in range(int(steps)):
        start = time.perf_counter()
        step()
        print(time.perf_counter() - start, flush=True)
    print("peak", held("VmHWM") - before, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
