"""Starts the ranks of a program on the CPU, without torchrun, whose own start would take seconds more."""
import os
import socket
import subprocess
import sys


def free_port():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


def said_by_first(words, ranks=2, limit_s=600, **environment):
    """Returns what rank 0 of a Python program prints. Throws RuntimeError with the errors of a rank that fails."""
    shared = {**os.environ, **environment, "WORLD_SIZE": str(ranks), "MASTER_ADDR": "localhost", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    processes = [subprocess.Popen([sys.executable, *map(str, words)], env={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for rank in range(ranks)]
    said = [process.communicate(timeout=limit_s) for process in processes]
    for process, (_, error) in zip(processes, said):
        if process.returncode != 0:
            raise RuntimeError(error)
    return said[0][0]
