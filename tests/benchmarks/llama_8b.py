"""One training step of Llama 3.1 8B at its own size: forward, backward and AdamW of 8.03 billion parameters in bfloat16, a sequence of 4,096.

    pip install -r tests/benchmarks/corpus_requirements.txt
    inductor-lab capture tests/benchmarks/llama_8b.py --shapes-only -o llama_8b

No weight is made on the host: under `torch.device("cuda")` all are the card's, where `--shapes-only` gives them no memory. LAYERS=2 takes fewer.
"""

import os

import torch
from corpus_models import transformers

llama = transformers()
CONFIG = llama.LlamaConfig(
    vocab_size=128_256, hidden_size=4096, intermediate_size=14_336, num_hidden_layers=int(os.environ.get("LAYERS", "32")),
    num_attention_heads=32, num_key_value_heads=8, max_position_embeddings=131_072, rope_parameters={"rope_type": "default", "rope_theta": 500_000.0},
    rms_norm_eps=1e-5, use_cache=False,
)  # fmt: skip

torch.set_default_dtype(torch.bfloat16)
with torch.device("cuda"):
    model = llama.LlamaForCausalLM(CONFIG)
    tokens = torch.randint(0, CONFIG.vocab_size, (1, 4096))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)


@torch.compile
def step() -> None:
    optimizer.step()


print(f"{sum(p.numel() for p in model.parameters()) / 1e9:.2f} billion parameters")
torch.compile(model)(tokens, labels=tokens).loss.backward()
step()
