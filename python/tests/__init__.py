"""Tests of kjoule_export: `python -m unittest discover -s python/tests -t python`."""

import torch

torch.set_num_threads(1)
