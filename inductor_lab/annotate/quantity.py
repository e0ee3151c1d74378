"""Numbers as people read them, by the name that they had before lists needed them without the rest of this room."""

from inductor_lab.quantity import article, contiguous, duration, plural, rate, shape, size

__all__ = ["article", "contiguous", "duration", "plural", "rate", "shape", "size"]
