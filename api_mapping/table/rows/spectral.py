"""Fourier transforms and windows: torch.fft, torch.signal.windows, torch.stft."""

from ..families import typed, with_method
from ..rule import Rule


def transform(name: str, sizes: str, axes: str, *arguments: str) -> Rule:
    """The row of a function of torch.fft, which `ops` has under the same name."""
    signature = f"input, {sizes}=None, dim={axes}, norm=None, *, out=None"
    return Rule(
        f"torch.fft.{name}({signature})",
        f"ops.{name}(input, {sizes}, dim, norm)",
        example=tuple(f"torch.fft.{name}({text})" for text in arguments),
    )


TRANSFORMS = (
    transform("fft", "n", "-1", "x", 'z, 3, 0, "ortho"'),
    transform("ifft", "n", "-1", "z", 'z, n=5, norm="ortho"'),
    transform("rfft", "n", "-1", "x", 'x, dim=0, norm="ortho"'),
    transform("irfft", "n", "-1", "z", "z, 5", "z, n=6, dim=-1"),
    transform("hfft", "n", "-1", "z", 'z, 6, 0, "ortho"'),
    transform("ihfft", "n", "-1", "x", "x, 3"),
    transform("fft2", "s", "(-2, -1)", "x", 'x, (2, 3), norm="forward"'),
    transform("ifft2", "s", "(-2, -1)", "z", 'z, dim=(0, 1), norm="ortho"'),
    transform("rfft2", "s", "(-2, -1)", "a", 'a, norm="ortho"'),
    transform("irfft2", "s", "(-2, -1)", "z", 'z, s=(3, 4), norm="ortho"'),
    transform("fftn", "s", "None", "a", "a, dim=(0, 2)"),
    transform("ifftn", "s", "None", "z", "z, dim=(0,)"),
    transform("rfftn", "s", "None", "a", "a, dim=(1, 2)"),
    transform("irfftn", "s", "None", "z", "z, (3, 5), dim=(0, 1)"),
    *(
        Rule(
            f"torch.fft.{name}(input, dim=None)",
            f"ops.{name}(input, dim)",
            example=(f"torch.fft.{name}(x)", f"torch.fft.{name}(x, dim=(0, 1))"),
        )
        for name in ("fftshift", "ifftshift")
    ),
    *(
        Rule(
            f"torch.fft.{name}(n, d=1.0, *, out=None, dtype=None, requires_grad=False)",
            f"ops.{name}(n, d, dtype=dtype)",
            example=(f"torch.fft.{name}(6)", f"torch.fft.{name}(5, d=0.5, dtype=torch.float64)"),
        )
        for name in ("fftfreq", "rfftfreq")
    ),
    *with_method(
        Rule(
            "torch.stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, "
            'pad_mode="reflect", normalized=False, onesided=None, return_complex=None)',
            "ops.stft(input, n_fft, hop_length=hop_length, win_length=win_length, window=window, "
            "center=center, pad_mode=capitals(pad_mode), normalized=normalized, "
            "onesided=onesided, return_complex=return_complex)",
            note="MindSpore writes the ways to pad in capital letters.",
            limit="its gradient, which MindSpore has not: frame the signal, and use ops.rfft",
            example=(
                "torch.stft(signal[0], 8, return_complex=True)",
                "torch.stft(signal[0], 8, 4, window=torch.hann_window(8), return_complex=True)",
                'torch.stft(signal[0], 8, pad_mode="constant", normalized=True, '
                "return_complex=True)",
                "torch.stft(signal[0], 8, center=False, onesided=False, return_complex=False)",
            ),
        )
    ),
    *with_method(
        Rule(
            "torch.istft(input, n_fft, hop_length=None, win_length=None, window=None, "
            "center=True, normalized=False, onesided=None, length=None, return_complex=False)",
            "compat.istft(input, n_fft, hop_length=hop_length, win_length=win_length, "
            "window=window, center=center, normalized=normalized, onesided=onesided, "
            "length=length)",
            reject={"return_complex": "the signal is real: call it without"},
            example=(
                "torch.istft(torch.stft(signal[0], 8, return_complex=True), 8)",
                "w = torch.hann_window(6)\n"
                "t = torch.stft(signal[0], 8, 2, 6, w, normalized=True, return_complex=True)\n"
                "torch.istft(t, 8, 2, 6, window=w, normalized=True, length=14)",
            ),
        )
    ),
)

OPTIONS = "TYPED, requires_grad=False"
WINDOWS = (
    *typed(
        f"torch.hann_window(window_length, periodic=True, *, {OPTIONS})",
        "ops.hann_window(window_length, periodic, dtype=TYPED)",
        "ms.float32",
        "torch.hann_window(5)",
        "torch.hann_window(5, periodic=False)",
        "torch.hann_window(5, dtype=torch.float64)",
    ),
    *typed(
        f"torch.hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, {OPTIONS})",
        "ops.hamming_window(window_length, periodic, alpha, beta, dtype=TYPED)",
        "ms.float32",
        "torch.hamming_window(5)",
        "torch.hamming_window(5, False, 0.5)",
        "torch.hamming_window(5, dtype=torch.float64)",
    ),
    *typed(
        f"torch.kaiser_window(window_length, periodic=True, beta=12.0, *, {OPTIONS})",
        "ops.kaiser_window(window_length, periodic, beta, dtype=TYPED)",
        "ms.float32",
        "torch.kaiser_window(5)",
        "torch.kaiser_window(5, False, 9.0)",
        "torch.kaiser_window(5, dtype=torch.float64)",
    ),
    *(
        row
        for name in ("bartlett", "blackman")
        for row in typed(
            f"torch.{name}_window(window_length, periodic=True, *, {OPTIONS})",
            f"ops.{name}_window(ms.Tensor(window_length), periodic, dtype=TYPED)",
            "ms.float32",
            f"torch.{name}_window(5)",
            f"torch.{name}_window(5, False)",
            f"torch.{name}_window(5, dtype=torch.float64)",
        )
    ),
)


def window(name: str, parameters: str, target: str, *arguments: str) -> tuple[Rule, ...]:
    """The rows of a function of torch.signal.windows: by the element type that it names."""
    return typed(
        f"torch.signal.windows.{name}(M, *, {parameters}sym=True, {OPTIONS})",
        target,
        "ms.float32",
        *(f"torch.signal.windows.{name}({text})" for text in arguments),
        note="A symmetric window is one that is not periodic.",
    )


SIGNAL = (
    *(
        row
        for name in ("hann", "hamming")
        for row in window(
            name,
            "",
            f"ops.{name}_window(M, opposite(sym), dtype=TYPED)",
            "5",
            "5, sym=False",
            "6, dtype=torch.float64",
        )
    ),
    *(
        row
        for name in ("bartlett", "blackman")
        for row in window(
            name,
            "",
            f"ops.{name}_window(ms.Tensor(M), opposite(sym), dtype=TYPED)",
            "5",
            "6, sym=False, dtype=torch.float64",
        )
    ),
    *window(
        "kaiser",
        "beta=12.0, ",
        "ops.kaiser_window(M, opposite(sym), beta, dtype=TYPED)",
        "5, beta=3.0",
        "6, sym=False, dtype=torch.float64",
    ),
    *window(
        "cosine",
        "",
        "compat.cosine_window(M, sym, dtype=TYPED)",
        "5",
        "6, sym=False, dtype=torch.float64",
    ),
    *window(
        "exponential",
        "center=None, tau=1.0, ",
        "compat.exponential_window(M, center, tau, sym, dtype=TYPED)",
        "5",
        "6, tau=2.0, sym=False, center=1.5, dtype=torch.float64",
    ),
    *window(
        "gaussian",
        "std=1.0, ",
        "compat.gaussian_window(M, std, sym, dtype=TYPED)",
        "5",
        "6, std=2.0, sym=False, dtype=torch.float64",
    ),
    *window(
        "general_cosine",
        "a, ",
        "compat.general_cosine_window(M, a, sym, dtype=TYPED)",
        "5, a=[0.5, 0.3, 0.2]",
        "6, a=(0.46, 0.54), sym=False, dtype=torch.float64",
    ),
    *window(
        "general_hamming",
        "alpha=0.54, ",
        "compat.general_cosine_window(M, (always(alpha), complement(alpha)), sym, dtype=TYPED)",
        "5",
        "6, alpha=0.6, sym=False, dtype=torch.float64",
    ),
    *window(
        "nuttall",
        "",
        "compat.general_cosine_window(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym, "
        "dtype=TYPED)",
        "5",
        "6, sym=False, dtype=torch.float64",
    ),
)

RULES = (*TRANSFORMS, *WINDOWS, *SIGNAL)
