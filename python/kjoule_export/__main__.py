"""Entry point of `python -m kjoule_export`, which `kjoule export` runs."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
