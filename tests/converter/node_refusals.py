"""Which of ONNX's node cases are refused, and why: nothing else is, and each of these is."""

from __future__ import annotations

SEQUENCES = "sequences and optionals are no tensors"
STRINGS = "MindSpore's tensors hold no text"
RANDOM = "random numbers differ between frameworks"
NARROW = "MindSpore has no float8, float4, int4 and int2"
OWN_TYPE = "an element type reinterpreted, which no function of MindSpore's on the CPU does"
TRAINING = "an optimiser's step is no network"
NEW = "no handler yet for this operator of opsets 24 to 28"

OPERATORS = {
    "ai.onnx.ml::TreeEnsemble": "no handler yet for the new form of trees",
    "ai.onnx.preview.training::Adagrad": TRAINING,
    "ai.onnx.preview.training::Adam": TRAINING,
    "ai.onnx.preview.training::Momentum": TRAINING,
    "ai.onnx.preview::FlexAttention": NEW,
    "BitCast": OWN_TYPE,
    "CausalConvWithState": NEW,
    "DeformConv": "MindSpore's deformable convolution takes other operands",
    "ImageDecoder": "a file's bytes are no tensor",
    "LinearAttention": NEW,
    "MelWeightMatrix": "with constants it is computed during the conversion, by ONNX Runtime",
    "OptionalGetElement": SEQUENCES,
    "OptionalHasElement": SEQUENCES,
    "RegexFullMatch": STRINGS,
    "SequenceInsert": SEQUENCES,
    "SequenceMap": SEQUENCES,
    "SplitToSequence": SEQUENCES,
    "StringConcat": STRINGS,
    "StringNormalizer": STRINGS,
    "StringSplit": STRINGS,
    "TensorScatter": NEW,
    "TfIdfVectorizer": STRINGS,
}
"""Operators whose cases are all refused."""

CASES = {
    "ai_onnx_ml_label_encoder_string*": STRINGS,
    "ai_onnx_ml_label_encoder_tensor_*": STRINGS,
    "if_opt": SEQUENCES,
    "if_seq": SEQUENCES,
    "loop13_seq": SEQUENCES,
    "loop16_seq_none": SEQUENCES,
    "scan_sum": "version 8, whose first axis is a batch",
    "cast*_*FLOAT[48]E*": NARROW,
    "cast*_*INT[24]*": NARROW,
    "dequantizelinear_*int[24]": NARROW,
    "dequantizelinear_*e[45]m[23]*": NARROW,
    "dequantizelinear_float4e2m1": NARROW,
    "quantizelinear_*int[24]": NARROW,
    "quantizelinear_*e[45]m[23]*": NARROW,
    "quantizelinear_float4e2m1": NARROW,
    "equal_string*": STRINGS,
    "identity_opt": SEQUENCES,
    "identity_sequence": SEQUENCES,
    "col2im_5d": "MindSpore's fold knows images only",
    "gridsample_bicubic*": "MindSpore's grid_sample knows no cubic mode",
    "resize_tf_crop_and_resize_extrapolation_value": "points outside of the image",
    "roialign_mode_max": "the largest of the points' parts, which ONNX Runtime computes alone",
    "own_roialign_adaptive": "as many points as each region has pixels",
    "own_roialign_max": "the largest of the points' parts, which ONNX Runtime computes alone",
    "unique_*_with_axis*": "MindSpore finds unique numbers, not slices",
    "unique_*_with_negative_axis*": "MindSpore finds unique numbers, not slices",
    "maxpool_with_argmax_2d_precomputed_strides": "indices counted by columns",
    "unique_not_sorted*": "MindSpore's order is another",
    "training_dropout*_mask": RANDOM,
    "not_[234]d": "ONNX states an opset that did not know the operator",
}
"""Single cases of operators whose other cases are equal, as patterns."""
