"""What each kind of finding is called, means, and asks for: for SARIF, HTML and docs/scan.md."""

from __future__ import annotations

HELP: dict[str, tuple[str, str]] = {
    "MS201": (
        "NoCounterpart",
        "MindSpore has nothing that does this. The advice of the API's row says what to do "
        "instead: `msconvert api NAME` shows it.",
    ),
    "MS202": (
        "PlatformLimited",
        "MindSpore has a counterpart that does not run on every platform. Check that yours is "
        "among them.",
    ),
    "MS203": (
        "Differs",
        "MindSpore has a counterpart that differs in a default, an argument or its result. The "
        "code that msconvert writes accounts for it; know of it when you read that code.",
    ),
    "MS204": (
        "Composite",
        "MindSpore has no single counterpart; msconvert writes an expression that does the same.",
    ),
    "MS205": (
        "NotInTable",
        "The name is none that PyTorch documents, or is newer than msconvert's table. Use a "
        "documented API, or write the part by hand.",
    ),
    "MS206": (
        "UnknownReceiver",
        "The attribute is one that tensors or modules have, and nothing in the source says "
        "whether the receiver is one. Annotate the variable or the function that makes it.",
    ),
    "MS207": (
        "DynamicName",
        "Which API is used is decided when the program runs. Write the possible names out.",
    ),
    "MS208": (
        "ArgumentRefused",
        "The API has a counterpart, and this call has none: an argument, or the training step "
        "around it. The reason says which, and what to do instead.",
    ),
    "MS209": (
        "NotRead",
        "The file, or a part of it, could not be read or parsed, so that nothing is known of it.",
    ),
    "MS210": (
        "UnknownCode",
        "A comment `# msconvert: ignore[...]` names a code that no finding has, so that it hides "
        "nothing. Write the code as it is told.",
    ),
    "MS221": (
        "DynamicShape",
        "The shape of the output follows from values, so that graph mode compiles anew for each "
        "shape, and Ascend is slow or refuses. Keep the shape and mask the values.",
    ),
    "MS222": (
        "BranchOnTensor",
        "Graph mode compiles both branches or refuses; PyNative mode takes one, as PyTorch does. "
        "Use ops.where or ops.select where the network shall run as a graph.",
    ),
    "MS223": (
        "LoopOnTensor",
        "Graph mode unrolls loops when it compiles, so that their length must be known. Use "
        "ops.while_loop, or a fixed number of rounds.",
    ),
    "MS224": (
        "SparseTensor",
        "COO tensors become a class beside the code, with products and to_dense. MindSpore's own "
        "take part in few operators: for anything else, keep the data dense.",
    ),
    "MS225": (
        "TensorInDataSet",
        "MindSpore runs data-set code in threads or processes of its pipeline and makes the "
        "tensors itself. Return NumPy arrays and compute with NumPy there.",
    ),
    "MS226": (
        "UnregisteredModules",
        "Modules and parameters in a list, tuple or dictionary are seen by neither framework's "
        "parameters(). Use nn.CellList, nn.SequentialCell or ms.ParameterTuple.",
    ),
    "MS227": (
        "SliceFromValues",
        "The bounds of a slice follow from values, so that its shape does. Graph mode compiles "
        "anew for each, or refuses. Mask instead of cutting.",
    ),
    "MS228": (
        "NoSeed",
        "Processes of distributed training must begin with the same weights. PyTorch's wrapper "
        "broadcasts them; MindSpore needs the same seed everywhere: ms.set_seed.",
    ),
    "MS229": (
        "WriteByAnotherName",
        "In PyTorch the write changes memory that another name shares, by a view or a part; in "
        "MindSpore that is a tensor of its own, and no line that msconvert writes would change it. "
        "Write to the tensor itself: x[0] = x[0].add(1). Names of the same tensor, its rows and "
        "its slices are converted.",
    ),
    "MS230": (
        "BufferAssigned",
        "MindSpore raises a TypeError where an attribute that holds a buffer is assigned. Copy "
        "the value into it: self.buffer.copy_(value).",
    ),
    "MS231": (
        "ForwardCalled",
        "The method is called construct in MindSpore, and calling it skips hooks and the "
        "compilation. Call the module itself.",
    ),
    "MS232": (
        "FormattedTensor",
        "MindSpore's tensors take no format specification and raise a TypeError. Format a number: "
        "loss.item().",
    ),
    "MS233": (
        "NameOfCell",
        "MindSpore's nn.Cell has attributes and methods that PyTorch's Module has not, such as "
        "cells, phase and name_cells; one of the network's own with such a name takes their "
        "place. Rename it in the PyTorch source.",
    ),
    "MS234": (
        "CodemodWarning",
        "A codemod that is installed under `msconvert.codemods` warns of this file.",
    ),
    "MS235": (
        "CodemodFailed",
        "A codemod that is installed under `msconvert.codemods` could not be loaded, or raised on "
        "this file, which stays as msconvert wrote it. The message is the codemod's own.",
    ),
    "MS236": (
        "FullPrecision",
        "MindSpore has no context that casts what runs inside of it: the code under autocast "
        "computes in full precision, which is slower, takes more memory and gives other numbers "
        'in the last places. Build the network with ms.amp.auto_mixed_precision(net, "O1").',
    ),
    "MS237": (
        "NotBundled",
        "The code that msconvert writes for this name was seen to be right on MindSpore. The "
        "bundled runtime, the default target, has not all that it calls: convert with --target "
        "mindspore, and run it there.",
    ),
    "MS238": (
        "OtherMeaning",
        "What has the method is not known: it may be a tensor or an array of NumPy, so the call "
        "stays as it is. MindSpore's tensors have the method, and it gives another number than "
        "PyTorch's. Annotate the variable or the function that makes it, and convert again.",
    ),
    "MS239": (
        "ForeignLibrary",
        "A library that is made on PyTorch cannot run on MindSpore: what is used of it, and what "
        "stands in a class that derives from one of its classes, stays as it is. The advice names "
        "MindSpore's counterpart where one lives.",
    ),
    "MS240": (
        "ComplexGradient",
        "MindSpore multiplies complex tensors, and raises a TypeError where such a product is "
        "differentiated. A network that is trained with --target mindspore needs it with real and "
        "imaginary parts; the bundled runtime has the gradient.",
    ),
    "MS241": (
        "CalledByLayers",
        "PyTorch's layers call some of their methods by themselves: reset_parameters when they are "
        "made, _conv_forward when they run; and a Module others when it is saved and loaded. "
        "MindSpore's call none of them, so that what a class of the network's writes there never "
        "runs. Call it where PyTorch does.",
    ),
    "MS242": (
        "ComplexWeight",
        "PyTorch's optimizers step the real and the imaginary part of a complex weight each by "
        "itself. MindSpore's take no complex weights: a TypeError is raised at the first step. "
        "Keep two weights, or one with a last axis of 2, and make the complex tensor of them in "
        "forward.",
    ),
    "MS243": (
        "CountedState",
        "PyTorch's BatchNorm keeps num_batches_tracked in the state, MindSpore's counts none. "
        "Code that counts the entries of a state, or goes by their places, has other numbers "
        "there. Go by the names.",
    ),
    "MS244": (
        "NothingWritten",
        "Lightning's Trainer writes logs and checkpoints unless it is told not to; the one that "
        "msconvert writes in its place keeps the metrics in callback_metrics and writes no files. "
        "Save what is wanted behind fit with ms.save_checkpoint, and log in a callback.",
    ),
    "MS245": (
        "UnevenUse",
        "PyTorch leaves a weight alone that a step did not use: it has no gradient. In MindSpore "
        "it has one of zeros, by which momentum, Adam and weight decay move it all the same. "
        "Give the weights of each branch an optimizer of their own that steps when they are used, "
        "or train them by plain SGD without weight decay.",
    ),
}
"""Code -> its name in one word, and what it means and asks for."""
