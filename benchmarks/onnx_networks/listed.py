"""The networks of docs/onnx-networks.md, written down before any of them was converted.

A row is an expression that makes the network (`making.py` says in which names), its inputs, which
exporter writes it, whether axes that have a name are dynamic, and the form of its numbers. Nothing
is imported here: the Python that has PyTorch and the one that has msconvert both read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

FORMS = ("fp32", "fp16", "dynamic int8", "QDQ", "QOperator")
"""What is done with the numbers: halves before the export, ONNX Runtime's quantiser after it."""

SIZES = {
    "batch": (2, 3),
    "one": (1, 2),
    "length": (6, 9),
    "target": (5, 7),
    "height": (64, 96),
    "width": (64, 32),
    "samples": (1200, 1600),
    "steps": (7, 4),
    "nodes": (5, 8),
    "edges": (9, 12),
}
"""Two sizes of each axis that may be dynamic; a static export has the first."""


@dataclass(frozen=True)
class Input:
    """One input; axes are sizes or keys of SIZES.

    `kind` is "numbers", "mask" (ones, then zeros), "sign" (ones and zeros) or "below N" (integers).
    """

    name: str
    axes: tuple[int | str, ...]
    kind: str = "numbers"

    def shape(self, choice: int) -> tuple[int, ...]:
        """The shape with the first (0) or second (1) sizes."""
        return tuple(a if isinstance(a, int) else SIZES[a][choice] for a in self.axes)

    @property
    def dynamic(self) -> dict[int, str]:
        return {i: a for i, a in enumerate(self.axes) if isinstance(a, str)}


@dataclass(frozen=True)
class Network:
    """A row: `by_name` hands inputs by their names, `scripted` compiles by torch.jit.script."""

    name: str
    library: str
    build: str
    inputs: tuple[Input, ...]
    exporter: str
    dynamic: bool
    form: str = "fp32"
    by_name: bool = False
    scripted: bool = False


EXPORTERS = {"D": "dynamo", "L": "legacy", "O": "onnxscript"}


def ways(code: str) -> dict[str, object]:
    """`D`ynamo or `L`egacy exporter or `O`nnxscript, `d`ynamic or `s`tatic axes, then the form: "Ld fp16"."""
    letters, _, form = code.partition(" ")
    return {
        "exporter": EXPORTERS[letters[0]],
        "dynamic": letters[1] == "d",
        "form": form or "fp32",
    }


def image(size: int = 64, channels: int = 3) -> tuple[Input, ...]:
    return (Input("image", ("batch", channels, size, size)),)


def rows(library: str, table: str, inputs: dict[str, tuple[Input, ...]]) -> Iterator[Network]:
    """Rows of `name | way | key of inputs | expression`, a line each."""
    for line in table.strip().splitlines():
        name, way, key, build = (part.strip() for part in line.split("|", 3))
        by_name = library == "transformers"
        scripted = key.startswith("scripted ")
        given = inputs[key.removeprefix("scripted ")]
        yield Network(name, library, build, given, by_name=by_name, scripted=scripted, **ways(way))  # type: ignore[arg-type]


IMAGES = {
    **{f"image {size}": image(size) for size in (32, 56, 64, 96, 128, 224, 240, 256)},
    "any image": (Input("image", ("batch", 3, "height", "width")),),
    "two images": (Input("first", (1, 3, 128, 128)), Input("second", (1, 3, 128, 128))),
    "video": (Input("video", ("batch", 3, 4, 32, 32)),),
    "video 16": (Input("video", ("one", 3, 16, 64, 64)),),
}

TORCHVISION = """
alexnet | Ds | image 64 | tv.alexnet(num_classes=10)
squeezenet1_1 | Ld | image 64 | tv.squeezenet1_1(num_classes=10)
shufflenet_v2_x0_5 | Dd | image 64 | tv.shufflenet_v2_x0_5(num_classes=10)
shufflenet_v2_x0_5, traced | Ld | image 64 | tv.shufflenet_v2_x0_5(num_classes=10)
mnasnet0_5 | Ds fp16 | image 64 | tv.mnasnet0_5(num_classes=10)
mobilenet_v2 | Ls QDQ | image 64 | tv.mobilenet_v2(num_classes=10, width_mult=0.25)
mobilenet_v3_small | Dd | image 64 | tv.mobilenet_v3_small(num_classes=10)
googlenet | Ls | image 64 | tv.googlenet(num_classes=10, aux_logits=False, init_weights=False)
inception_v3 | Dd | image 96 | tv.inception_v3(num_classes=10, aux_logits=False, init_weights=False)
densenet121 | Dd | image 32 | tv.DenseNet(8, (3, 4, 3), 16, num_classes=10)
resnext | Dd fp16 | image 64 | tv.ResNet(tvm.resnet.Bottleneck, [1, 2, 1, 1], 10, groups=8, width_per_group=8)
resnet50, quantised | Ls QOperator | image 32 | tv.ResNet(tvm.resnet.Bottleneck, [1, 1, 1, 1], 10, width_per_group=16)
regnet_y_400mf | Dd | image 64 | tv.regnet_y_400mf(num_classes=10)
efficientnet_b0 | Ds | image 64 | tv.efficientnet_b0(num_classes=10)
efficientnet_v2_s | Ld | image 32 | tv.efficientnet_v2_s(num_classes=10)
convnext_tiny | Dd | image 64 | tv.ConvNeXt([tvm.convnext.CNBlockConfig(32, 64, 2), tvm.convnext.CNBlockConfig(64, None, 2)], num_classes=10)
vit | Dd | image 32 | tv.VisionTransformer(32, 8, 3, 4, 32, 64, num_classes=10)
vit, traced | Ld | image 32 | tv.VisionTransformer(32, 8, 3, 4, 32, 64, num_classes=10)
swin_v2_t | Ld | image 64 | tv.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10, block=tvm.swin_transformer.SwinTransformerBlockV2, downsample_layer=tvm.swin_transformer.PatchMergingV2)
swin_t | Ds | image 64 | tv.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10)
maxvit_t | Ls | image 64 | tv.MaxVit((64, 64), 16, 2, [16, 32], [1, 1], 8, 0.1, num_classes=10)
fcn_resnet50 | Dd | any image | Field(tv.segmentation.fcn_resnet50(weights=None, weights_backbone=None, num_classes=4), "out")
deeplabv3_mobilenet | Ls | image 64 | Field(tv.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=4), "out")
lraspp_mobilenet | Ld | any image | Field(tv.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=4), "out")
raft_small | Ds | two images | tv.optical_flow.raft_small()
r3d_18 | Dd | video | tv.video.r3d_18(num_classes=10)
r2plus1d_18 | Ls | video | tv.video.r2plus1d_18(num_classes=10)
retinanet's heads | Ds | image 128 | Heads(tv.detection.retinanet_resnet50_fpn(weights=None, weights_backbone=None, num_classes=5))
fcos's heads | Ls | image 128 | Heads(tv.detection.fcos_resnet50_fpn(weights=None, weights_backbone=None, num_classes=5))
"""

TIMM = """
ghostnet_050 | Ld | image 64 |
mobileone_s0 | Ds | image 64 |
repghostnet_050 | Dd | image 64 |
hardcorenas_a | Ls | image 64 |
tinynet_e | Dd fp16 | image 64 |
mixnet_s | Ls | image 64 |
lcnet_050 | Ls QDQ | image 64 |
dla34 | Dd | image 64 |
dpn48b | Ls | image 64 |
ese_vovnet19b_dw | Ld | image 64 |
hrnet_w18_small | Ds | image 64 |
res2net50_14w_8s | Ld | image 32 |
skresnet18 | Dd | image 64 |
resnest14d | Ls | image 64 |
selecsls42 | Ld fp16 | image 64 |
regnetz_005 | Dd | image 64 |
rexnetr_100 | Ls QDQ | image 64 |
nf_regnet_b0 | Ds | image 64 |
eca_nfnet_l0 | Ld | image 32 |
convmixer_768_32 | Dd | image 64 |
mixer_s32_224 | Ls | image 64 | img_size=64
gmlp_ti16_224 | Ds | image 64 | img_size=64
resmlp_12_224 | Ld | image 64 | img_size=64
pit_ti_224 | Dd | image 64 | img_size=64
cait_xxs24_224 | Ls | image 64 | img_size=64, depth=3
xcit_nano_12_p16_224 | Ds | image 64 | img_size=64, depth=3
convit_tiny | Ld | image 64 | img_size=64, depth=4, local_up_to_layer=2
coat_lite_tiny | Dd | image 64 | img_size=64
crossvit_tiny_240 | Ls | image 240 |
twins_svt_small | Ls | image 64 | img_size=64
twins_pcpvt_small | Ld fp16 | image 64 | img_size=64
visformer_tiny | Ld | image 64 | img_size=64
poolformer_s12 | Dd | image 64 |
pvt_v2_b0 | Ls | image 64 |
edgenext_xx_small | Ds | image 64 |
mobilevit_xxs | Ls | image 64 |
mobilevitv2_050 | Ds | image 64 |
efficientformerv2_s0 | Ls | image 64 | img_size=64
efficientvit_b0 | Dd | image 64 |
efficientvit_m0 | Ls | image 128 | img_size=128
fastvit_t8 | Ds | image 64 |
repvit_m0_9 | Ld | image 64 |
inception_next_atto | Dd | image 64 |
nest_tiny | Ls | image 64 | img_size=64
coatnet_nano_rw_224 | Ds | image 64 | img_size=64
davit_tiny | Ld | image 64 | depths=(1, 1, 1, 1), embed_dims=(16, 32, 64, 128), num_heads=(1, 2, 4, 8)
focalnet_tiny_srf | Dd | image 64 |
gcvit_xxtiny | Ls | image 224 |
hiera_tiny_224 | Ls | image 64 | img_size=64
levit_128s | Ls | image 128 | img_size=128
tiny_vit_5m_224 | Ds | image 224 |
eva02_tiny_patch14_224 | Dd fp16 | image 56 | img_size=56, depth=3
deit3_small_patch16_224 | Ls dynamic int8 | image 64 | img_size=64, depth=3, embed_dim=64, num_heads=4
sequencer2d_s | Ds | image 64 | img_size=64, layers=(1, 1, 1, 1), embed_dims=(16, 32, 32, 32), hidden_sizes=(4, 8, 8, 8)
starnet_s1 | Dd | image 64 |
mambaout_femto | Ls | image 64 |
rdnet_tiny | Ds | image 64 |
caformer_s18 | Ld | image 64 |
botnet26t_256 | Ds | image 64 | img_size=64
halonet26t | Ds | image 256 |
lambda_resnet26t | Ds | image 128 | img_size=128
convnextv2_atto | Ld QDQ | image 64 |
shvit_s1 | Dd | image 64 |
swiftformer_xs | Ls | image 64 |
mobilenetv4_conv_small | Ls QOperator | image 64 |
fasternet_t0 | Ld | image 64 |
test_byobnet | Dd | image 64 |
test_nfnet | Ld | image 64 |
"""

TEXT = {
    "tokens": (Input("input_ids", ("batch", "length"), "below 50"),),
    "masked": (
        Input("input_ids", ("batch", "length"), "below 50"),
        Input("attention_mask", ("batch", "length"), "mask"),
    ),
    "translated": (
        Input("input_ids", ("batch", "length"), "below 50"),
        Input("decoder_input_ids", ("batch", "target"), "below 50"),
    ),
    "pixels 32": (Input("pixel_values", ("batch", 3, 32, 32)),),
    "pixels 64": (Input("pixel_values", ("batch", 3, 64, 64)),),
    "clip": (
        Input("input_ids", ("batch", "length"), "below 50"),
        Input("pixel_values", ("batch", 3, 32, 32)),
    ),
    "speech": (Input("input_values", ("batch", "samples")),),
    "spectrum": (
        Input("input_features", ("batch", 8, 40)),
        Input("decoder_input_ids", ("batch", "target"), "below 50"),
    ),
    "patches": (Input("input_values", ("batch", 24, 8)),),
    "series": (Input("past_values", ("batch", 32, 2)),),
    "video": (Input("pixel_values", ("batch", 4, 3, 32, 32)),),
}

TRANSFORMERS = """
RobertaModel | Dd | masked | hf("RobertaModel", BERT)
DistilBertForSequenceClassification | Ld | masked | hf("DistilBertForSequenceClassification", dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=60, max_position_embeddings=40)
ElectraForTokenClassification | Dd fp16 | masked | hf("ElectraForTokenClassification", BERT, embedding_size=16)
DebertaModel | Ls | masked | hf("DebertaModel", BERT, relative_attention=True, pos_att_type=["c2p", "p2c"])
DebertaV2Model | Ds | masked | hf("DebertaV2Model", BERT, relative_attention=True, pos_att_type=["c2p", "p2c"])
MPNetModel | Ld | masked | hf("MPNetModel", BERT)
MobileBertModel | Dd | masked | hf("MobileBertModel", vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, embedding_size=16, true_hidden_size=16, intra_bottleneck_size=16, max_position_embeddings=40)
SqueezeBertModel | Ls | masked | hf("SqueezeBertModel", BERT, embedding_size=32)
ConvBertModel | Ds | masked | hf("ConvBertModel", BERT, embedding_size=32, head_ratio=2, conv_kernel_size=3)
FNetModel | Ds | tokens | hf("FNetModel", BERT)
NystromformerModel | Ls | tokens | hf("NystromformerModel", BERT, num_landmarks=3, segment_means_seq_len=6)
RoFormerModel | Dd | masked | hf("RoFormerModel", BERT, embedding_size=32)
MegatronBertModel | Ld dynamic int8 | masked | hf("MegatronBertModel", BERT)
RemBertModel | Dd | masked | hf("RemBertModel", BERT, input_embedding_size=16, output_embedding_size=16)
XLNetModel | Ls | tokens | hf("XLNetModel", vocab_size=60, d_model=32, n_layer=2, n_head=4, d_inner=64)
EsmModel | Ld | masked | hf("EsmModel", BERT, position_embedding_type="rotary", pad_token_id=1, mask_token_id=2)
ModernBertModel | Dd | masked | hf("ModernBertModel", BERT, pad_token_id=0, local_attention=4)
LukeModel | Ls | masked | hf("LukeModel", BERT, entity_vocab_size=20, entity_emb_size=16)
GPTNeoForCausalLM | Dd | masked | hf("GPTNeoForCausalLM", vocab_size=60, hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=4, max_position_embeddings=40)
GPTNeoXForCausalLM | Ld | masked | hf("GPTNeoXForCausalLM", LLAMA)
GPTJModel | Dd | masked | hf("GPTJModel", vocab_size=60, n_embd=32, n_layer=2, n_head=4, rotary_dim=4, n_positions=40)
OPTForCausalLM | Ld | masked | hf("OPTForCausalLM", LLAMA, ffn_dim=64, word_embed_proj_dim=32)
BloomForCausalLM | Dd | masked | hf("BloomForCausalLM", vocab_size=60, hidden_size=32, n_layer=2, n_head=4)
CodeGenModel | Ds | tokens | hf("CodeGenModel", vocab_size=60, n_embd=32, n_layer=2, n_head=4, rotary_dim=4, n_positions=40)
MistralForCausalLM | Dd fp16 | masked | hf("MistralForCausalLM", LLAMA, num_key_value_heads=2, sliding_window=4)
MixtralModel | Ds | tokens | hf("MixtralModel", LLAMA, num_key_value_heads=2, num_local_experts=4)
Qwen2ForCausalLM | Dd | masked | hf("Qwen2ForCausalLM", LLAMA, num_key_value_heads=2)
Qwen3ForCausalLM | Dd | tokens | hf("Qwen3ForCausalLM", LLAMA, num_key_value_heads=2, head_dim=8)
PhiModel | Dd | masked | hf("PhiModel", LLAMA)
Phi3Model | Ds dynamic int8 | tokens | hf("Phi3Model", LLAMA, pad_token_id=0)
GemmaForCausalLM | Dd | masked | hf("GemmaForCausalLM", LLAMA, num_key_value_heads=1, head_dim=8)
Gemma2Model | Ds | tokens | hf("Gemma2Model", LLAMA, num_key_value_heads=2, head_dim=8, query_pre_attn_scalar=8, sliding_window=4)
FalconModel | Ld | masked | hf("FalconModel", LLAMA)
MptModel | Dd | masked | hf("MptModel", vocab_size=60, d_model=32, n_layers=2, n_heads=4, max_seq_len=40)
StableLmModel | Dd | masked | hf("StableLmModel", LLAMA)
Olmo2Model | Ds | tokens | hf("Olmo2Model", LLAMA)
CohereModel | Dd | tokens | hf("CohereModel", LLAMA)
Starcoder2Model | Dd | masked | hf("Starcoder2Model", LLAMA, num_key_value_heads=2)
GraniteModel | Ds | tokens | hf("GraniteModel", LLAMA)
BioGptModel | Dd | masked | hf("BioGptModel", LLAMA)
MambaModel | Ls | tokens | hf("MambaModel", vocab_size=60, hidden_size=32, num_hidden_layers=2, state_size=4)
MT5ForConditionalGeneration | Dd | translated | hf("MT5ForConditionalGeneration", vocab_size=60, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)
MBartForConditionalGeneration | Ld | translated | hf("MBartForConditionalGeneration", BART)
PegasusModel | Dd | translated | hf("PegasusModel", BART)
MarianModel | Ls | translated | hf("MarianModel", BART, decoder_vocab_size=60, pad_token_id=0)
BlenderbotSmallModel | Dd | translated | hf("BlenderbotSmallModel", BART)
M2M100Model | Ds | translated | hf("M2M100Model", BART)
WhisperModel | Ds | spectrum | hf("WhisperModel", BART, num_mel_bins=8, max_source_positions=20, max_target_positions=20, pad_token_id=0)
DeiTModel | Ld | pixels 32 | hf("DeiTModel", VIT)
BeitModel | Ds | pixels 32 | hf("BeitModel", VIT, use_relative_position_bias=True)
Swinv2Model | Ls | pixels 64 | hf("Swinv2Model", image_size=64, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4)
ConvNextForImageClassification | Dd | pixels 64 | hf("ConvNextForImageClassification", hidden_sizes=[16, 32], depths=[1, 1], num_stages=2, num_labels=5)
SegformerForSemanticSegmentation | Ld | pixels 64 | hf("SegformerForSemanticSegmentation", hidden_sizes=[16, 32, 32, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=32)
LevitModel | Ds | pixels 64 | hf("LevitModel", image_size=64, hidden_sizes=[16, 32, 48], num_attention_heads=[2, 4, 6], depths=[1, 1, 1], key_dim=[8, 8, 8])
DPTModel | Ls | pixels 32 | hf("DPTModel", VIT, backbone_out_indices=[0, 1], neck_hidden_sizes=[16, 32])
Dinov2Model | Dd | pixels 32 | hf("Dinov2Model", VIT)
Data2VecVisionModel | Ls | pixels 32 | hf("Data2VecVisionModel", VIT, use_shared_relative_position_bias=True)
RegNetModel | Dd | pixels 64 | hf("RegNetModel", embedding_size=8, hidden_sizes=[8, 16, 16, 16], depths=[1, 1, 1, 1], groups_width=8)
MobileNetV2Model | Ls QDQ | pixels 64 | hf("MobileNetV2Model", depth_multiplier=0.35)
CvtModel | Ds | pixels 64 | hf("CvtModel", embed_dim=[16, 32, 32], num_heads=[1, 2, 4], depth=[1, 2, 3])
GLPNForDepthEstimation | Ls | pixels 64 | hf("GLPNForDepthEstimation", hidden_sizes=[16, 32, 32, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16)
Wav2Vec2Model | Dd | speech | hf("Wav2Vec2Model", SPEECH)
HubertModel | Ls | speech | hf("HubertModel", SPEECH)
WavLMModel | Ls | speech | hf("WavLMModel", SPEECH)
ASTModel | Ls | patches | hf("ASTModel", VIT, num_mel_bins=8, max_length=24, patch_size=4, frequency_stride=4, time_stride=4)
CLIPModel | Dd | clip | hf("CLIPModel", text_config=dict(LLAMA, eos_token_id=2), vision_config=VIT, projection_dim=16)
SiglipVisionModel | Ls | pixels 32 | hf("SiglipVisionModel", VIT)
PatchTSTModel | Ds | series | hf("PatchTSTModel", num_input_channels=2, context_length=32, patch_length=4, patch_stride=4, d_model=16, num_hidden_layers=2, num_attention_heads=4, ffn_dim=32)
VideoMAEModel | Ls | video | hf("VideoMAEModel", VIT, num_frames=4)
FocalNetModel | Ld | pixels 64 | hf("FocalNetModel", image_size=64, embed_dim=16, depths=[1, 1], hidden_sizes=[16, 32], focal_levels=[2, 2], focal_windows=[3, 3])
"""

PLAIN = {
    "digits": (Input("x", ("batch", 1, 28, 28)),),
    "digits 24": (Input("x", ("batch", 1, 24, 24)),),
    "grey": (Input("x", ("batch", 1, "height", "width")),),
    "colour": (Input("x", ("batch", 3, "height", "width")),),
    "colour 32": (Input("x", ("batch", 3, 32, 32)),),
    "screens": (Input("x", ("batch", 4, 14, 14)),),
    "noised": (Input("x", ("batch", 3, 16, 16)), Input("t", ("batch",), "below 1000")),
    "wave": (Input("x", ("batch", 1, "samples")),),
    "signal": (Input("x", ("batch", 4, 20)),),
    "latent": (Input("x", ("batch", 20)), Input("noise", ("batch", 6))),
    "sentence": (Input("tokens", ("batch", "length"), "below 50"),),
    "fields": (Input("fields", ("batch", 5), "below 60"),),
    "pair": (
        Input("source", ("batch", "length"), "below 40"),
        Input("target", ("batch", 5), "below 40"),
    ),
    "two sentences": (
        Input("source", ("batch", "length"), "below 40"),
        Input("target", ("batch", "target"), "below 40"),
    ),
    "points": (Input("points", ("batch", "length", 3)),),
    "cloud": (Input("points", ("batch", 3, "samples")),),
    "sites": (Input("x", ("batch", "length", 2)),),
    "frames": (Input("frames", ("batch", 4, 2, 8, 8)),),
    "graph": (
        Input("x", ("batch", "nodes", 8)),
        Input("adjacency", ("batch", "nodes", "nodes"), "sign"),
    ),
    "edges": (Input("x", ("nodes", 5)), Input("edges", (2, "edges"), "below 5")),
    "spectrum": (Input("spectrum", ("batch", 1, 16, "length")),),
    "items": (Input("items", ("batch", "length", 6)),),
    "sequence 16": (Input("x", ("batch", 8, 16)),),
    **{f"rows {n}": (Input("x", ("batch", n)),) for n in (4, 6, 8, 10, 12, 16, 24)},
    "one row 8": (Input("state", (1, 8)),),
    "states 8": (Input("state", ("batch", 8)),),
    "steps 8": (Input("x", ("steps", 8)),),
    "steps 2": (Input("x", ("steps", "batch", 2)),),
    "two series": (Input("a", ("steps", 2)), Input("b", ("length", 2))),
    "one sentence": (Input("tokens", ("length",), "below 50"),),
    "starts": (Input("start", ("batch", 1), "below 24"),),
    "numbers": (Input("x", ("length",), "below 50"),),
    "two rows": (Input("x", ("batch", 6)), Input("y", ("batch", 6))),
}

OWN = """
autoencoder | Dd | digits | own.Autoencoder()
vae | Ld | latent | own.VAE()
discriminator | Ls QOperator | colour 32 | own.Discriminator()
diffusion unet | Dd | noised | own.DiffusionUNet()
diffusion unet, traced | Ld fp16 | noised | own.DiffusionUNet()
wavenet | Ld | wave | own.WaveNet()
wavenet, exported | Dd | wave | own.WaveNet()
attention decoder | Ld | pair | own.AttentionDecoder()
attention decoder, exported | Ds | pair | own.AttentionDecoder()
greedy decoder | Ld | scripted states 8 | own.GreedyDecoder()
beam search | Ls | scripted one row 8 | own.BeamSearch()
adaptive depth | Ld | scripted rows 10 | own.AdaptiveDepth()
viterbi | Ld | scripted steps 8 | own.Viterbi()
kalman filter | Ld | scripted steps 2 | own.Kalman()
collector | Ld | scripted rows 4 | own.Collector()
early exit | Ld | scripted rows 12 | own.EarlyExit()
selective | Dd | rows 8 | own.Selective()
nested choice | Dd | two rows | own.NestedChoice()
bag of words | Ls | sentence | own.BagClassifier()
bag of words, exported | Dd | sentence | own.BagClassifier()
deepfm | Dd | fields | own.DeepFM()
nerf | Ld | points | own.NeRF()
siren | Dd | sites | own.Siren()
spatial transformer | Dd | digits 24 | own.SpatialTransformer()
pointnet | Dd | cloud | own.PointNet()
nearest neighbours | Ld | rows 6 | own.NearestNeighbours()
convlstm | Ls | frames | own.ConvLSTM()
convlstm, exported | Dd | frames | own.ConvLSTM()
capsules | Ls | digits 24 | own.Capsules()
highway | Dd dynamic int8 | rows 16 | own.Highway()
graph attention | Dd | graph | own.GraphAttention()
edge convolution | Ds | edges | own.EdgeConvolution()
experts | Dd | rows 12 | own.Experts()
pixelcnn | Dd | grey | own.PixelCNN()
espcn | Ld | grey | own.ESPCN()
tagger | Ld | sentence | own.Tagger()
tagger, exported | Ds | sentence | own.Tagger()
realnvp | Ld | rows 6 | own.RealNVP()
translator | Ld | two sentences | own.Translator()
translator, exported | Ds | two sentences | own.Translator()
dueling | Ls QDQ | screens | own.Dueling()
normed | Dd | signal | own.Normed()
fourier mixer | Ds | sequence 16 | own.FourierMixer()
speech | Ld | spectrum | own.Speech()
pyramid | Ld | colour | own.Pyramid()
pyramid, exported | Dd | colour | own.Pyramid()
ranker | Dd | items | own.Ranker()
standardized | Ls | colour 32 | own.Standardized()
perceptron | Ls QOperator | rows 24 | own.Perceptron()
perceptron, halves | Dd fp16 | rows 24 | own.Perceptron()
small convolution | Ls QDQ | colour 32 | own.SmallConvolution()
"""


def timm_rows(table: str) -> Iterator[Network]:
    for row in rows("timm", table, IMAGES):
        arguments = ", ".join(filter(None, (repr(row.name), "num_classes=10", row.build)))
        yield Network(
            row.name,
            row.library,
            f"timm.create_model({arguments})",
            row.inputs,
            row.exporter,
            row.dynamic,
            row.form,
        )


def networks_of(torchvision: str, timm: str, transformers: str) -> tuple[Network, ...]:
    """The rows of the three libraries' tables."""
    found = (*rows("torchvision", torchvision, IMAGES), *timm_rows(timm))
    return (*found, *rows("transformers", transformers, TEXT))


NETWORKS = (*networks_of(TORCHVISION, TIMM, TRANSFORMERS), *rows("own", OWN, PLAIN))

CONDITIONS = ("selective", "nested choice")
"""Networks of `NETWORKS` that say torch.cond; what is scripted has loops and conditions, too."""

LOOPING = """
fixed point | Ld | scripted rows 6 | looping.FixedPoint()
time warping | Ld | scripted two series | looping.TimeWarping()
shift and reduce | Ld | scripted one sentence | looping.ShiftReduce()
remembering | Ld | scripted steps 8 | looping.Remembering()
first over a limit | Ld | scripted steps 8 | looping.FirstOver()
skipping | Dd | rows 10 | looping.Skipping()
normalised in a branch | Dd | signal | looping.Normalised()
cumulating | Dd | steps 8 | looping.Cumulating()
halving | Dd | rows 6 | looping.Halving()
transducer | Ld | scripted steps 8 | looping.Transducer()
decoder with a cache | Ld | scripted starts | looping.CachedDecoder()
power iteration | Od | rows 6 | looping.power_iteration
collatz | Od | numbers | looping.collatz
rows kept | Od | rows 4 | looping.rows_kept
clipped sum | Od | steps 8 | looping.clipped_sum
"""

CONTROL = (*rows("looping", LOOPING, PLAIN),)
"""Files with loops and conditions, judged apart; those of NETWORKS are judged with these."""


GALLERY = (
    *rows(
        "torchvision",
        """
ResNet-152 | Ls | image 64 | tv.ResNet(tvm.resnet.Bottleneck, [3, 8, 36, 3], width_per_group=8)
Swin-T | Dd | image 224 | tv.SwinTransformer([4, 4], 24, [2, 2, 6, 2], [1, 2, 4, 8], [7, 7])
RetinaNet | Ds | image 128 | Heads(tv.detection.retinanet_resnet50_fpn(weights=None, weights_backbone=None, num_classes=5))
""",
        IMAGES,
    ),
    *rows(
        "transformers",
        """
BERT-12 | Dd | masked | hf("BertModel", BERT, num_hidden_layers=12)
GPT-2 | Dd | masked | hf("GPT2LMHeadModel", n_layer=12, n_embd=48, n_head=4, vocab_size=60)
LLaMA | Dd | masked | hf("LlamaForCausalLM", LLAMA, num_hidden_layers=12)
""",
        TEXT,
    ),
)
"""Networks of real depth, whose scripts are in docs/gallery; narrow, as their widths add no lines."""

LONGEST = {
    "ResNet-152": 100,
    "BERT-12": 160,
    "GPT-2": 160,
    "LLaMA": 170,
    "Swin-T": 210,
    "RetinaNet": 330,
}
"""So many lines their scripts shall have at most."""

FINE_TUNED = ("RobertaModel", "attention decoder, exported", "diffusion unet", "GPTNeoForCausalLM")
"""Networks that are trained as well, in PyTorch and converted."""


def folder_of(network: Network) -> str:
    """A name for its files."""
    return "".join(c if c.isalnum() else "_" for c in f"{network.library}_{network.name}")


def in_order(networks: Iterable[Network] = NETWORKS) -> list[Network]:
    """All of them in an order that chance gave once: the first N are a sample of the list."""
    return sorted(networks, key=lambda one: blake2b(one.name.encode(), digest_size=8).digest())
