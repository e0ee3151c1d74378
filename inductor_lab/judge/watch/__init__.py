"""What a launch does that it must not: a kernel to memory, every access of it in Triton's interpreter; a launcher with torch, or behind the watch."""
