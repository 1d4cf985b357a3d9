"""A transformer encoder in JAX, 8 x 256 tokens, half precision: python jax_infer.py [ITERATIONS]"""
import jax
import jax.numpy as jnp
from steady import repeat

LAYERS, WIDTH, HEADS, BATCH, TOKENS = 6, 768, 12, 8, 256


def normal(x):
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-6)


def layer(hidden, weights):
    query, key, value = jnp.moveaxis((normal(hidden) @ weights["projections"]).reshape(BATCH, TOKENS, 3, HEADS, -1), 2, 0)
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / (WIDTH // HEADS) ** 0.5
    found = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), value).reshape(BATCH, TOKENS, WIDTH)
    hidden = hidden + found @ weights["out"]
    return hidden + jax.nn.gelu(normal(hidden) @ weights["up"]) @ weights["down"]


@jax.jit
def encoded(layers, hidden):
    for weights in layers:
        hidden = layer(hidden, weights)
    return normal(hidden)


def made(key):
    sizes = {"projections": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
    keys = jax.random.split(key, len(sizes))
    return {name: jax.random.normal(one, size, jnp.float16) / size[0] ** 0.5 for one, (name, size) in zip(keys, sizes.items())}


layers = [made(key) for key in jax.random.split(jax.random.key(0), LAYERS)]
entering = jax.random.normal(jax.random.key(1), (BATCH, TOKENS, WIDTH), jnp.float16)
repeat(lambda: encoded(layers, entering).block_until_ready(), read=lambda hidden: hidden.astype(jnp.float32).mean())
