"""Whom a hand kernel is timed against, and under which configuration: eager, TorchScript, Inductor's settings, any callable, other files."""
