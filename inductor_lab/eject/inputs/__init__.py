"""What a kernel's arguments are drawn from, so that it runs: the widest domain of each that keeps every address inside its tensor."""
