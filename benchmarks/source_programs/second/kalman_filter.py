"""A Kalman filter in double precision, without layers: solves, Cholesky factors, and its noise learned by gradients."""
import torch

torch.set_default_dtype(torch.float64)


class LinearGaussian(torch.nn.Module):
    def __init__(self, dt=0.1):
        super().__init__()
        self.register_buffer("F", torch.tensor([[1.0, dt], [0.0, 1.0]]))
        self.register_buffer("H", torch.tensor([[1.0, 0.0]]))
        self.log_q = torch.nn.Parameter(torch.tensor(-2.0))
        self.log_r = torch.nn.Parameter(torch.tensor(0.0))
        self.dt = dt

    @property
    def Q(self):
        dt = self.dt
        base = torch.tensor([[dt ** 3 / 3, dt ** 2 / 2], [dt ** 2 / 2, dt]])
        return base * self.log_q.exp()

    @property
    def R(self):
        return self.log_r.exp() * torch.eye(1)

    def predict(self, mean, cov):
        return self.F @ mean, self.F @ cov @ self.F.T + self.Q

    def update(self, mean, cov, y):
        S = self.H @ cov @ self.H.mT + self.R
        K = torch.linalg.solve(S, self.H @ cov).T
        residual = y - self.H @ mean
        mean = mean + K @ residual
        I = torch.eye(cov.shape[-1])
        cov = (I - K @ self.H) @ cov
        L = torch.linalg.cholesky(S)
        z = torch.linalg.solve_triangular(L, residual.unsqueeze(-1), upper=False).squeeze(-1)
        log_det = 2 * torch.log(torch.diagonal(L)).sum()
        nll = 0.5 * (z.square().sum() + log_det + torch.log(torch.tensor(2 * torch.pi)))
        return mean, cov, nll

    def forward(self, ys):
        mean, cov = torch.zeros(2), torch.eye(2)
        total, means, covs = 0.0, [], []
        for y in ys:
            mean, cov = self.predict(mean, cov)
            mean, cov, nll = self.update(mean, cov, y)
            total = total + nll
            means.append(mean)
            covs.append(cov)
        return total / len(ys), torch.stack(means), torch.stack(covs)

    def smooth(self, means, covs):
        """Rauch, Tung and Striebel."""
        out = [means[-1]]
        for k in range(len(means) - 2, -1, -1):
            pred_mean, pred_cov = self.predict(means[k], covs[k])
            gain = torch.linalg.lstsq(pred_cov, self.F @ covs[k]).solution.T
            out.insert(0, means[k] + gain @ (out[0] - pred_mean))
        return torch.stack(out)


t = torch.arange(30) * 0.1
truth = torch.sin(t)
ys = (truth + 0.1 * torch.cos(t * 37)).unsqueeze(1)
model = LinearGaussian()
print(ys.dtype, sum(p.numel() for p in model.parameters()))
optimizer = torch.optim.Adam(model.parameters(), lr=0.2)
for step in range(15):
    optimizer.zero_grad()
    nll, means, covs = model(ys)
    nll.backward()
    optimizer.step()
    if step % 5 == 4:
        print(step, f"{nll.item():.5f} q {model.log_q.exp().item():.4f} r {model.log_r.item():.4f}")
with torch.no_grad():
    _, means, covs = model(ys)
    smoothed = model.smooth(means, covs)
rmse = lambda a: (a - truth).pow(2).mean().sqrt().item()
print(f"{rmse(means[:, 0]):.4f} {rmse(smoothed[:, 0]):.4f}")
print(f"{torch.linalg.eigvalsh(covs[-1]).min().item():.6f} {torch.logdet(covs[-1]).item():.4f}")
