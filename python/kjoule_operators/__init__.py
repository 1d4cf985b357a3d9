"""Times operators that a Python file defines, for `kjoule sample --python FILE.py`."""
