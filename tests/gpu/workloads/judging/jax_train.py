"""A training step of a convolutional network in JAX, 64 images of 32 x 32, momentum: python jax_train.py [ITERATIONS]"""
from functools import partial

import jax
import jax.numpy as jnp
from steady import repeat

WIDTHS, CLASSES, BATCH = [3, 64, 128, 256], 10, 64


def scores(weights, images):
    x = images
    for kernel in weights["kernels"]:
        x = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.mean((1, 2)) @ weights["head"]


def loss(weights, images, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(scores(weights, images)), labels[:, None], 1).mean()


@partial(jax.jit, donate_argnums=(0, 1))
def update(weights, speeds, images, labels):
    value, gradients = jax.value_and_grad(loss)(weights, images, labels)
    speeds = jax.tree.map(lambda speed, gradient: 0.9 * speed + gradient, speeds, gradients)
    return jax.tree.map(lambda weight, speed: weight - 0.001 * speed, weights, speeds), speeds, value


keys = jax.random.split(jax.random.key(0), len(WIDTHS) + 2)
weights = {"kernels": [jax.random.normal(key, (3, 3, entering, leaving)) / (9 * entering) ** 0.5 for key, entering, leaving in zip(keys, WIDTHS, WIDTHS[1:])],
           "head": jax.random.normal(keys[-3], (WIDTHS[-1], CLASSES)) / WIDTHS[-1] ** 0.5}
state = weights, jax.tree.map(jnp.zeros_like, weights)
images, labels = jax.random.normal(keys[-2], (BATCH, 32, 32, 3)), jax.random.randint(keys[-1], (BATCH,), 0, CLASSES)


def step():
    global state
    *state, value = update(*state, images, labels)
    return value.block_until_ready()


repeat(step)
