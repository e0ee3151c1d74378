"""The epilogue of a LoRA layer, act(x + scale * y + bias): columns as a number, as a parameter, and any activation; `steps/` is how it came to be."""
