"""Two layers of your own, written in PyTorch: kjoule layers examples/add_relu.py

Each kernel has two methods: setup() allocates and returns the state, and capture(state) runs the layer. The return value
of capture is not used. Any framework that launches work on CUDA can be used instead of PyTorch. A GPU is required.
"""
import torch


class AddRelu:
    def __init__(self, rows, columns, dtype=torch.float16):
        self.shape, self.dtype = (rows, columns), dtype

    def setup(self):
        a, b = (torch.randn(self.shape, dtype=self.dtype, device="cuda") for _ in range(2))
        return a, b, torch.empty_like(a)

    def capture(self, state):
        a, b, out = state
        torch.add(a, b, out=out)
        torch.relu_(out)


class Linear:
    def __init__(self, rows, inputs, outputs, dtype=torch.float16):
        self.sizes, self.dtype = (rows, inputs, outputs), dtype

    def setup(self):
        rows, inputs, outputs = self.sizes
        x = torch.randn(rows, inputs, dtype=self.dtype, device="cuda")
        return x, torch.randn(inputs, outputs, dtype=self.dtype, device="cuda"), torch.empty(rows, outputs, dtype=self.dtype, device="cuda")

    def capture(self, state):
        x, weights, out = state
        torch.mm(x, weights, out=out)


pipelines = [(f"mlp_N{rows}", [("up", Linear(rows, 4096, 16384)), ("add_relu", AddRelu(rows, 16384)), ("down", Linear(rows, 16384, 4096))])
             for rows in (1, 256)]
