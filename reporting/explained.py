"""What to do about each code, and its smallest example: the pages of `msconvert explain`.

What a code means is said in `errors.CODES`; of findings in PyTorch source, more in
`api_mapping.findings.guide`.
"""

from __future__ import annotations

from typing import NamedTuple


class Explained(NamedTuple):
    """`example`: Python that is scanned with this finding, or a command that ends so.

    `todo`: what to do; "" where the guide of findings says it.
    """

    example: str
    todo: str = ""


NETWORK = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x: torch.Tensor):\n"

EXPLAINED = {
    "MS101": Explained(
        "msconvert --model_file model.onnx   # with an operator of a domain of your own",
        "The script has a placeholder there that raises when it is called. Export again at another "
        "opset, write the placeholder by hand, or add a handler (CONTRIBUTING.md).",
    ),
    "MS102": Explained(
        "msconvert --model_file notes.txt",
        "Check that the file is an ONNX model, whole, and of a size that its contents explain.",
    ),
    "MS103": Explained(
        "msconvert --model_file model.onnx   # without the model.data beside it",
        "Put the files of external data beside the model, or save it as one file.",
    ),
    "MS104": Explained(
        "msconvert --model_file model.onnx   # a node reads a tensor that nothing makes",
        "Export the model again; onnx.checker.check_model says what is wrong in it.",
    ),
    "MS105": Explained(
        "msconvert --model_file model.onnx --shape 1,3",
        "The help of the command lists its flags; the message says what the model has.",
    ),
    "MS106": Explained(
        "msconvert --model_file model.onnx   # of an opset that was not there yet",
        "Export the model at an opset that is known; the message names it.",
    ),
    "MS107": Explained(
        "msconvert demo && msconvert demo",
        "Name another place, make room, or say --force if what is there may go.",
    ),
    "MS108": Explained(
        "msconvert --model_file model.onnx   # the comparison's figures are too large",
        "The report names the first tensor that differs. Report it: the script is not the model.",
    ),
    "MS109": Explained(
        "msconvert --model_file model.onnx   # a size that was dynamic is written out",
        "Read the note: the script is right for what it says, and for nothing else.",
    ),
    "MS110": Explained(
        "msconvert --model_file model.onnx --memory 100MB",
        "If you trust the file, allow more: --memory 8GB, --timeout 600; `ulimit -a` shows the "
        "system's limits.",
    ),
    "MS111": Explained(
        "msconvert.convert_module(torch.nn.Linear, torch.ones(1, 2))",
        "Give an instance with its weights, on the CPU, and inputs on which it runs; what "
        'PyTorch\'s exporter refuses, its other one may take: exporter="torchscript".',
    ),
    "MS200": Explained(
        "msconvert api nn.Linaer",
        "The message names the nearest. What is private, or newer than the table, is not in it.",
    ),
    "MS201": Explained("import torch\n\ntorch.fx.symbolic_trace(print)\n"),
    "MS202": Explained("import torch\n\ntorch.cuda.current_stream()\n"),
    "MS203": Explained("import torch\n\ntorch.nn.BatchNorm2d(3)\n"),
    "MS204": Explained("import torch\n\ntorch.nn.functional.normalize(torch.ones(2, 2))\n"),
    "MS205": Explained("import torch\n\ntorch.not_there()\n"),
    "MS206": Explained("import torch\n\n\ndef flat(x):\n    return x.flatten(1).erfinv()\n"),
    "MS207": Explained(
        "import torch\n\n\ndef optimizer(name: str, weights):\n"
        "    return getattr(torch.optim, name)(weights)\n"
    ),
    "MS208": Explained("import torch\n\ntorch.stft(torch.ones(9), 3, align_to_window=True)\n"),
    "MS209": Explained(
        "def forward(:\n",
        "Mend the file: `python -m py_compile FILE` shows the line. What is nested over 400 levels "
        "deep has to be written in several statements.",
    ),
    "MS210": Explained("x = 1  # msconvert: ignore[MS999]\n"),
    "MS211": Explained(
        "msconvert scan . --baseline notes.txt",
        "Write it anew: --baseline FILE --write-baseline --force.",
    ),
    "MS221": Explained("import torch\n\nx = torch.ones(3)\nx = x[x > 0]\n"),
    "MS222": Explained(f"{NETWORK}        return x if x.sum() > 0 else -x\n"),
    "MS223": Explained(
        f"{NETWORK}        while x.sum() > 0:\n            x = x - 1\n        return x\n"
    ),
    "MS224": Explained("import torch\n\nx = torch.eye(3).to_sparse()\n"),
    "MS225": Explained(
        "import torch\nfrom torch.utils.data import Dataset\n\n\nclass Rows(Dataset):\n"
        "    def __getitem__(self, index):\n        return torch.ones(3) * 2\n"
    ),
    "MS226": Explained(
        "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.layers = [nn.Linear(2, 2)]\n"
    ),
    "MS227": Explained(
        f"{NETWORK}        count = x.argmax()\n        return x[:count]\n",
    ),
    "MS228": Explained('import torch.distributed as dist\n\ndist.init_process_group("nccl")\n'),
    "MS229": Explained(
        "import torch\n\ny = torch.ones(2, 3)\nrow = y.t()\nrow.add_(1)\nprint(y)\n"
    ),
    "MS230": Explained(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        '        super().__init__()\n        self.register_buffer("seen", torch.zeros(1))\n\n'
        "    def forward(self, x):\n        self.seen = self.seen + 1\n        return x\n"
    ),
    "MS231": Explained(
        "import torch\n\nlayer = torch.nn.Linear(2, 2)\nlayer.forward(torch.ones(2))\n"
    ),
    "MS232": Explained('import torch\n\nloss = torch.ones(1)\nprint(f"{loss:.2f}")\n'),
    "MS233": Explained(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.cells = 3\n"
    ),
    "MS234": Explained("msconvert source project   # with codemods of yours installed"),
    "MS235": Explained("msconvert source project   # with codemods of yours installed"),
    "MS236": Explained(
        'import torch\n\nwith torch.autocast("cuda"):\n    x = torch.ones(2) + torch.ones(2)\n'
    ),
    "MS237": Explained("msconvert source train.py   # with what only MindSpore runs"),
    "MS238": Explained(
        "import torch\nfrom files import load\n\nx = load()\nprint(torch.ones(2), x.std())\n"
    ),
    "MS239": Explained(
        "import timm\n\nnet = timm.create_model('resnet18', pretrained=True)\n",
    ),
    "MS240": Explained(
        "import torch\n\n\ndef rotate(x, angles):\n    z = torch.view_as_complex(x)\n"
        "    return torch.view_as_real(z * angles)\n"
    ),
    "MS241": Explained(
        "import torch\n\n\nclass Ones(torch.nn.Linear):\n    def reset_parameters(self):\n"
        "        torch.nn.init.ones_(self.weight)\n"
    ),
    "MS242": Explained(
        "import torch\n\nweight = torch.nn.Parameter(torch.ones(2, dtype=torch.cfloat))\n"
    ),
    "MS243": Explained(
        "import torch\n\nnet = torch.nn.Sequential(torch.nn.BatchNorm1d(2))\n"
        "print(len(net.state_dict()))\n"
    ),
    "MS244": Explained("import pytorch_lightning as pl\n\ntrainer = pl.Trainer(max_epochs=3)\n"),
    "MS245": Explained(
        "import random\n\nimport torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.extra = nn.Linear(2, 2)\n\n"
        "    def forward(self, x: torch.Tensor):\n"
        "        return self.extra(x) if random.random() < 0.5 else x\n"
    ),
    "MS301": Explained(
        'python -m msconvert.runtime train.py   # with ops.relu(x, mode="fast")',
        "The message says what to use instead; MindSpore itself may have it.",
    ),
    "MS302": Explained(
        "msconvert weights notes.txt -o net.ckpt",
        "Copy or save the file again: it was cut short, or is of another kind than its name says.",
    ),
    "MS303": Explained(
        "ms.load_param_into_net(net, ms.load_checkpoint(PATH), strict_load=True)",
        "Compare names and shapes: msconvert weights FILE --net FILE:CLASS -o NEW lists them.",
    ),
    "MS304": Explained(
        "ops.matmul(ms.ops.ones((2, 3)), ms.ops.ones((2, 3)))",
        "Look at the shapes and element types in the message; x.astype(...) changes a type.",
    ),
    "MS305": Explained(
        "msconvert weights complex.npz -o net.ckpt",
        "--drop leaves a tensor out, --dtype float32 casts it, .safetensors holds more kinds.",
    ),
    "MS306": Explained(
        "ms.jit(lambda x: float(x.sum()))(x)",
        "Keep values in tensors while a graph is traced: ops.where instead of if.",
    ),
    "MS307": Explained(
        "ms.grad(lambda x: x.argmax())(x)",
        "Differentiate a floating-point result that follows from the argument.",
    ),
    "MS308": Explained(
        'ms.export(net, x, file_name="net.onnx", file_format="ONNX")   # with ops.svd in it',
        "Leave out what ONNX has no operator for; the message names it.",
    ),
    "MS309": Explained(
        "msconvert weights model.pth -o net.ckpt   # after torch.save(model)",
        "Save tensors only: torch.save(model.state_dict(), PATH). A pickled network is a program.",
    ),
    "MS310": Explained(
        "msconvert weights net.pth -o net.ckpt   # a matrix could be Linear's or Embedding's",
        "--map FILE names the source of the network, --root its class; or --layer, --rename, "
        "--drop.",
    ),
    "MS311": Explained(
        "msconvert weights net.pth -o net.ckpt   # on a disk that is failing",
        "Look at the disk and the memory of this machine.",
    ),
    "MS312": Explained(
        "msconvert weights net.pth --fold -o net.ckpt   # without weight_v",
        "Leave --fold out, or save the network with all parts of the weight.",
    ),
    "MS313": Explained(
        "msconvert weights last.pth --optimizer nn.Adam -o last.ckpt   # of SGD",
        "Name the optimizer that it is of; `docs/weights.md` has the table.",
    ),
    "MS314": Explained(
        "msconvert data notes.txt",
        "Look at the first row that fails: the message has the error of your function.",
    ),
    "MS401": Explained(
        "msconvert verify net.py converted/net.py   # without --shape",
        "`msconvert doctor` says which framework is missing; --shape or --inputs say what to call "
        "the networks with.",
    ),
    "MS402": Explained(
        "msconvert verify net.py converted/net.py --shape 1,3   # the new code raises",
        "Look at the line in the message; marks `# MS2xx line:` say what is still PyTorch's.",
    ),
    "MS403": Explained(
        "msconvert verify net.py other.py --shape 1,3",
        "The message lists what one of the networks has and the other has not.",
    ),
    "MS404": Explained(
        "msconvert verify net.py converted/net.py --shape 1,3,8,8",
        "msconvert compare, with the same files and shapes, names the first layer that differs.",
    ),
    "MS405": Explained(
        "msconvert verify broken.py converted/broken.py --shape 1,3",
        "The original does not run by itself: mend it, or --call says how its network is made.",
    ),
    "MS406": Explained(
        "msconvert diff --again old.json",
        "Run the comparison anew with the versions that are installed now.",
    ),
    "MS407": Explained(
        "msconvert compare net.py converted/net.py --train train.py:nothing",
        "make(net) gives step(*batch), which trains on one batch; or train(net, batches) is the "
        "whole loop.",
    ),
    "MS408": Explained(
        "msconvert compare net.py converted/net.py --train train.py:make   # with data of its own",
        "Seed what draws numbers, and take the batches that the function is given.",
    ),
    "MS901": Explained(
        "MSCONVERT_DEBUG=1 msconvert ...   # shows where it happened",
        "Report the text, the versions (`msconvert doctor`), and the file if you may.",
    ),
    "MS902": Explained(
        "msconvert source project   # with a package whose entry point cannot be imported",
        "Mend the package that the message names, or uninstall it.",
    ),
    "MS903": Explained(
        "msconvert demo   # after pip install --no-deps msconvert",
        "Install it: `pip install msconvert` brings all that msconvert itself needs; `msconvert "
        "doctor COMMAND` lists what a command does.",
    ),
}
