"""Triton's interpreter made what a card is: what it lacks, what it computes otherwise, and what is known of it."""
