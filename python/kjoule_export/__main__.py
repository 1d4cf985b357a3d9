"""Entry point of `python -m kjoule_export`, which `kjoule export` runs."""

import faulthandler
import sys

from .cli import main

if __name__ == "__main__":
    faulthandler.enable()  # compiled models that crash say where
    sys.exit(main())
