"""Runs the layers of a pipeline file for `kjoule layers FILE.py`, which records and measures them."""
