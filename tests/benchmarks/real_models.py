"""Public architectures at their published sizes, batch and sequence as one trains and serves them, in bfloat16: captured by shapes alone.

    python tests/benchmarks/corpus.py capture -o DIR --only 'real_*'

Each function returns (model, inputs). Weights are made under `torch.device("cuda")`, where `capture --shapes-only` gives them no memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from corpus_models import Keywords, Program, timm, transformers


@contextmanager
def _on_the_card() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device("cuda"):
            yield
    finally:
        torch.set_default_dtype(before)


def _language(kind: str, batch: int, length: int, head: str = "ForCausalLM", **config: Any) -> Program:
    """A language model `kind` of transformers, with labels."""
    package = transformers()
    with _on_the_card():
        made = getattr(package, f"{kind}Config")(**config)
        model = getattr(package, f"{kind}{head}")(made)
        tokens = torch.randint(1, made.vocab_size, (batch, length))
    return Keywords(model, "input_ids", "labels"), (tokens, tokens.clone())


def _picture(name: str, batch: int, size: int = 224) -> Program:
    """A model of timm."""
    package = timm()
    with _on_the_card():
        return package.create_model(name), (torch.randn(batch, 3, size, size),)


def llama_3_1_8b() -> Program:
    """8.03 billion parameters, a sequence of 4,096."""
    return _language(
        "Llama", 1, 4096, vocab_size=128_256, hidden_size=4096, intermediate_size=14_336, num_hidden_layers=32, num_attention_heads=32,
        num_key_value_heads=8, max_position_embeddings=131_072, rms_norm_eps=1e-5, use_cache=False,
    )  # fmt: skip


def llama_3_1_8b_served() -> Program:
    """One token of 64 sequences, each behind a cache of 4,096."""
    package = transformers()
    config = package.LlamaConfig(
        vocab_size=128_256, hidden_size=4096, intermediate_size=14_336, num_hidden_layers=32, num_attention_heads=32,
        num_key_value_heads=8, max_position_embeddings=131_072, rms_norm_eps=1e-5,
    )  # fmt: skip

    class Decode(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = package.LlamaForCausalLM(config)

        def forward(self, token: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
            """token [64, 1], place [1] -> logits [64, 1, 128256]."""
            cache = package.StaticCache(config=config, max_cache_len=4096)
            return self.model(token, past_key_values=cache, position_ids=place[None], use_cache=True).logits  # type: ignore[no-any-return]

    with _on_the_card():
        return Decode(), (torch.randint(1, 128_256, (64, 1)), torch.tensor([4000]))


def qwen3_8b() -> Program:
    """Norms of queries and keys."""
    return _language(
        "Qwen3", 1, 4096, vocab_size=151_936, hidden_size=4096, intermediate_size=12_288, num_hidden_layers=36, num_attention_heads=32,
        num_key_value_heads=8, head_dim=128, use_cache=False,
    )  # fmt: skip


def gemma2_9b() -> Program:
    """Soft caps, windows, norms before and after each block."""
    return _language(
        "Gemma2", 1, 4096, vocab_size=256_000, hidden_size=3584, intermediate_size=14_336, num_hidden_layers=42, num_attention_heads=16,
        num_key_value_heads=8, head_dim=256, use_cache=False,
    )  # fmt: skip


def mistral_7b() -> Program:
    """A sliding window."""
    return _language(
        "Mistral", 2, 4096, vocab_size=32_000, hidden_size=4096, intermediate_size=14_336, num_hidden_layers=32, num_attention_heads=32,
        num_key_value_heads=8, use_cache=False,
    )  # fmt: skip


def gpt2_xl() -> Program:
    return _language("GPT2", 8, 1024, "LMHeadModel", n_embd=1600, n_layer=48, n_head=25, use_cache=False)


def bert_large() -> Program:
    return _language(
        "Bert", 32, 512, "ForMaskedLM", hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
    )  # fmt: skip


def t5_large() -> Program:
    return _language(
        "T5", 8, 512, "ForConditionalGeneration", decoder_start_token_id=0, pad_token_id=0, d_model=1024, d_kv=64, d_ff=4096,
        num_layers=24, num_heads=16, use_cache=False,
    )  # fmt: skip


def vit_large() -> Program:
    return _picture("vit_large_patch16_224", 64)


def swin_base() -> Program:
    return _picture("swin_base_patch4_window7_224", 64)


def convnext_base() -> Program:
    return _picture("convnext_base", 64)


def resnet_50() -> Program:
    return _picture("resnet50", 256)


def efficientnet_b4() -> Program:
    return _picture("efficientnet_b4", 64, 380)
