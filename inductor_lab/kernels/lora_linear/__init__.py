"""A linear layer with a low-rank correction, bias and activation in one kernel; its gradients."""
