"""A wave equation on 2048 x 2048 points in CuPy, damped at its borders, with its energy each step: python cupy_waves.py [ITERATIONS]"""
import cupy
import numpy
from steady import repeat

POINTS, COURANT = 2048, cupy.float32(0.4)

speed = cupy.asarray(numpy.random.default_rng(0).uniform(0.5, 1, (POINTS, POINTS)).astype(numpy.float32))
border = cupy.minimum(cupy.arange(POINTS), cupy.arange(POINTS)[::-1]).astype(cupy.float32)
damping = cupy.minimum(1, 0.9 + border / 400).astype(cupy.float32)
damping = damping[:, None] * damping[None, :]
factor = (COURANT * speed) ** 2
waves = [cupy.zeros((POINTS, POINTS), cupy.float32) for _ in range(3)]
waves[0][POINTS // 2 - 8:POINTS // 2 + 8, POINTS // 2 - 8:POINTS // 2 + 8] = 1


def step():
    now, before, after = waves
    around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
    curvature = around - 4 * now[1:-1, 1:-1]
    after[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + factor[1:-1, 1:-1] * curvature
    after *= damping
    change = after - now
    energy = cupy.sum(change * change) + cupy.sum(factor * cupy.square(after))
    waves[:] = after, now, before
    return energy


repeat(step, cupy.cuda.get_current_stream().synchronize)
