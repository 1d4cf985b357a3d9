#!/usr/bin/env python3
"""An HTTP server with one forward pass per request; knows nothing of kjoule.

usage: forward_server.py single|graph|threads

Prints its port. GET /N computes the pass with input N. The answer is a hash of the output's bits and of a sum on the GPU. This
sum depends on all requests so far, so that a change of the server's memory changes all later answers.

single: one thread answers all requests.    graph: it launches one CUDA graph per request.
threads: a new thread answers each request, one after the other.
"""
import hashlib
import http.server
import sys
import threading

import torch
import transformers

MODE = sys.argv[1]
TOKENS = 32


class Passes:
    """A small GPT-2 with random weights, and the data that it keeps on the GPU from one request to the next."""

    def __init__(self):
        torch.manual_seed(1)
        config = transformers.GPT2Config(n_layer=6, n_head=8, n_embd=512, vocab_size=2000, n_positions=TOKENS)
        self.model = transformers.GPT2Model(config).half().cuda().eval()
        self.tokens = torch.zeros(1, TOKENS, dtype=torch.long, device="cuda")
        self.seen = torch.zeros(512, device="cuda")
        self.graph = None
        for _ in range(3):
            self.run()
        if MODE == "graph":
            self.capture()

    @torch.no_grad()
    def run(self):
        self.output = self.model(self.tokens, use_cache=False).last_hidden_state
        self.seen.mul_(0.5).add_(self.output[0, -1].float())

    def capture(self):
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.run()

    def answer(self, number):
        self.tokens.copy_((torch.arange(TOKENS) * 7 + number) % 2000)
        if self.graph is None:
            self.run()
        else:
            self.graph.replay()
        return hashlib.sha256(self.output.cpu().numpy().tobytes() + self.seen.cpu().numpy().tobytes()).hexdigest()


PASSES = Passes()
ONE_AT_A_TIME = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with ONE_AT_A_TIME:
            text = PASSES.answer(int(self.path.strip("/"))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


kind = http.server.ThreadingHTTPServer if MODE == "threads" else http.server.HTTPServer
with kind(("127.0.0.1", 0), Handler) as server:
    print(server.server_port, flush=True)
    server.serve_forever()
