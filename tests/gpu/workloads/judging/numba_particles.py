"""Particles in a field that they make themselves, in Numba's CUDA kernels with atomics: python numba_particles.py [ITERATIONS]"""
import math

import numpy

# Numba refers to names that newer versions of NumPy do not have.
for older, newer in {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}.items():
    if not hasattr(numpy, older):
        setattr(numpy, older, getattr(numpy, newer))

from numba import cuda, float32, int32  # noqa: E402
from steady import repeat  # noqa: E402

CELLS, PARTICLES, SWEEPS, THREADS = 512, 1 << 20, 10, 256


@cuda.jit
def clear(charge):
    row, column = cuda.grid(2)
    if row < CELLS and column < CELLS:
        charge[row, column] = float32(-PARTICLES / CELLS**2)


@cuda.jit
def deposit(places, charge):
    i = cuda.grid(1)
    if i < PARTICLES:
        cuda.atomic.add(charge, (int32(places[0, i]) % CELLS, int32(places[1, i]) % CELLS), float32(1))


@cuda.jit
def relax(charge, field, relaxed):
    row, column = cuda.grid(2)
    if row < CELLS and column < CELLS:
        around = field[(row + 1) % CELLS, column] + field[(row - 1) % CELLS, column] + field[row, (column + 1) % CELLS] + field[row, (column - 1) % CELLS]
        relaxed[row, column] = float32(0.25) * (around - float32(0.01) * charge[row, column])


@cuda.jit
def push(places, speeds, field, seconds):
    i = cuda.grid(1)
    if i < PARTICLES:
        row, column = int32(places[0, i]) % CELLS, int32(places[1, i]) % CELLS
        speeds[0, i] -= seconds * (field[(row + 1) % CELLS, column] - field[(row - 1) % CELLS, column])
        speeds[1, i] -= seconds * (field[row, (column + 1) % CELLS] - field[row, (column - 1) % CELLS])
        for axis in range(2):
            speed = min(max(speeds[axis, i], float32(-1)), float32(1))
            place = places[axis, i] + seconds * speed
            speeds[axis, i] = speed
            places[axis, i] = place - float32(CELLS) * math.floor(place / float32(CELLS))


generator = numpy.random.default_rng(0)
places = cuda.to_device((CELLS * generator.random((2, PARTICLES))).astype(numpy.float32))
speeds = cuda.to_device(generator.normal(0, 0.1, (2, PARTICLES)).astype(numpy.float32))
charge, field, other = (cuda.to_device(numpy.zeros((CELLS, CELLS), numpy.float32)) for _ in range(3))
cells, particles = ((CELLS // 16, CELLS // 16), (16, 16)), (PARTICLES // THREADS, THREADS)


def step():
    clear[cells](charge)
    deposit[particles](places, charge)
    for _ in range(SWEEPS // 2):
        relax[cells](charge, field, other)
        relax[cells](charge, other, field)
    push[particles](places, speeds, field, numpy.float32(0.1))
    return speeds


repeat(step, cuda.synchronize, lambda result: result.copy_to_host().mean())
