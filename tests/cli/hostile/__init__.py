"""Hostile inputs: each gives the right result, or is refused in one line; none does harm to whoever opens it."""
