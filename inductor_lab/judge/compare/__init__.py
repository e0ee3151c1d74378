"""Is what a kernel wrote right? The reference, the limits, and the verdict of all cases."""
