"""What a kernel does to memory in Triton's interpreter: every access, what lies outside, what races, what nobody has written."""
