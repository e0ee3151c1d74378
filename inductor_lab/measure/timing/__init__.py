"""The instrument: rounds of interleaved samples on the GPU, their statistics, and the state of the card while they were taken."""
