"""torch.Tensor: what Python itself asks a tensor for (length, truth, text, copies, exchange)."""

from ..families import missing
from ..rule import Rule

HANDED_OVER = "hand over an array: x.asnumpy()"
OVERRIDING = "MindSpore's functions cannot be overridden by a class: call a function of your own"


def asked(call: str, target: str, returns: str, *examples: str, note: str = "") -> Rule:
    """A method that an operator or a builtin of Python calls."""
    return Rule(
        f"torch.Tensor.{call}",
        target,
        returns=returns,
        note=note,
        example=examples,
        check="runs" if returns in ("str", "other") or "hash" in call else "value",
    )


RULES = (
    asked("__getitem__(self, key)", "self.__getitem__(key)", "", "x.__getitem__(0)"),
    asked(
        "__setitem__(self, key, value)",
        "self.__setitem__(key, value)",
        "none",
        "y = x.clone()\ny.__setitem__(0, 1.0)\ny",
    ),
    asked("__len__(self)", "self.__len__()", "int", "x.__len__()"),
    asked("__iter__(self)", "self.__iter__()", "other", "list(x.__iter__())"),
    asked(
        "__reversed__(self)",
        "ops.flip(self, (0,))",
        "",
        "x.__reversed__()",
        note="MindSpore's tensors have no such method.",
    ),
    asked("__contains__(self, element)", "self.__contains__(element)", "bool", "i.__contains__(2)"),
    asked("__bool__(self)", "self.__bool__()", "bool", "b[0, 0].__bool__()"),
    asked("__nonzero__(self)", "self.__bool__()", "bool", "b[0, 0].__nonzero__()"),
    asked("__int__(self)", "self.__int__()", "int", "x[0, 0].__int__()"),
    asked("__long__(self)", "self.__int__()", "int", "x[0, 0].__long__()"),
    asked("__index__(self)", "self.__index__()", "int", "j[0, 0].__index__()"),
    asked("__float__(self)", "self.__float__()", "float", "i[0, 0].__float__()"),
    asked(
        "__complex__(self)",
        "self.astype(ms.complex64).item()",
        "number",
        "x[0, 0].__complex__()",
    ),
    asked(
        "__format__(self, format_spec)",
        "self.item().__format__(format_spec)",
        "str",
        'x[0, 0].__format__(".3f")',
        note="Only a number can be formatted, in MindSpore by x.item().",
    ),
    *(
        asked(
            f"__{name}__(self)",
            f"self.__{name}__()",
            "str",
            f"x.__{name}__()",
            note="The text is MindSpore's.",
        )
        for name in ("repr", "str")
    ),
    asked("__hash__(self)", "self.__hash__()", "int", "x.__hash__()"),
    asked("__deepcopy__(self, memo)", "self.__deepcopy__(memo)", "", "x.__deepcopy__({})"),
    asked("__array__(self, dtype=None)", "self.__array__(dtype)", "numpy", "x.__array__()"),
    *missing(
        HANDED_OVER,
        "torch.Tensor.__array_priority__",
        "torch.Tensor.__array_wrap__(self, array)",
        "torch.Tensor.__cuda_array_interface__",
        "torch.Tensor.__dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None)",
        "torch.Tensor.__dlpack_c_exchange_api__",
        "torch.Tensor.__dlpack_device__(self)",
        "torch.Tensor.__setstate__(self, state)",
    ),
    *missing(
        OVERRIDING,
        "torch.Tensor.__torch_dispatch__",
        "torch.Tensor.__torch_function__(self, types, args=(), kwargs=None)",
    ),
    *missing(
        "index with [...]: it takes slices and tensors", "torch.Tensor.index(self, positions, dims)"
    ),
    *missing(
        "a tensor's parts cannot be deleted: join the rest", "torch.Tensor.__delitem__(self, key)"
    ),
)
