import torch


def ev(xs, n):
    s = 0
    for x in xs:
        s += x.mean()
    return s / max(n, 1)


def main(loader):
    total = 0.0
    for x in loader:
        total += torch.ones(2).sum()
    print(f"{total:.3f} {total / 2:.2f}")
    val = ev([torch.ones(2)], 3)
    print(f"{val:.4f}", "%.3f" % val, "{:.2f}".format(val))
    best = 0
    best = max(best, val)
    print(f"best {best:.3f}")


main([1, 2])

correct, total, loss_sum = 0, 0, 0.0
for i in range(3):
    out = torch.arange(4.0) - i
    correct += (out > 0).sum()
    total += 4
    loss_sum += out.mean()
print(f"{correct:d}/{total:d} {correct:5d} {100 * correct / total:.1f}% {loss_sum / 3:>8.3f}")
print("{:d} of {total:4d}".format(correct, total=total), format(correct, "3d"))
print("{:d} of {:d}, {:.2f}".format(correct, total, loss_sum / total))
print("%d %.2f" % (correct, loss_sum))
acc = correct / total
print(f"{acc:.2%} {round(float(acc), 3)} {correct} {loss_sum}")
best = 0.0
if acc > best:
    best = acc
print(f"best: {best:.4f}")
