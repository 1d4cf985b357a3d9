"""Eight gated layers in kernels of Triton's alone, torch only lends the memory: python triton_layers.py [ITERATIONS]"""
import torch
import triton
import triton.language as tl
from steady import repeat

LAYERS, ROWS, WIDTH, INNER = 8, 1024, 1024, 2048
TILE, DEPTH = 64, 32


@triton.jit
def copy(source, target, count, block: tl.constexpr):
    place = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(target + place, tl.load(source + place, place < count), place < count)


@triton.jit
def normalise(source, target, width: tl.constexpr):
    place = tl.program_id(0) * width + tl.arange(0, width)
    row = tl.load(source + place).to(tl.float32)
    tl.store(target + place, (row * tl.rsqrt(tl.sum(row * row) / width + 1e-6)).to(tl.float16))


@triton.jit
def gate(both, target, inner: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, inner)
    up = tl.load(both + row * 2 * inner + column).to(tl.float32)
    down = tl.load(both + row * 2 * inner + inner + column).to(tl.float32)
    tl.store(target + row * inner + column, (up * down * tl.sigmoid(down)).to(tl.float16))


@triton.jit
def product(left, right, target, columns, depth, add: tl.constexpr, tile: tl.constexpr, step: tl.constexpr):
    row = tl.program_id(0) * tile + tl.arange(0, tile)
    column = tl.program_id(1) * tile + tl.arange(0, tile)
    inner = tl.arange(0, step)
    total = tl.zeros((tile, tile), tl.float32)
    for begin in range(0, depth, step):
        a = tl.load(left + row[:, None] * depth + begin + inner[None, :])
        b = tl.load(right + (begin + inner[:, None]) * columns + column[None, :])
        total += tl.dot(a, b)
    place = target + row[:, None] * columns + column[None, :]
    if add:
        total += tl.load(place).to(tl.float32)
    tl.store(place, total.to(tl.float16))


torch.manual_seed(0)
like = dict(dtype=torch.float16, device="cuda")
weights = [(torch.randn(WIDTH, 2 * INNER, **like) / WIDTH**0.5, torch.randn(INNER, WIDTH, **like) / INNER**0.5) for _ in range(LAYERS)]
entering, hidden, normal = torch.randn(ROWS, WIDTH, **like), torch.empty(ROWS, WIDTH, **like), torch.empty(ROWS, WIDTH, **like)
both, gated = torch.empty(ROWS, 2 * INNER, **like), torch.empty(ROWS, INNER, **like)


def step():
    copy[triton.cdiv(ROWS * WIDTH, 1024),](entering, hidden, ROWS * WIDTH, block=1024)
    for wide, narrow in weights:
        normalise[ROWS,](hidden, normal, width=WIDTH)
        product[ROWS // TILE, 2 * INNER // TILE](normal, wide, both, 2 * INNER, WIDTH, add=False, tile=TILE, step=DEPTH)
        gate[ROWS,](both, gated, inner=INNER)
        product[ROWS // TILE, WIDTH // TILE](gated, narrow, hidden, WIDTH, INNER, add=True, tile=TILE, step=DEPTH)
    return hidden


repeat(step, torch.cuda.synchronize, lambda result: result.float().mean())
