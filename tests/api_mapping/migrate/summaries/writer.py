"""Every way to write summaries; the numbers are the same on each side."""

import numpy as np
import torch
import torch.utils.tensorboard as tb
from torch import nn
from torch.utils.tensorboard import SummaryWriter

STEPS = 4
state = np.random.RandomState(3)
x = torch.tensor(state.randn(6, 5).astype(np.float32))
colours = torch.tensor(state.rand(3, 4, 6).astype(np.float32))
batch = torch.tensor(state.rand(11, 1, 4, 5).astype(np.float32))
pixels = state.randint(0, 256, (5, 4, 3)).astype(np.uint8)


class Trainer:
    def __init__(self, folder, net):
        self.writer = SummaryWriter(folder, filename_suffix=".train")
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.125)

    def train(self):
        for step in range(STEPS):
            self.optimizer.zero_grad()
            loss = self.net(x).pow(2).mean()
            loss.backward()
            self.optimizer.step()
            self.writer.add_scalar("trained/loss", loss, step)
            self.writer.add_scalar("trained/number", loss.item(), global_step=step)
            for name, parameter in self.net.named_parameters():
                self.writer.add_histogram(f"trained/{name}", parameter, step)
        self.writer.flush()
        self.writer.close()


def tell(writer, step):
    writer.add_scalar("told", step * 0.5, step)


def scalars():
    with SummaryWriter("scalars", purge_step=2) as writer:
        for step in range(STEPS):
            tell(writer, step)
        writer.add_scalar("zero", 0.0)
        writer.add_scalar("tensor", x[0, 0], torch.tensor(3))
        writer.add_scalar("one of one", torch.ones(1, 1), np.int64(7))
        writer.add_scalar("integer", 5, -1, walltime=12.5)
        writer.add_scalar("array", np.float64(0.1), 1)
        writer.add_scalar("not a number", float("nan"), 1)
        writer.add_scalar("infinite", float("inf"), 1)
        writer.add_scalar("half", torch.tensor(0.5, dtype=torch.float16), 1)
        writer.add_scalar("new", 0.1, 1, new_style=True)
        writer.add_scalar("new", 0.1, 2, new_style=True, double_precision=True)
        writer.add_scalars("both/of", {"train": 1.5, "test": x[0, 1]}, 1)
        writer.add_scalars("both/of", {"train": 2.5}, 2, walltime=3.0)


def histograms(writer):
    writer.add_histogram("normal", x, 1)
    writer.add_histogram("array", x.numpy() * 1e3, 2)
    writer.add_histogram("positive", x.abs() + 1, 3)
    writer.add_histogram("all equal", torch.zeros(7), 4)
    writer.add_histogram("integers", torch.arange(20), 5, bins="auto")
    writer.add_histogram("few", x, 6, bins=30, max_bins=4)
    writer.add_histogram("given", x, 7, bins=[-2.0, -1.0, 0.0, 1.0, 4.0])
    writer.add_histogram("fewer", x, 8, max_bins=100)
    writer.add_histogram_raw("raw", 0, 2, 3, 3, 5.5, [1, 2], np.array([1, 2]), 1)


def images(writer):
    writer.add_image("colours", colours, 1)
    writer.add_image("grey", colours[:1], 1)
    writer.add_image("plain", colours[1], 1, dataformats="HW")
    writer.add_image("turned", colours[1], 1, dataformats="WH")
    writer.add_image("bytes", pixels, 1, dataformats="HWC")
    writer.add_image("byte tensor", torch.tensor(pixels), 2, dataformats="hwc")
    writer.add_image("out of range", colours * 4 - 1, 1)
    writer.add_images("batch", batch, 1)
    writer.add_images("last", batch.permute(0, 2, 3, 1), 1, dataformats="NHWC")
    writer.add_images("coloured", torch.stack([colours, 1 - colours]), 1)


def failures(writer):
    attempts = (
        lambda: writer.add_scalar("two", torch.ones(2), 1),
        lambda: writer.add_scalar("none", None, 1),
        lambda: writer.add_histogram("empty", torch.zeros(0), 1),
        lambda: writer.add_histogram_raw("raw", 0, 1, 1, 1, 1, [1, 2], [1], 1),
        lambda: writer.add_image("axes", colours, 1, dataformats="HW"),
        lambda: writer.add_image("twice", colours, 1, dataformats="HHW"),
        lambda: writer.add_images("two channels", batch.expand(11, 2, 4, 5), 1),
        lambda: writer.add_hparams([1], {}),
        lambda: writer.add_hparams({"net": {}}, {}),
        lambda: writer.add_hparams({"lr": 0.1}, {}, {"lr": ["a"]}),
        lambda: writer.add_text("number", 3, 1),
    )
    found = []
    for attempt in attempts:
        try:
            attempt()
            found.append("nothing")
        except (AttributeError, AssertionError, TypeError, ValueError, NotImplementedError) as e:
            found.append(type(e).__name__)
    writer.add_text("failures", " ".join(found), 1)


def others():
    writer = tb.SummaryWriter(log_dir="others")
    histograms(writer)
    images(writer)
    writer.add_text("words", "so it *ends*, ünïcode", 3)
    failures(writer)
    settings = {
        "lr": 0.25,
        "kind": "sgd",
        "nesterov": True,
        "rate": torch.tensor([0.5]),
        "no": None,
    }
    choices = {"kind": ["sgd", "adam"], "lr": [0.25, 0.5]}
    writer.add_hparams(settings, {"best": 0.75, "last": x[0, 2]}, choices, "run", 3)
    writer.add_hparams({"lr": 1}, {"best": 0.0}, run_name="plain")
    writer.close()
    writer.close()
    writer.add_scalar("after the end", 1.0, 1)
    writer.close()
    assert writer.get_logdir() == "others"


net = nn.Linear(5, 2)
with torch.no_grad():
    net.weight.copy_(torch.arange(10.0).reshape(2, 5) / 8)
    net.bias.fill_(0.25)
Trainer("trained", net).train()
scalars()
others()
