"""Hostile inputs: each gives the right result, or one line with cause and remedy and a non-zero exit code."""
