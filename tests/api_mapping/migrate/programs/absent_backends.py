import torch

mps = getattr(torch.backends, "mps", None)
if mps is not None and mps.is_available():
    print("mps")
print(getattr(torch.backends, "mps", None) is not None and torch.backends.mps.is_available())
xpu = getattr(torch, "xpu", None)
print(bool(xpu and xpu.is_available()))
has = hasattr(torch.backends, "mps") and torch.backends.mps.is_available()
print(has, hasattr(torch, "xpu") and torch.xpu.is_available())
backend = getattr(torch.backends, "mps", False)
print("mps" if backend and backend.is_available() else "cpu")
names = [n for n in ("cuda", "cpu") if n == "cpu" or torch.cuda.is_available()]
print(names)
mps_backend = getattr(torch.backends, "mps", None)
device = "mps" if mps_backend is not None and mps_backend.is_available() else "cpu"
print(device)
