"""Tests of the built programs and of the Python packages: `PYTHONPATH=python:tests python -m unittest cli.test_kernels`."""
import signal

import torch

torch.set_num_threads(1)

# A shell starts jobs in the background with these ignored, and so would be all that the tests start.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
