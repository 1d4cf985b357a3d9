"""Entry point of `python -m kjoule_export`, which `kjoule export` runs."""

import faulthandler
import sys

from .cli import main

if __name__ == "__main__":
    faulthandler.enable()  # prints the Python stack if a compiled model crashes
    sys.exit(main())
