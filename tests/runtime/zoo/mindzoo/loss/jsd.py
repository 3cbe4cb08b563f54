"""Jensen-Shannon divergence between splits of a batch, beside the cross entropy of the first."""

from mindspore import nn, ops


class JSDCrossEntropy(nn.LossBase):
    def __init__(self, num_splits=2, alpha=12.0, smoothing=0.1):
        super().__init__()
        self.num_splits, self.alpha = num_splits, alpha
        self.cross_entropy_loss = nn.CrossEntropyLoss(label_smoothing=smoothing)

    def construct(self, output, target):
        split_size = output.shape[0] // self.num_splits
        logits_split = ops.split(output, split_size)
        loss = self.cross_entropy_loss(logits_split[0], target[:split_size])
        probs = [ops.softmax(logits, axis=1) for logits in logits_split]
        mean = ops.clamp(ops.stack(probs).mean(axis=0), 1e-7, 1.0).log()
        divergence = 0
        for p_split in probs:
            divergence += ops.kl_div(mean, p_split, reduction="batchmean")
        return loss + self.alpha * divergence / len(probs)
