import torch


def near(value):
    return round(value, 4)


x = torch.sin(torch.arange(16.0))
f = torch.fft.rfft(x)
print(near(f.abs().max().item()), near(torch.abs(f)[1:].mean().item()))
print(near((f * 2).abs().clamp(max=3).sum().item()), near((2 * f + 1).abs().min().item()))
s = torch.stft(x, 8, 4, window=torch.hann_window(8), return_complex=True)
p = s.abs().pow(2)
print(
    near(p.sum().item()), near(torch.log(p + 1e-3).mean().item()), near(s[:, 1].abs().sum().item())
)
z = torch.polar(torch.ones(3), torch.arange(3.0))
print(z.abs().round(decimals=3).tolist(), near(torch.view_as_real(z * z.conj()).sum().item()))
w = torch.tensor([3 + 4j, 0], dtype=torch.cfloat)
print(w.abs().tolist(), near(torch.fft.irfft(f, n=16).abs().sum().item()))
q = torch.fft.fftshift(torch.fft.fft2(x.view(4, 4)).reshape(-1))
print(near(q.abs().sum().item()), near((q.real.abs() + q.imag.abs()).sum().item()))
