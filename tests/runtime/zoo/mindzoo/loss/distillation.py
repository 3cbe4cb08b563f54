"""Knowledge of a teacher, soft or hard."""

import mindspore as ms
from mindspore import nn, ops


class DistillationLoss(nn.LossBase):
    """The network gives a pair while training: its own logits, those for the teacher."""

    def __init__(self, base_criterion, teacher_model, distillation_type="soft", alpha=0.5, tau=3.0):
        super().__init__()
        assert distillation_type in ("none", "soft", "hard")
        self.base_criterion = base_criterion
        self.teacher_model = teacher_model
        self.teacher_model.set_train(False)
        for p in self.teacher_model.get_parameters():
            p.requires_grad = False
        self.distillation_type, self.alpha, self.tau = distillation_type, alpha, tau
        self.kl_div = nn.KLDivLoss(reduction="sum")
        self.hard = nn.CrossEntropyLoss()
        self.argmax = ops.Argmax(axis=1, output_type=ms.int32)

    def construct(self, inputs, outputs, labels):
        outputs_kd = None
        if isinstance(outputs, tuple):
            outputs, outputs_kd = outputs
        base_loss = self.base_criterion(outputs, labels)
        if self.distillation_type == "none":
            return base_loss
        if outputs_kd is None:
            outputs_kd = outputs
        teacher_outputs = ops.stop_gradient(self.teacher_model(inputs))
        if self.distillation_type == "soft":
            t = self.tau
            pred = ops.log_softmax(outputs_kd / t, axis=1)
            soft = ops.softmax(teacher_outputs / t, axis=1)
            distillation_loss = self.kl_div(pred, soft) * (t * t) / outputs_kd.size
        else:
            distillation_loss = self.hard(outputs_kd, self.argmax(teacher_outputs))
        return base_loss * (1 - self.alpha) + distillation_loss * self.alpha
