"""Watches a launch for what it must not do: bad memory accesses of kernels, and launchers that compute or evade the watch."""
