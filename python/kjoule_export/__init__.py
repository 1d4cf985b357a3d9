"""Exports PyTorch models to files that kjoule can run from C++. Each file contains its description, `kjoule.json`."""
