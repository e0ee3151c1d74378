"""A feed-forward layer that computes the neurons it is told: `kernel.py` is to be copied, `steps/` is how it came to be."""
