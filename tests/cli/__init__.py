"""Tests that drive the built programs through their command line, and tests of the Python packages in python/."""
