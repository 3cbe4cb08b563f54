"""Parameters of PyTorch that are whole numbers."""

from __future__ import annotations

WHOLE = frozenset(
    """
    chunks d_model diagonal dim dim0 dim1 dim_feedforward embed_dim embedding_dim end_dim
    groups hidden_size hop_length in1_features in2_features in_channels in_features input_size k
    kernel_size length n_fft nhead normalized_shape num_channels num_classes
    num_embeddings num_encoder_layers num_decoder_layers num_features num_groups num_heads
    num_layers num_parameters out_channels out_features padding_idx proj_size split_size
    split_size_or_sections start_dim steps stride dilation upscale_factor downscale_factor
    win_length
    """.split()
)
"""By the names that PyTorch's own signatures give them. MindSpore takes Python's int there alone,
where PyTorch takes what NumPy has computed, too."""
