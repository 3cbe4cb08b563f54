"""Mixed precision, and cells around a network."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

rows(
    "filled(nn.Dense(4, 3)).to_float(ms.float16)(x(2, 4))",
    "filled(nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Softmax())).to_float(ms.float16)"
    "(x(2, 4))",
    "filled(nn.Conv2d(2, 3, 3)).to_float(ms.float16)(x(1, 2, 4, 4))",
    "filled(nn.SequentialCell(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), "
    "nn.ReLU())).to_float(ms.float16)(x(1, 2, 4, 4))",
    "filled(nn.LayerNorm((4,))).to_float(ms.float16)(x(2, 4))",
    "filled(nn.Embedding(6, 3)).to_float(ms.float16)(ms.Tensor([[0, 5], [2, 1]]))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Dense(4, 3), nn.ReLU())), 'O0')"
    "(x(2, 4))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Conv2d(2, 3, 3), "
    "nn.BatchNorm2d(3), nn.ReLU())), 'O1')(x(1, 2, 4, 4))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Conv2d(2, 3, 3), "
    "nn.BatchNorm2d(3), nn.ReLU())), 'O2')(x(1, 2, 4, 4))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Conv2d(2, 3, 3), "
    "nn.BatchNorm2d(3), nn.ReLU())), 'O3')(x(1, 2, 4, 4))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Conv2d(2, 3, 3), "
    "nn.BatchNorm2d(3), nn.ReLU())), 'auto')(x(1, 2, 4, 4))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Dense(4, 3), nn.LayerNorm((3,)), "
    "nn.GELU(), nn.Dense(3, 2))), 'O2')(x(2, 4))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Dense(4, 3), nn.LayerNorm((3,)), "
    "nn.GELU(), nn.Dense(3, 2))), 'O1')(x(2, 4))",
    "ms.amp.auto_mixed_precision(filled(nn.SequentialCell(nn.Dense(4, 3), nn.LayerNorm((3,)), "
    "nn.GELU(), nn.Dense(3, 2))), 'auto')(x(2, 4))",
    "ms.amp.custom_mixed_precision(filled(nn.SequentialCell(nn.Dense(4, 3), "
    "nn.LayerNorm((3,)), nn.Dense(3, 2))), white_list=[nn.Dense])(x(2, 4))",
    "ms.amp.custom_mixed_precision(filled(nn.SequentialCell(nn.Dense(4, 3), "
    "nn.LayerNorm((3,)), nn.Dense(3, 2))), black_list=[nn.Dense])(x(2, 4))",
    tolerance=3e-3,  # float16, rounded at other places
)
rows(
    "[(n, str(p.dtype)) for n, p in ms.amp.auto_mixed_precision(nn.SequentialCell(nn.Conv2d(2, "
    "3, 3), nn.BatchNorm2d(3)), 'O2').parameters_and_names()]",
    "[(n, str(p.dtype)) for n, p in ms.amp.auto_mixed_precision(nn.SequentialCell(nn.Conv2d(2, "
    "3, 3), nn.BatchNorm2d(3)), 'O3').parameters_and_names()]",
    "[(n, p.name) for n, p in ms.amp.auto_mixed_precision(nn.SequentialCell(nn.Conv2d(2, 3, "
    "3), nn.BatchNorm2d(3)), 'O1').parameters_and_names()]",
    "[(n, p.name) for n, p in ms.amp.auto_mixed_precision(nn.SequentialCell(nn.Conv2d(2, 3, "
    "3), nn.BatchNorm2d(3)), 'auto').parameters_and_names()]",
    "len(ms.amp.get_white_list())",
    "[c.__name__ for c in ms.amp.get_black_list()]",
    "[c.__name__ for c in ms.amp.get_white_list()]",
    "ms.amp.FixedLossScaleManager(64.0, False).get_loss_scale()",
    "ms.amp.FixedLossScaleManager().get_update_cell()",
    "ms.amp.FixedLossScaleManager(64.0, False).get_update_cell()",
    "ms.amp.DynamicLossScaleManager().get_loss_scale()",
    "ms.amp.DynamicLossScaleManager().get_drop_overflow_update()",
    "ms.amp.all_finite((x(3), x(4)))",
    "ms.amp.all_finite([ms.Tensor([1.0, np.inf])])",
    "ms.amp.StaticLossScaler(8.0).unscale((x(3), x(3, dtype='float16')))",
    "ms.amp.DynamicLossScaler(8, 2, 3).scale(x(3))",
    "filled(nn.WithEvalCell(nn.Dense(3, 4), nn.MSELoss()))(x(2, 3), x(2, 4))",
    "filled(nn.WithGradCell(nn.Dense(3, 4), nn.MSELoss()))(x(2, 3), x(2, 4))",
    "filled(nn.WithGradCell(nn.Dense(3, 4), sens=ms.Tensor(np.ones((2, 4), np.float32))))(x(2, 3))",
    "nn.ForwardValueAndGrad(filled(nn.Dense(3, 4)), get_all=True)(x(2, 3))",
    "nn.ForwardValueAndGrad(filled(nn.Dense(3, 4)), get_all=True, sens_param=True)"
    "(x(2, 3), x(2, 4))",
    "(lambda n: nn.ForwardValueAndGrad(n, n.trainable_params(), get_by_list=True)(x(2, 3)))"
    "(filled(nn.Dense(3, 4)))",
    "(lambda n: nn.ForwardValueAndGrad(n, n.trainable_params(), get_all=True, "
    "get_by_list=True)(x(2, 3)))(filled(nn.Dense(3, 4)))",
    "nn.FixedLossScaleUpdateCell(8).get_loss_scale()",
    "nn.DynamicLossScaleUpdateCell(8, 2, 3)(ms.Parameter(ms.Tensor(8.0)), ms.Tensor(True))",
    "nn.ParameterUpdate(ms.Parameter(ms.Tensor([1.0]), name='a'))(x(1))",
    "nn.TimeDistributed(filled(nn.Dense(3, 4)), 1, 0)(x(2, 5, 3))",
    "nn.TimeDistributed(filled(nn.Conv2d(2, 3, 3)), 1)(x(2, 2, 2, 4, 4))",
    "nn.GradAccumulationCell(filled(nn.WithLossCell(nn.Dense(3, 4), nn.MSELoss())), 2)"
    "(x(4, 3), x(4, 4))",
    "nn.MicroBatchInterleaved(filled(nn.WithLossCell(nn.Dense(3, 4), nn.MSELoss())), 2)"
    "(x(4, 3), x(4, 4))",
)
refused(
    "filled(nn.WithEvalCell(nn.Dense(3, 4), nn.MSELoss(), True))"
    "(x(2, 3, dtype='float16'), x(2, 4, dtype='float16'))",
    "nn.Dense(4, 3).to_float(ms.int32)",
    "nn.Dense(4, 3).to_float(ms.float64)",
    "ms.amp.auto_mixed_precision(nn.Dense(2, 3), 'O4')",
    "ms.amp.auto_mixed_precision(lambda x: x, 'O2')",
    "ms.amp.auto_mixed_precision(nn.Dense(2, 3), 'O2', ms.float32)",
    "ms.amp.custom_mixed_precision(nn.Dense(2, 3))",
    "ms.amp.custom_mixed_precision(nn.Dense(2, 3), white_list=[nn.Dense], black_list=[nn.Dense])",
    "ms.amp.custom_mixed_precision(nn.Dense(2, 3), white_list=(nn.Dense,))",
    "ms.amp.custom_mixed_precision(nn.Dense(2, 3), black_list=[1])",
    "ms.amp.FixedLossScaleManager(0.5)",
    "ms.amp.DynamicLossScaleManager(0.5)",
    "ms.amp.DynamicLossScaleManager(scale_window=0)",
    "ms.amp.DynamicLossScaleManager(scale_factor=-1)",
    "ms.amp.StaticLossScaler(0.5)",
    "ms.amp.StaticLossScaler('1')",
    "ms.amp.DynamicLossScaler(2, 0, 3)",
    "ms.amp.DynamicLossScaler(2, 2, 0.5)",
    "ms.amp.DynamicLossScaler(2, 1.5, 2)",
    "nn.ForwardValueAndGrad(1)",
    "nn.ForwardValueAndGrad(nn.Dense(3, 4), get_by_list=True)",
    "nn.ParameterUpdate(1)",
    "nn.TimeDistributed(1, 1)",
    "nn.TimeDistributed(nn.Dense(3, 4), 1.0)",
    "nn.TrainOneStepCell(nn.Dense(3, 4), nn.SGD(nn.Dense(3, 4).trainable_params()), 0)",
    "nn.TrainOneStepWithLossScaleCell(nn.Dense(3, 4), nn.SGD(nn.Dense(3, "
    "4).trainable_params()), 1.0)",
    "nn.TrainOneStepWithLossScaleCell(nn.Dense(3, 4), nn.SGD(nn.Dense(3, "
    "4).trainable_params()), ms.Tensor([1.0, 2.0]))",
)
rows(
    "ms.amp.StaticLossScaler(8).unscale([x(2), (x(3),)])",
    "repr([type(each) for each in ms.amp.StaticLossScaler(8).scale([[x(2)], (x(3),)])])",
    "type(ms.amp.DynamicLossScaler(4.0, 2, 2).unscale([x(2)])).__name__",
)
