"""Fourier transforms, windows, and both."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

Z = "x(3, 4, dtype='complex64')"
R = "x(3, 5)"

for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    half = name in ("rfft", "ihfft")
    spectrum = R if half else Z
    rows(
        f"ops.{name}({spectrum})",
        f"ops.{name}({R}, 4)",
        f"ops.{name}({R}, 7, 0, 'ortho')",
        f"ops.{name}({R}, norm='forward')",
        f"ops.{name}(x(5, dtype='float64'))",
        f"ops.{name}(x(4, dtype='int32'))",
        f"ops.{name}(x(4, dtype='float16'))",
        f"ops.{name}2({R})",
        f"ops.{name}2({spectrum}, (4, 6))",
        f"ops.{name}2({R}, None, (1, 0), 'ortho')",
        f"ops.{name}n(x(2, 3, 4))",
        f"ops.{name}n({R}, (4,), (0,))",
        f"ops.{name}n({spectrum}, norm='forward')",
        f"ms.grad(lambda a: ops.real(ops.{name}(a))[1])({spectrum}[0])",
        tolerance=1e-4,
    )
    refused(f"ops.{name}({R}, 0)", f"ops.{name}({R}, 2.5)", f"ops.{name}({R}, None, 3)")
    refused(f"ops.{name}({R}, norm='x')", f"ops.{name}(x(3, dtype='int8'))", f"ops.{name}(2)")
    refused(f"ops.{name}2(x(3))", f"ops.{name}2({R}, 2)", f"ops.{name}2({R}, None, (0, 0))")
    refused(f"ops.{name}n({R}, (2, 3), (1,))")
rows("ops.irfft(x(4), 2)", "ops.irfft(x(4), 1)", tolerance=1e-4)
rows(
    f"ms.grad(lambda a: ops.imag(ops.fftn(a))[0].sum())({R})",
    f"ms.grad(lambda a: ops.imag(ops.rfftn(a))[0].sum())({R})",
    f"ms.grad(lambda a: ops.imag(ops.ifftn(a, (2, 6)))[0].sum())({R})",
    f"ms.grad(lambda a: ops.irfftn(a)[0].sum())({Z})",
    f"ms.grad(lambda a: ops.hfftn(a)[0].sum())({Z})",
    tolerance=1e-4,
)
rows(
    "ops.fftshift(x(7))",
    "ops.fftshift(x(3, 4), 1)",
    "ops.fftshift(x(3, 4, dtype='int32'), (0, 1))",
    "ops.ifftshift(x(7))",
    "ops.ifftshift(x(3, 4))",
    "ops.fftfreq(5)",
    "ops.fftfreq(6, 0.1, ms.float64)",
    "ops.fftfreq(5, dtype=ms.int32)",
    "ops.rfftfreq(5)",
    "ops.rfftfreq(4, 0.5, ms.complex64)",
    f"P.FFTWithSize(1, False, False)({Z})",
    f"P.FFTWithSize(1, True, False)({Z})",
    f"P.FFTWithSize(1, False, True)({R})",
    f"P.FFTWithSize(2, False, True, onesided=False)({R})",
    f"P.FFTWithSize(1, True, True)({Z})",
    f"P.FFTWithSize(1, True, True, signal_sizes=(7,))({Z})",
    f"P.FFTWithSize(2, False, True, norm='forward')({R})",
    f"P.FFTWithSize(2, True, True, 'ortho', signal_sizes=(3, 6))({Z})",
    tolerance=1e-4,
)
refused(
    "ops.fftfreq(5, 1)", "ops.fftfreq(0)", "ops.fftfreq(2.5)", f"P.FFTWithSize(4, True, True)({Z})"
)
refused(
    f"P.FFTWithSize(2, True, True, signal_sizes=(2, 3))({Z})",
    f"P.FFTWithSize(1, False, False, 'x')({Z})",
)
N = "ms.Tensor(5)"
rows(
    f"ops.bartlett_window({N})",
    "ops.bartlett_window(ms.Tensor(5, ms.int32), False, dtype=ms.float64)",
    f"ops.blackman_window({N})",
    f"ops.blackman_window({N}, False, dtype=ms.float16)",
    "ops.hamming_window(5)",
    "ops.hamming_window(5, False, 0.5, 0.4)",
    "ops.hamming_window(1)",
    "ops.hann_window(5)",
    "ops.hann_window(5, False)",
    "ops.hann_window(1)",
    "ops.hann_window(0)",
    "ops.hann_window(5, dtype=ms.float16)",
    "ops.kaiser_window(5)",
    "ops.kaiser_window(5, False, 8.0)",
    "ops.kaiser_window(6, dtype=ms.float64)",
    "ops.kaiser_window(1)",
    f"P.BartlettWindow()({N})",
    f"P.BlackmanWindow(False, ms.float64)({N})",
    "P.HammingWindow(alpha=0.5)(ms.Tensor([6]))",
    tolerance=1e-4,
)
refused(
    "ops.bartlett_window(5)",
    "ops.bartlett_window(ms.Tensor(-1))",
    "ops.bartlett_window(ms.Tensor(5.0))",
)
refused(
    f"ops.blackman_window({N}, dtype=ms.int32)",
    f"ops.hamming_window({N})",
    "ops.hamming_window(-1)",
)
refused("ops.hann_window(-1)", "ops.hann_window(5.0)", "ops.hann_window(5, dtype=ms.int32)")
refused("ops.kaiser_window(-1)", "ops.kaiser_window(5.0)", "ops.hamming_window(5, True, 1)")
rows(
    "ops.stft(x(8), 4)",
    "ops.stft(x(2, 8), 4, return_complex=True)",
    "ops.stft(x(8), 4, 2, window=x(4, seed=1))",
    "ops.stft(x(8), 4, 2, 3, window=x(3, seed=1))",
    "ops.stft(x(8), 4, center=False)",
    "ops.stft(x(8), 4, center=False, normalized=True, onesided=False)",
    "ops.stft(x(8, dtype='complex64'), 4, center=False)",
    "ops.stft(x(8), 4, pad_mode='CONSTANT')",
    "ops.stft(x(8), 4, pad_mode='SYMMETRIC')",
    "P.STFT(4, 2, 4, False, True, True)(x(8), x(4))",
    "P.STFT(4, 2, 4, True, False, False)(x(2, 8), x(4))",
    tolerance=1e-4,
    gradient=False,
    because="MindSpore has no gradient of it",
)
refused("ops.stft(x(8), 4, pad_mode='constant')", "ops.stft(x(8), 40)", "ops.stft(x(8), 4, 0)")
