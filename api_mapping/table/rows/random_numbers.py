"""torch, torch.random and torch.Tensor: random numbers, seeds and generators."""

import re
from dataclasses import replace
from functools import partial

from ..families import INNER, missing, typed
from ..rule import Rule

WHERE = "layout=torch.strided, device=None, pin_memory=False, requires_grad=False"
OPTIONS = f"generator=None, out=None, dtype=None, {WHERE}"
DRAWN = "generator=None, memory_format=torch.preserve_format, out=None"
DRAWING = frozenset("rand randn rand_like randn_like randint normal bernoulli multinomial".split())
"""Functions of ops that take a seed."""
OF_MINT = "It is the generator of mint's functions; those of ops draw by ms.set_seed."


def of_shape(name: str) -> Rule:
    """`torch.rand` and `torch.randn`: a shape, as numbers or as one tuple."""
    return Rule(
        f"torch.{name}(*size, {OPTIONS})",
        f"ops.{name}(spread(size), dtype=dtype)",
        mint=f"mint.{name}(spread(size), dtype=dtype)",
        example=(
            f"torch.{name}(2, 3)",
            f"torch.{name}((2, 3), dtype=torch.float64)",
            f"torch.{name}(x.shape, device=x.device, dtype=x.dtype)",
            f"torch.{name}(size=[4])",
        ),
        check="dtype",
    )


def of_complex(name: str) -> Rule:
    """The same of complex numbers, whose element type is written out."""
    return Rule(
        f"torch.{name}(*size, {OPTIONS.replace('dtype=None', 'dtype')})",
        f"compat.complex_{name}(spread(size), dtype=dtype)",
        kinds={"dtype": "|".join(f"torch.{dtype}" for dtype in COMPLEX)},
        note="MindSpore draws real numbers only.",
        example=(
            f"torch.{name}(2, 3, dtype=torch.cfloat)",
            f"torch.{name}((2, 3), dtype=torch.complex128)",
            f"torch.{name}(4, dtype=torch.complex64).real",
        ),
        check="dtype",
    )


def filled(signature: str, values: str, *examples: str, note: str = "") -> Rule:
    """A method that fills its tensor with random values of the tensor's shape."""
    return Rule(
        f"torch.Tensor.{signature}, {'' if '*' in signature else '*, '}generator=None)",
        values,
        note=note,
        writes=True,
        example=(*(f"x.{e}\nx" for e in examples), f"h.{examples[0]}\nh"),
        check="dtype",
    )


COMPLEX = ("complex64", "cfloat", "complex128", "cdouble")
REAL = (
    of_complex("rand"),
    of_complex("randn"),
    of_shape("rand"),
    of_shape("randn"),
    Rule(
        f"torch.rand_like(input, *, dtype=None, {WHERE}, {DRAWN})",
        "ops.rand_like(input, dtype=dtype)",
        mint="mint.rand_like(input, dtype=dtype)",
        example=("torch.rand_like(h)", "torch.rand_like(i, dtype=torch.float32)"),
        check="dtype",
    ),
    *typed(
        f"torch.randn_like(input, *, TYPED, {WHERE}, {DRAWN})",
        "ops.randn_like(input, dtype=TYPED)",
        "input.dtype",
        "torch.randn_like(h)",
        "torch.randn_like(x)",
        "torch.randn_like(i, dtype=torch.float32)",
        check="dtype",
    ),
    Rule(
        f"torch.normal(mean, std, size, *, generator=None, out=None, {WHERE})",
        "ops.normal(as_tuple(size), mean, std)",
        mint="mint.normal(mean, std, size)",
        note="MindSpore takes the shape first, and as a tuple.",
        example=("torch.normal(0.5, 2.0, (2, 3))", "torch.normal(0, 1, size=[4])"),
        check="dtype",
    ),
    Rule(
        "torch.normal(mean, std=1.0, *, generator=None, out=None)",
        "ops.normal(mean.shape, mean, always(std))",
        mint="mint.normal(mean, std)",
        kinds={"mean": "tensor"},
        note="MindSpore takes the shape first.",
        example=("torch.normal(x, 2.0)", "torch.normal(x, p)", "torch.normal(mean=x)"),
        check="dtype",
    ),
    Rule(
        "torch.normal(mean, std, *, generator=None, out=None)",
        "ops.normal(std.shape, mean, std)",
        mint="mint.normal(mean, std)",
        kinds={"std": "tensor"},
        note="MindSpore takes the shape first.",
        example="torch.normal(0.0, p)",
        check="dtype",
    ),
)

INTEGERS = (
    *(
        Rule(
            f"torch.randint({first}, size, *, {OPTIONS.replace('dtype=None', 'dtype')})",
            f"ops.randint({handed}, as_tuple(size)).astype(dtype)",
            kinds={"dtype": "torch.float32|torch.float64|torch.float16|torch.float|torch.double"},
            note="MindSpore takes the shape as a tuple.",
            example=f"torch.randint({values}, (2, 3), dtype=torch.float32)",
            check="dtype",
        )
        for first, handed, values in (("low, high", "low, high", "0, 5"), ("high", "0, high", "5"))
    ),
    Rule(
        f"torch.randint(low, high, size, *, {OPTIONS})",
        "ops.randint(low, high, as_tuple(size), dtype=dtype)",
        mint="mint.randint(low, high, size, dtype=dtype)",
        note="MindSpore takes the shape as a tuple.",
        example=(
            "torch.randint(0, 5, (2, 3))",
            "torch.randint(-3, 5, [4], dtype=torch.int32)",
            "torch.randint(low=0, high=5, size=x.shape, device=x.device)",
        ),
        check="dtype",
    ),
    Rule(
        f"torch.randint(high, size, *, {OPTIONS})",
        "ops.randint(0, high, as_tuple(size), dtype=dtype)",
        mint="mint.randint(high, size, dtype=dtype)",
        note="MindSpore takes the shape as a tuple.",
        example=("torch.randint(5, (2, 3))", "torch.randint(5, size=(4,), dtype=torch.int32)"),
        check="dtype",
    ),
    *typed(
        f"torch.randint_like(input, low, high, *, TYPED, {WHERE}, {DRAWN})",
        "ops.randint(low, high, input.shape).astype(TYPED)",
        "input.dtype",
        "torch.randint_like(x, 1, 5)",
        "torch.randint_like(x, 1, 5, dtype=torch.int64)",
        check="dtype",
    ),
    *typed(
        f"torch.randint_like(input, high, *, TYPED, {WHERE}, {DRAWN})",
        "ops.randint(0, high, input.shape).astype(TYPED)",
        "input.dtype",
        "torch.randint_like(i, 5)",
        "torch.randint_like(x, 5, dtype=torch.int64)",
        check="dtype",
    ),
    *typed(
        f"torch.randperm(n, *, generator=None, out=None, TYPED, {WHERE})",
        "ops.argsort(ops.rand(n)).astype(TYPED)",
        "ms.int64",
        "torch.randperm(5)",
        "torch.randperm(5, dtype=torch.int32)",
        check="dtype",
    ),
)

DISTRIBUTIONS = (
    *(
        Rule(
            f"{owner}({first}{parameter}, *, generator=None{out})",
            f"ops.bernoulli({first}, {chance})",
            limit="MindSpore takes no float16: cast it to float32 before.",
            example=tuple(example),
            check="dtype",
        )
        for owner, first, out, examples in (
            (
                "torch.bernoulli",
                "input",
                ", out=None",
                ("torch.bernoulli(u)", "torch.bernoulli(u, 0.3)"),
            ),
            ("torch.Tensor.bernoulli", "self", "", ("u.bernoulli()", "u.bernoulli(0.3)")),
        )
        for parameter, chance, example in ((", p", "p", examples[1:]), ("", first, examples[:1]))
    ),
    *(
        Rule(
            f"{owner}({first}, num_samples, replacement=False, *, generator=None{out})",
            f"ops.multinomial({first}, num_samples, always(replacement)).astype(ms.int64)",
            mint=f"mint.multinomial({first}, num_samples, replacement)",
            example=examples,
            check="dtype",
        )
        for owner, first, out, examples in (
            (
                "torch.multinomial",
                "input",
                ", out=None",
                ("torch.multinomial(u, 2)", "torch.multinomial(u[0], 9, replacement=True)"),
            ),
            (
                "torch.Tensor.multinomial",
                "self",
                "",
                ("u.multinomial(2)", "u.multinomial(9, True)"),
            ),
        )
    ),
    Rule(
        "torch.poisson(input, generator=None)",
        "ops.random_poisson(ms.tensor([], ms.int32), input, dtype=input.dtype)",
        example="torch.poisson(p)",
        check="dtype",
    ),
)

OWN_TYPE = "self, dtype=self.dtype"

IN_PLACE = (
    filled(
        "normal_(self",
        f"ops.randn_like({OWN_TYPE})",
        "normal_()",
        note="MindSpore's numbers are float32 unless `dtype` says otherwise: it is written out.",
    ),
    filled("normal_(self, *, std", f"ops.randn_like({OWN_TYPE}) * std", "normal_(std=0.02)"),
    filled(
        "normal_(self, mean=0, std=1",
        f"ops.randn_like({OWN_TYPE}) * always(std) + always(mean)",
        "normal_(0.5, 0.02)",
        "normal_(mean=1.0, std=0.02)",
        "normal_(mean=1.0)",
    ),
    filled("uniform_(self", "ops.rand_like(self)", "uniform_()"),
    filled(
        "uniform_(self, low=0, to=1",
        "ops.rand_like(self) * difference(to, low) + low",
        "uniform_(-1, 1)",
        "uniform_(0.5, to=2)",
    ),
    filled(
        "random_(self, to",
        "ops.randint(0, to, self.shape).astype(self.dtype)",
        "random_(5)",
    ),
    filled(
        "random_(self, low, to",
        "ops.randint(low, to, self.shape).astype(self.dtype)",
        "random_(2, 5)",
    ),
    filled(
        "bernoulli_(self, p=0.5",
        "ops.bernoulli(ops.ones(self.shape), always(p)).astype(self.dtype)",
        "bernoulli_()",
        "bernoulli_(u)",
        note="`p` is always written out.",
    ),
    filled(
        "exponential_(self, lambd=1",
        "(-ops.log(1 - ops.rand(self.shape)) / always(lambd)).astype(self.dtype)",
        "exponential_()",
        "exponential_(0.5)",
    ),
    filled(
        "cauchy_(self, median=0, sigma=1",
        "(ops.tan((ops.rand(self.shape) - 0.5) * np.pi) * always(sigma) + always(median))"
        ".astype(self.dtype)",
        "cauchy_()",
        "cauchy_(1, sigma=2)",
    ),
    filled(
        "geometric_(self, p",
        "(ops.log(1 - ops.rand(self.shape)) // float(np.log(1 - p)) + 1).astype(self.dtype)",
        "geometric_(0.3)",
    ),
    filled(
        "log_normal_(self, mean=1, std=2",
        "ops.exp(ops.normal(self.shape, always(mean), always(std))).astype(self.dtype)",
        "log_normal_()",
        "log_normal_(0.5, std=0.1)",
    ),
)

SEEDS = (
    Rule(
        "torch.manual_seed(seed)",
        "ms.set_seed(seed)",
        mint="ms.manual_seed(seed)",
        note="MindSpore seeds with 0 up to 2 ** 32 - 1, NumPy too, and returns no generator.",
        returns="none",
        example="torch.manual_seed(3)",
        check="runs",
    ),
    Rule(
        "torch.seed()",
        "ms.seed()",
        note=OF_MINT,
        returns="int",
        example="torch.seed()",
        check="runs",
    ),
    Rule(
        "torch.initial_seed()",
        "ms.get_seed()",
        note="None, if ms.set_seed was not called.",
        returns="int",
        example="torch.manual_seed(3)\ntorch.initial_seed()",
    ),
    Rule(
        "torch.get_rng_state()",
        "ms.get_rng_state()",
        note=OF_MINT,
        example="torch.get_rng_state()",
        check="runs",
    ),
    Rule(
        "torch.set_rng_state(new_state)",
        "ms.set_rng_state(new_state)",
        note=OF_MINT,
        returns="none",
        example="torch.set_rng_state(torch.get_rng_state())",
    ),
)

GENERATORS = (
    Rule(
        'torch.Generator(device="cpu")',
        "compat.Generator()",
        drop=("device",),
        returns="other",
        example="torch.Generator().manual_seed(3)",
        check="runs",
    ),
    *(
        Rule(
            f"torch.Generator.{call}",
            f"self.{call.replace('self, ', '').replace('self', '')}",
            returns=kind,
            example=f"it = torch.Generator()\nit.{example}",
            check="value" if "manual_seed(7)" in example else "runs",
        )
        for call, kind, example in (
            ("manual_seed(self, seed)", "other", "manual_seed(3)"),
            ("seed(self)", "int", "seed()"),
            ("initial_seed(self)", "int", "manual_seed(7)\nit.initial_seed()"),
            ("get_state(self)", "tensor", "get_state()"),
            ("set_state(self, new_state)", "none", "set_state(it.get_state())"),
        )
    ),
    *missing(
        "make another: ms.Generator(), and set_state(other.get_state())",
        "torch.Generator.clone_state(self)",
    ),
    *missing(
        "graphs are not recorded by hand: use get_state and set_state",
        "torch.Generator.graphsafe_get_state(self)",
        "torch.Generator.graphsafe_set_state(self, state)",
    ),
    *missing("leave it out: ms.set_device chooses for the whole process", "torch.Generator.device"),
    *missing(
        "it is ms.default_generator; seed by ms.set_seed, for mint by ms.manual_seed",
        "torch.default_generator",
    ),
    *missing(
        "give every thread a ms.Generator of its own",
        "torch.thread_safe_generator()",
    ),
)


DRAWS = re.compile(rf"\bops\.({'|'.join(DRAWING)})\(({INNER})\)")
"""A call of a function of ops that draws."""


def from_generator(rule: Rule) -> Rule:
    """The row of calls that give a generator: each takes a seed from it."""
    return replace(
        rule,
        signature=rule.signature.replace("generator=None", "generator"),
        target=DRAWS.sub(r"ops.\1(\2, seed=compat.seed_from(generator))", rule.target),
        mint="",
        example=partial(examples_with_generator, rule),
    )


def examples_with_generator(rule: Rule) -> tuple[str, ...]:
    first, *rest = rule.examples[0].partition("\n")
    return (f"{first[:-1]}, generator=torch.Generator()){''.join(rest)}".replace("(, ", "("),)


DRAWN_FROM = tuple(
    from_generator(rule)
    for rule in REAL + INTEGERS + DISTRIBUTIONS + IN_PLACE
    if rule.target and "generator=None" in rule.signature and rule.example
    if DRAWS.search(rule.target)
)

RULES = REAL + INTEGERS + DISTRIBUTIONS + IN_PLACE + DRAWN_FROM + SEEDS + GENERATORS
