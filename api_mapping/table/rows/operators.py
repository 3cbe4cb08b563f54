"""torch.Tensor: the methods behind Python's operators, called by their names."""

from ..families import IN_PLACE
from ..rule import Rule

SAME = {
    "add": "x.__add__(y)",
    "sub": "x.__sub__(y)",
    "mul": "x.__mul__(y)",
    "truediv": "x.__truediv__(y)",
    "floordiv": "x.__floordiv__(2)",
    "mod": "x.__mod__(2)",
    "pow": "x.__pow__(2)",
    "matmul": "a.__matmul__(e)",
    "and": "i.__and__(j)",
    "or": "i.__or__(j)",
    "xor": "i.__xor__(j)",
    "eq": "x.__eq__(y)",
    "ne": "x.__ne__(y)",
    "gt": "x.__gt__(y)",
    "ge": "x.__ge__(y)",
    "lt": "x.__lt__(y)",
    "le": "x.__le__(y)",
    "radd": "x.__radd__(2)",
    "rsub": "x.__rsub__(2)",
    "rmul": "x.__rmul__(2)",
    "rtruediv": "x.__rtruediv__(2)",
    "rfloordiv": "x.__rfloordiv__(2)",
    "rmod": "x.__rmod__(2)",
    "rpow": "x.__rpow__(2)",
    "rmatmul": "m.__rmatmul__(m)",
}
"""Methods of two operands that MindSpore's Tensor has, too, and an example of each."""

OTHERWISE = {
    "div": ("self / other", "x.__div__(y)"),
    "rdiv": ("other / self", "x.__rdiv__(2)"),
    "lshift": ("ops.bitwise_left_shift(self, other)", "i.__lshift__(2)"),
    "rshift": ("ops.bitwise_right_shift(self, other)", "i.__rshift__(1)"),
    "rlshift": ("ops.bitwise_left_shift(other, self)", "j.__rlshift__(2)"),
    "rrshift": ("ops.bitwise_right_shift(other, self)", "j.__rrshift__(100)"),
    "rand": ("ops.bitwise_and(self, other)", "i.__rand__(3)"),
    "ror": ("ops.bitwise_or(self, other)", "i.__ror__(3)"),
    "rxor": ("ops.bitwise_xor(self, other)", "i.__rxor__(3)"),
}
"""Methods of two operands that MindSpore's Tensor lacks: the target and an example."""

INTO = {
    "iadd": ("self + other", "x.__iadd__(y)"),
    "isub": ("self - other", "x.__isub__(y)"),
    "imul": ("self * other", "x.__imul__(y)"),
    "itruediv": ("self / other", "x.__itruediv__(y)"),
    "idiv": ("self / other", "x.__idiv__(y)"),
    "ifloordiv": ("self // other", "x.__ifloordiv__(2)"),
    "imod": ("self % other", "x.__imod__(2)"),
    "ipow": ("self ** other", "x.__ipow__(2)"),
    "iand": ("self & other", "i.__iand__(j)"),
    "ior": ("self | other", "i.__ior__(j)"),
    "ixor": ("self ^ other", "i.__ixor__(j)"),
    "ilshift": ("ops.bitwise_left_shift(self, other)", "i.__ilshift__(2)"),
    "irshift": ("ops.bitwise_right_shift(self, other)", "i.__irshift__(1)"),
}
"""Methods that write into the tensor."""

OF_ONE = {
    "abs": ("self.__abs__()", "x.__abs__()"),
    "neg": ("self.__neg__()", "x.__neg__()"),
    "pos": ("self.__pos__()", "x.__pos__()"),
    "invert": ("compat.bitwise_not(self)", "i.__invert__()"),
}

RULES = (
    *(
        Rule(f"torch.Tensor.__{name}__(self, other)", f"self.__{name}__(other)", example=example)
        for name, example in SAME.items()
    ),
    *(
        Rule(f"torch.Tensor.__{name}__(self, other)", target, example=example)
        for name, (target, example) in OTHERWISE.items()
    ),
    *(
        Rule(
            f"torch.Tensor.__{name}__(self, other)",
            target,
            note=IN_PLACE,
            writes=True,
            example=f"{example}\n{example[0]}",
        )
        for name, (target, example) in INTO.items()
    ),
    *(
        Rule(f"torch.Tensor.__{name}__(self)", target, example=example)
        for name, (target, example) in OF_ONE.items()
    ),
)
