"""Writes models that kjoule can run from C++, each with a description of itself (`kjoule.json`) inside."""
