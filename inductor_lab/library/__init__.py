"""What the card's libraries compute, written out for where they do not run: on the CPU, and in float64."""
