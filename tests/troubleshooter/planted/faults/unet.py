"""What goes wrong in a U-Net."""

from __future__ import annotations

from ..fault import (
    CODE,
    Row,
    changed,
    copied,
    edit,
    every,
    faults,
    filled,
    in_half,
    mirrored,
    rolled,
    transposed,
)

UP = 'mode="bilinear", align_corners=True, recompute_scale_factor=True'
NORM2 = "self.norm2 = nn.GroupNorm(4, outputs)"
GATED = "x3 * ops.sigmoid(self.gate(x3))"

SCRIPT: tuple[Row, ...] = (
    (
        *("up1.up", "align-corners", "align_corners=False"),
        edit("align_corners=True", "align_corners=False"),
    ),
    (
        *("up1.up", "resize-mode", "nearest for bilinear"),
        edit(UP, 'mode="nearest", recompute_scale_factor=True'),
    ),
    (
        *("inc.conv2", "padding-mode", "zeros for reflected padding"),
        edit(', padding_mode="reflect"', ""),
    ),
    (
        *("inc.norm1", "groups", "twice as many groups"),
        edit("self.norm1 = nn.GroupNorm(4, outputs)", "self.norm1 = nn.GroupNorm(8, outputs)"),
    ),
    (
        *("inc.norm2", "epsilon", "epsilon 1e-3 for 1e-5"),
        edit(NORM2, NORM2.replace("outputs", "outputs, eps=1e-3")),
    ),
    (
        *("inc.norm2", "epsilon", "epsilon 1e-6 for 1e-5"),
        edit(NORM2, NORM2.replace("outputs", "outputs, eps=1e-6")),
    ),
    (*("inc.act", "another-activation", "ReLU for SiLU"), edit("nn.SiLU()", "nn.ReLU()")),
    (*("pool2", "another-pool", "maximum for mean"), edit("nn.AvgPool2d", "nn.MaxPool2d")),
    (
        *("pool1", "pool-stride", "stride forgotten: MindSpore's default is 1"),
        edit("nn.MaxPool2d(2, stride=2)", "nn.MaxPool2d(2)"),
    ),
    (
        *("up2", "transposed-padding", "pad_mode='same', MindSpore's default"),
        edit('pad_mode="pad", padding=(1, 0, 1, 0),', 'pad_mode="same",'),
    ),
    (
        *("norm", "groups | another-normalization", "four groups for each channel alone"),
        edit("nn.GroupNorm(8, 8, affine=True)", "nn.GroupNorm(4, 8, affine=True)"),
    ),
    (
        *("up1", CODE, "joined in another order, deep"),
        edit("ops.cat([skip, x]", "ops.cat([x, skip]"),
    ),
    (*("", CODE, "joined in another order"), edit("ops.cat([x1, y]", "ops.cat([y, x1]")),
    (*("", CODE, "no sigmoid at the gate"), edit(GATED, "x3 * self.gate(x3)")),
    (
        *("", CODE, "gate added, not multiplied"),
        edit(GATED, GATED.replace("*", "+")),
    ),
    (
        *("", CODE, "ReLU before the norm"),
        edit("ops.relu(self.norm(self.up2(y)))", "self.norm(ops.relu(self.up2(y)))"),
    ),
    (*("", CODE, "bilinear for nearest"), edit('mode="nearest"', 'mode="bilinear"')),
    (*("", CODE, "another channel"), edit("[:, :1]", "[:, 1:]")),
    (
        *("inc.norm1", ":inc.norm2", "the second norm used twice"),
        edit("self.norm1(self.conv1(x))", "self.norm2(self.conv1(x))"),
    ),
)

CHECKPOINT: tuple[Row, ...] = (
    (
        *("down2.conv1", "parameters:down2.conv2", "weights of another convolution"),
        copied(
            *("down2.conv1.weight", "down2.conv2.weight"),
            *("down2.conv1.bias", "down2.conv2.bias"),
        ),
    ),
    (
        *("up2", "parameters:transposed", "channels of the kernel exchanged"),
        changed(transposed, "up2.weight"),
    ),
    (*("up2", "parameters:axes 2, 3", "kernel mirrored"), changed(mirrored(2, 3), "up2.weight")),
    (*("expand", "parameters:bias", "bias never loaded"), changed(filled(0), "expand.bias")),
    (
        *("gate", "parameters:transposed", "weight of 1 x 1 transposed"),
        changed(transposed, "gate.weight"),
    ),
    (
        *("down1.norm1", "parameters:never loaded", "beta never loaded"),
        changed(filled(0), "down1.norm1.beta"),
    ),
    (
        *("last.conv1", "parameters:columns", "weights for another order of what is joined"),
        changed(rolled(8, 1), "last.conv1.weight"),
    ),
)

FROM_ONNX: tuple[Row, ...] = (
    (
        *("up1", CODE, "align_corners=False"),
        edit("align_corners=True", "align_corners=False"),
    ),
    (
        *("up1", CODE, "joined in another order, deep"),
        edit("ops.concat((y, x)", "ops.concat((x, y)"),
    ),
    (
        *("", CODE, "joined in another order"),
        edit("ops.concat((x, out)", "ops.concat((out, x)"),
    ),
    (
        *("inc", CODE, "zeros for reflected padding"),
        edit('mode="reflect"', 'mode="constant"'),
    ),
    (
        *("inc.norm1", "groups", "twice as many groups"),
        edit(
            "self.norm1 = nn.GroupNorm(4, out_channels)",
            "self.norm1 = nn.GroupNorm(8, out_channels)",
        ),
    ),
    (
        *("norm", "groups | another-normalization", "four groups for each channel alone"),
        edit("nn.GroupNorm(8, 8)", "nn.GroupNorm(4, 8)"),
    ),
    (*("inc.act", "another-activation", "ReLU for SiLU"), edit("nn.SiLU()", "nn.ReLU()")),
    (*("pool2", "another-pool", "maximum for mean"), edit("nn.AvgPool2d", "nn.MaxPool2d")),
    (
        *("up2", "transposed-padding", "pad_mode='same', MindSpore's default"),
        edit('pad_mode="pad", padding=(1, 0, 1, 0),', 'pad_mode="same",'),
    ),
    (
        *("", CODE, "no sigmoid at the gate"),
        edit("ops.sigmoid(self.gate(pool2))", "self.gate(pool2)"),
    ),
    (*("up2", "parameters:axes 2, 3", "kernel mirrored"), changed(mirrored(2, 3), "up2.weight")),
    (*("expand", "parameters:bias", "bias never loaded"), changed(filled(0), "expand.bias")),
    (
        *("inc.conv1", "parameters:float16", "all weights saved in half precision"),
        every(in_half, "weight"),
    ),
)

FAULTS = (
    *faults("unet", (*SCRIPT, *CHECKPOINT)),
    *faults("unet", FROM_ONNX, "onnx"),
)
