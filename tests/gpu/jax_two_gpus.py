"""One process with two GPUs: python3 tests/gpu/jax_two_gpus.py [SECONDS]

Two matrix products that JAX divides among the GPUs, and the all-reduce of their results, repeated for SECONDS (60 by default). Prints
the number of iterations and a checksum of the results.
"""
import sys
import time

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

MESH = jax.make_mesh((2,), ("gpus",), axis_types=(AxisType.Auto,))


def divided(shape, *axes):
    """Returns an array of this shape whose axes with the name `gpus` are divided among the GPUs."""
    return jax.device_put(jnp.full(shape, 0.01, jnp.bfloat16), NamedSharding(MESH, PartitionSpec(*axes)))


def main():
    x, up, down = divided((4096, 4096)), divided((4096, 16384), None, "gpus"), divided((16384, 4096), "gpus", None)
    step = jax.jit(lambda x, up, down: jnp.tanh(jax.nn.gelu(x @ up) @ down), out_shardings=NamedSharding(MESH, PartitionSpec()))
    end, iterations = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 60), 0
    while time.monotonic() < end:
        x = step(x, up, down).block_until_ready()
        iterations += 1
    print(f"{iterations} iterations, checksum {float(x.astype(jnp.float32).sum())}")


if __name__ == "__main__":
    main()
