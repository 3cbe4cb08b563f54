"""Boxes, crops and colours: functions and primitive classes."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

A, B = "ms.Tensor([[4.0, 1, 9, 5], [2, 2, 2, 3]])", "ms.Tensor([[3.0, 1, 2, 2], [1, 2, 1, 4]])"
C = "ms.Tensor([[0.0, 0, 10, 10], [5, 5, 25, 15], [-1, 0, 3, 3]])"
SCALES = "(0.1, 0.0, 0.2, 0.0), (0.1, 0.1, 0.2, 0.2)"
rows(
    f"P.BoundingBoxEncode()({A}, {B})",
    f"P.BoundingBoxEncode({SCALES})({A}, {B})",
    f"P.BoundingBoxDecode((768, 1280))({A}, {B})",
    f"P.BoundingBoxDecode((10, 12), {SCALES})({A}, {B})",
    f"ops.bounding_box_encode({A}, {B})",
    f"ops.bounding_box_decode({A}, {B}, (768, 1280))",
    f"P.IOU()({A}, {C})",
    f"P.IOU('iof')({A}, {C})",
    f"ops.iou({A}.astype(ms.float16), {C}.astype(ms.float16))",
    f"P.CheckValid()({C}, ms.Tensor([20.0, 18, 1]))",
    f"ops.check_valid({C}, ms.Tensor([20.0, 18, 2]))",
    tolerance=1e-4,
)
BOX = "ms.Tensor([[0.1, 0.2, 0.8, 0.9], [0.7, 0.1, 1.4, 0.2]]), ms.Tensor([0, 1], ms.int32)"
for method in ("bilinear", "nearest", "bilinear_v2"):
    if method == "bilinear_v2":
        BOX = BOX.replace("1.4", "0.9")
    rows(
        f"P.CropAndResize('{method}', 0.5)(x(2, 4, 5, 2), {BOX}, (3, 2))",
        f"ops.crop_and_resize(x(2, 4, 5, 2), {BOX}, (1, 2), '{method}')",
        tolerance=1e-4,
        gradient=False,
        because="MindSpore's gradient of the crop has no kernel on the CPU for all methods",
    )
ROIS = "ms.Tensor([[0, 1.0, 1.0, 7.0, 8.0], [1, 2.0, 0.0, 3.0, 9.0]])"
rows(
    f"P.ROIAlign(2, 2, 0.5)(x(2, 3, 6, 5), {ROIS})",
    "P.ROIAlign(2, 2, 0.5)(x(1, 2, 4, 4), ms.Tensor([[0, 0.2, 0.3, 0.2, 0.3]]))",
    f"P.ROIAlign(1, 2, 1.0)(x(2, 1, 6, 5), {ROIS})",
    tolerance=1e-4,
)
rows(
    f"P.ROIAlign(2, 3, 0.5, 3, 0)(x(2, 3, 6, 5), {ROIS})",
    tolerance=1e-4,
    gradient=False,
    because="MindSpore's gradient forgets roi_end_mode and sample_num",
)
BOXES = "ms.Tensor([[0, 0, 10, 10, 0.6], [1, 1, 11, 11, 0.9], [20, 20, 30, 30, 0.3]])"
rows(
    f"P.NMSWithMask(0.3)({BOXES})", f"P.NMSWithMask(0.68)({BOXES})", f"P.NMSWithMask(0.69)({BOXES})"
)
rows(
    "P.NonMaxSuppressionWithOverlaps()(ms.Tensor([[1, 0.8, 0], [0.8, 1, 0.1], [0, 0.1, 1.0]]), "
    "ms.Tensor([0.6, 0.9, 0.3]), ms.Tensor(3, ms.int32), ms.Tensor(0.5), ms.Tensor(0.2))",
    "P.CombinedNonMaxSuppression()(ms.Tensor([[[[200.0, 100, 150, 100]], [[220, 120, 150, 100]], "
    "[[190, 110, 150, 100]], [[210, 112, 150, 100]]]]), ms.Tensor([[[0.2, 0.7, 0.1], [0.1, 0.2, "
    "0.4], [0.3, 0.3, 0.6], [0.05, 0.9, 0.25]]]), ms.Tensor(4, ms.int32), ms.Tensor(1, ms.int32), "
    "ms.Tensor(0.3), ms.Tensor(0.4))",
    "P.CombinedNonMaxSuppression(False, False)(x(2, 4, 1, 4), x(2, 4, 2, low=0.0), "
    "ms.Tensor(2, ms.int32), ms.Tensor(3, ms.int32), ms.Tensor(0.1), ms.Tensor(0.4))",
    gradient=False,
    because="choosing has no gradient",
)
UNIT = "ops.sigmoid(x(1, 2, 3, 3))"
rows(
    f"P.RGBToHSV()({UNIT})",
    f"P.HSVToRGB()({UNIT})",
    f"P.AdjustHue()({UNIT}, ms.Tensor(0.2))",
    f"P.AdjustSaturation()({UNIT}, ms.Tensor(0.5))",
    f"P.AdjustSaturation()({UNIT}, ms.Tensor(3.0))",
    tolerance=1e-4,
    gradient=False,
    because="MindSpore has none for it",
)
MOVE = "ms.Tensor([1.2, 0.6]), ms.Tensor([0.1, 0.2])"
for kind in ("lanczos1", "lanczos3", "gaussian", "triangle", "keyscubic", "mitchellcubic"):
    rows(
        f"P.ScaleAndTranslate('{kind}')(x(1, 3, 5, 2), ms.Tensor([4, 3], ms.int32), {MOVE})",
        f"P.ScaleAndTranslate('{kind}', False)(x(1, 3, 5, 1), ms.Tensor([2, 4], ms.int32), {MOVE})",
        tolerance=1e-4,
        gradient=False,
        because="MindSpore's gradient of it has no kernel for every shape",
    )
refused(
    "P.IOU('foo')", "P.IOU(1)", "P.BoundingBoxDecode(1)", "P.NMSWithMask(1)", "P.ROIAlign(1, 1, 1)"
)
refused("P.ROIAlign(1.0, 1, 1.0)", "P.CropAndResize(1)", "P.CropAndResize('foo')")
refused("P.CropAndResize('bilinear', 1)", "P.BoundingBoxEncode((0.1, 0, 0, 0))")
WRONG = "ms.Tensor([[0.1, 0.2, 0.8, 0.9]]), ms.Tensor([1], ms.int32)"
refused(f"P.CropAndResize()(x(1, 4, 4, 1), {WRONG}, (3, 2))")
refused(
    "P.ScaleAndTranslate('foo')", "P.ScaleAndTranslate('box', 1)", "P.CombinedNonMaxSuppression(1)"
)
WHOLE = "ms.Tensor([64, 48, 3], ms.int32), ms.Tensor([[[0.38, 0.17, 0.95, 0.4]]]), ms.Tensor([1.0])"
rows(
    f"P.SampleDistortedBoundingBoxV2(1, 1, (2.0, 2.1), (0.9, 1.0))({WHOLE})",
    gradient=False,
    because="it is drawn; no region fits, so that it is the whole image",
)
refused("P.SampleDistortedBoundingBoxV2(1.5)", "P.SampleDistortedBoundingBoxV2(1, 1, 2.0)")
refused(f"P.SampleDistortedBoundingBoxV2(1, 1, (0.7, 0.8), (0.5, 1.5))({WHOLE})")
