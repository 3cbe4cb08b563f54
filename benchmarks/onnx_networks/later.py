"""Networks written down when the converter gave equal numbers for 98 % of the list before.

Rows are those of `listed.py`. None had been converted when this list was committed; rows that no
exporter could write got other arguments before they were converted.
"""

from __future__ import annotations

TORCHVISION = """
resnet18 | Ld fp16 | image 64 | tv.resnet18(num_classes=10)
mobilenet_v3_large | Ls QDQ | image 64 | tv.mobilenet_v3_large(num_classes=10)
regnet_x_400mf | Ld | image 64 | tv.regnet_x_400mf(num_classes=10)
deeplabv3_resnet50 | Dd | any image | Field(tv.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=4), "out")
mc3_18 | Ld | video | tv.video.mc3_18(num_classes=10)
ssdlite's heads | Ds | image 128 | Heads(tv.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=5))
"""

TIMM = """
resnetv2_50 | Ls | image 64 |
gernet_s | Dd | image 64 |
cspresnet50 | Ld | image 64 |
cs3darknet_s | Ds | image 64 |
efficientnet_lite0 | Ls QDQ | image 64 |
tf_efficientnetv2_b0 | Ds | image 64 |
legacy_seresnet18 | Dd | image 64 |
seresnext26t_32x4d | Ld | image 64 |
gcresnext26ts | Ls | image 64 |
bat_resnext26ts | Ds | image 256 |
mvitv2_tiny | Ls | image 64 | img_size=64
volo_d1_224 | Ds | image 64 | img_size=64
vit_relpos_small_patch16_224 | Ld | image 64 | img_size=64, depth=2, embed_dim=64, num_heads=4
swinv2_cr_tiny_ns_224 | Ds | image 64 | img_size=64, window_size=2, depths=(1, 1, 1, 1), embed_dim=24
maxvit_rmlp_pico_rw_256 | Ls | image 64 | img_size=64
nextvit_small | Ds | image 64 |
hgnet_tiny | Dd | image 64 |
ghostnetv2_100 | Ls | image 64 |
efficientformer_l1 | Ld | image 224 |
vitamin_small_224 | Ds | image 64 | img_size=64
tresnet_m | Ls | image 64 |
"""

TRANSFORMERS = """
AlbertModel | Ls | masked | hf("AlbertModel", BERT, embedding_size=16)
BertForQuestionAnswering | Ld fp16 | masked | hf("BertForQuestionAnswering", BERT)
FunnelModel | Ds | masked | hf("FunnelModel", vocab_size=60, d_model=32, n_head=4, d_head=8, d_inner=64, block_sizes=[1, 1], num_decoder_layers=1)
LongformerModel | Ds | masked | hf("LongformerModel", BERT, attention_window=2, sep_token_id=2, pad_token_id=1)
BigBirdModel | Ds | masked | hf("BigBirdModel", BERT, attention_type="original_full")
CanineModel | Ls | masked | hf("CanineModel", BERT, num_hash_buckets=50)
T5EncoderModel | Dd | masked | hf("T5EncoderModel", vocab_size=60, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)
XGLMForCausalLM | Dd | masked | hf("XGLMForCausalLM", vocab_size=60, d_model=32, num_layers=2, attention_heads=4, ffn_dim=64, max_position_embeddings=40)
LlamaForSequenceClassification | Ld | masked | hf("LlamaForSequenceClassification", LLAMA, pad_token_id=0)
Qwen2MoeModel | Ls | tokens | hf("Qwen2MoeModel", LLAMA, num_key_value_heads=2, num_experts=4, moe_intermediate_size=16, shared_expert_intermediate_size=16)
Gemma3TextModel | Dd | masked | hf("Gemma3TextModel", LLAMA, num_key_value_heads=2, head_dim=8, query_pre_attn_scalar=8, sliding_window=4)
OlmoModel | Dd | tokens | hf("OlmoModel", LLAMA)
RwkvModel | Ls | tokens | hf("RwkvModel", vocab_size=60, hidden_size=32, num_hidden_layers=2, attention_hidden_size=32, intermediate_size=64, context_length=32)
DbrxModel | Ds | tokens | hf("DbrxModel", vocab_size=60, d_model=32, n_layers=2, n_heads=4, max_seq_len=40, ffn_config=dict(ffn_hidden_size=32, moe_num_experts=4, moe_top_k=2), attn_config=dict(kv_n_heads=2, rope_theta=10000.0, clip_qkv=8.0))
ViTMAEModel | Ds | pixels 32 | hf("ViTMAEModel", VIT, mask_ratio=0.0)
PvtModel | Dd | pixels 64 | hf("PvtModel", image_size=64, hidden_sizes=[16, 32, 32, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4])
MobileViTModel | Ls | pixels 64 | hf("MobileViTModel", image_size=64, hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 16, 16, 24, 32, 64], num_attention_heads=4)
YolosModel | Ls | pixels 32 | hf("YolosModel", dict(VIT, image_size=[32, 32]), num_detection_tokens=5)
SEWModel | Ls | speech | hf("SEWModel", SPEECH)
PatchTSMixerModel | Ds | series | hf("PatchTSMixerModel", num_input_channels=2, context_length=32, patch_length=4, patch_stride=4, d_model=16, num_layers=2)
BlipVisionModel | Dd | pixels 32 | hf("BlipVisionModel", VIT)
"""

LATER = TORCHVISION, TIMM, TRANSFORMERS
"""For `listed.networks_of`: two Pythons read this, each by another name."""
