"""Resizing and sampling: functions and primitive classes."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

for attrs in ("", "align_corners=True", "half_pixel_centers=True"):
    rows(
        f"P.ResizeNearestNeighborV2({attrs})(x(1, 2, 5, 4), (3, 2))",
        f"P.ResizeBilinearV2({attrs})(x(1, 2, 3, 3), (5, 4))",
        f"P.ResizeBilinearV2({attrs})(x(1, 2, 5, 6), (3, 4))",
    )
    rows(
        f"P.ResizeBicubic({attrs})(x(1, 2, 3, 3), ms.Tensor([5, 4], ms.int32))",
        f"P.ResizeBicubic({attrs})(x(1, 1, 5, 6), (3, 4))",
        tolerance=1e-3,
    )
rows("P.ResizeNearestNeighbor((4, 5))(x(1, 2, 3, 3, dtype='int64'))")
rows("P.ResizeNearestNeighbor((4, 5))(x(1, 2, 3, 3, dtype='float16'))")
rows("P.ResizeArea()(x(1, 3, 4, 2, dtype='int32'), ms.Tensor([2, 3], ms.int32))")
rows(
    "P.ResizeArea()(x(1, 3, 3, 2), ms.Tensor([2, 2], ms.int32))",
    "P.ResizeArea()(x(1, 3, 3, 1), ms.Tensor([4, 5], ms.int32))",
    "P.ResizeArea(True)(x(1, 3, 5, 1), ms.Tensor([2, 3], ms.int32))",
    gradient=False,
    because="MindSpore has none for it",
)
rows("P.ResizeLinear1D()(x(1, 2, 3), (5,))", "P.ResizeLinear1D('half_pixel')(x(1, 2, 5), (3,))")
rows(
    "P.UpsampleNearest3D()(x(1, 2, 1, 2, 2), (2, 3, 4))",
    "P.UpsampleNearest3D()(x(1, 1, 2, 2, 2), None, (1.5, 2.0, 1.0))",
    "P.UpsampleTrilinear3D()(x(1, 2, 1, 2, 2), (2, 3, 4))",
    "P.UpsampleTrilinear3D(True)(x(1, 2, 1, 2, 2), (2, 3, 4))",
    "P.UpsampleTrilinear3D()(x(1, 1, 2, 2, 2), None, (1.5, 2.0, 1.0))",
)
for padding in ("zeros", "border", "reflection"):
    for corners in (True, False):
        attrs = f"'bilinear', '{padding}', {corners}"
        rows(
            f"P.GridSampler2D({attrs})(x(2, 2, 3, 4), x(2, 2, 3, 2) * 0.7)",
            f"P.GridSampler3D({attrs})(x(1, 2, 2, 3, 3), x(1, 2, 2, 3, 3) * 0.7)",
            f"ops.grid_sample(x(2, 2, 3, 4), x(2, 2, 3, 2), 'nearest', '{padding}', {corners})",
            tolerance=1e-4,
        )
rows("P.AffineGrid()(x(1, 2, 3), (1, 1, 2, 2))", "P.AffineGrid(True)(x(1, 3, 4), (1, 1, 2, 2, 2))")
rows(
    "ops.interpolate(x(1, 2, 3), 5)",
    "ops.interpolate(x(1, 2, 3, 3), (5, 2))",
    "ops.interpolate(x(1, 2, 3, 3), scale_factor=2.0, recompute_scale_factor=True)",
    "ops.interpolate(x(1, 1, 2, 3, 3), scale_factor=(2.0, 1.5, 1.0))",
    "ops.interpolate(x(1, 1, 2, 3, 3), (3, 4, 2))",
    "ops.interpolate(x(1, 2, 3), (5,), mode='linear')",
    "ops.interpolate(x(1, 2, 3), (5,), mode='linear', align_corners=True)",
    "ops.interpolate(x(1, 2, 3, 4), (5, 3), mode='bilinear')",
    "ops.interpolate(x(1, 2, 3, 4), [5, 3], mode='bilinear', align_corners=True)",
    "ops.interpolate(x(1, 2, 3, 4, dtype='float16'), (5, 3), mode='bilinear')",
    "ops.interpolate(x(1, 1, 2, 3, 3), (3, 4, 5), mode='trilinear', align_corners=True)",
    "ops.interpolate(x(1, 1, 2, 3, 3), scale_factor=(1.5, 2.0, 1.0), mode='trilinear')",
    "ops.interpolate(x(1, 2, 4), (2,), mode='area')",
    "ops.interpolate(x(1, 2, 5, 4), (2, 3), mode='area')",
    "ops.interpolate(x(1, 2, 5, 4), scale_factor=0.5, mode='area')",
    "ops.interpolate(x(1, 1, 2, 5, 4), (1, 2, 3), mode='area')",
    "ops.interpolate(x(1, 2, 3), (5,), mode='nearest-exact')",
    "ops.interpolate(x(1, 2, 3, 3), (5, 2), mode='nearest-exact')",
    "ops.interpolate(x(1, 2, 3, 3, dtype='uint8'), (5, 2))",
)
rows(
    "ops.interpolate(x(1, 2, 3, 4), (5, 3), mode='bicubic')",
    "ops.interpolate(x(1, 2, 3, 4), (5, 3), mode='bicubic', align_corners=True)",
    tolerance=1e-3,
)
X = "ops.interpolate(x(1, 1, 3, 3)"
refused(f"{X}, (5, 4), 2.0)", f"{X})", f"{X}, (5,))", f"{X}, (5, 4), mode='foo')")
refused(f"{X}, (5, 4), mode='linear')", "ops.interpolate(x(1, 1, 3), (5,), mode='bilinear')")
refused(f"{X}, (5, 4), align_corners=True)", f"{X}, (5, 4), mode='bilinear', align_corners=1)")
refused(f"{X}, (5.0, 4.0), mode='bilinear')", f"{X}, (-5, 4))", f"{X}, 'x', mode='bilinear')")
refused("ops.interpolate([1], (5, 4))", f"{X}, (5, 4), recompute_scale_factor=True)")
refused(f"{X}, scale_factor=2.0)", f"{X}, scale_factor=2, recompute_scale_factor=True)")
refused(f"{X}, scale_factor=-1.0, recompute_scale_factor=True)", "P.ResizeNearestNeighbor(3)")
refused("P.ResizeNearestNeighborV2()(x(1, 3, 3), (4, 5))", "P.ResizeLinear1D('foo')")
refused("P.ResizeBilinearV2(True, True)(x(1, 1, 3, 3), (5, 4))", "P.GridSampler2D('bicubic')")
refused("P.UpsampleNearest3D()(x(1, 1, 2, 2, 2))", "P.GridSampler2D('bilinear', 'foo')")
refused(
    "ops.grid_sample(x(1, 1, 3, 3), x(1, 2, 2, 2), 'foo')",
    "ops.grid_sample(x(1, 3, 3), x(1, 2, 2, 2))",
)
refused("ops.affine_grid(x(1, 2, 3), (1, 1, 2))", "ops.affine_grid(x(1, 2, 3), [1, 1, 2, 2])")
rows("P.ResizeNearestNeighbor((4, 5))(x(1, 2, 3, 3))")
rows("P.ResizeNearestNeighbor((4, 5), True)(x(1, 2, 3, 3))")
rows("P.UpsampleTrilinear3D()(x(1, 1, 1, 2, 2, dtype='float64'), (2, 3, 4))")
