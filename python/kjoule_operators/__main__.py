"""python -m kjoule_operators FILE.py --function NAME --targets JSON --fd N: answers kjoule's requests to time an operator, on the socket N."""
import argparse
import json
import os
import pathlib
import runpy
import socket
import sys
import traceback

import torch

from . import messages
from .operators import OperatorError, find_operator
from .repeating import RepeatedOperators

REMEDY = "correct the function or the configuration"


class Server:
    """Answers hello, sampling_device and sample, as kjoule-torch does for its own operators."""

    def __init__(self, path, name, targets):
        self.path, self.name, self.targets = path, name, targets
        self.repeated = None  # the operators of a process that repeats them instead of timing them

    def hello(self, request):
        if request["version"] != messages.PROTOCOL_VERSION:
            raise OperatorError(f"kjoule and kjoule_operators have different versions of their protocol: {request['version']} and {messages.PROTOCOL_VERSION}",
                                "install both from the same build")
        work = request["work"]
        self.device = torch.device(work["device"])
        if self.device.type == "cuda":
            if not torch.cuda.is_available():
                raise OperatorError("this Python's torch finds no GPU", "give --device cpu")
            self.device = torch.device("cuda", self.device.index or 0)  # torch's functions need a number
            torch.cuda.set_device(self.device)
        if work.get("threads"):
            torch.set_num_threads(work["threads"])
        sys.path.insert(0, str(pathlib.Path(self.path).resolve().parent))
        os._exit = exit_of(os._exit, os.getpid())
        try:
            defined = runpy.run_path(self.path, run_name=pathlib.Path(self.path).stem)
        except SystemExit as error:
            raise OperatorError(f"{self.path}: {self.described_end(error)}", "remove the call of exit") from error
        except Exception as error:
            raise OperatorError(f"{self.path}: {self.described(error)}", "correct the file") from error
        self.operator = find_operator(self.path, defined, self.name, self.targets)
        if requests := work.get("operators"):
            self.repeated = RepeatedOperators(self.operator, requests, self.device)
            return self.repeated.info()
        return None

    def sampling_device(self, _):
        is_cpu = self.device.type == "cpu"
        name = cpu_name() if is_cpu else torch.cuda.get_device_name(self.device)
        free = None if is_cpu else torch.cuda.mem_get_info(self.device)[0]
        told = {"device": name, "torch": torch.__version__, "threads": torch.get_num_threads() if is_cpu else 0,
                "time": self.operator.meaning_of_time(self.device), "free_bytes": free}
        if not is_cpu:
            told["uuid"] = f"GPU-{torch.cuda.get_device_properties(self.device).uuid}"
        return told

    def sample(self, request):
        try:
            return self.measured(request["request"])
        except OperatorError as error:
            return failed("error", f"{error}; {error.remedy}")
        except SystemExit as error:
            return failed("error", f"the function {self.described_end(error)}; remove the call of exit")
        except torch.OutOfMemoryError:
            return failed("too large", "out of memory")
        except ValueError as error:
            return failed("invalid", self.described(error))
        except Exception as error:
            why = self.described(error)
            return failed("refused" if "not implemented for" in why else "error", why)

    def measured(self, request):
        with_backward = request["wants_backward"]
        directions = ["forward"] + ["backward"] * with_backward
        prepared = lambda shape: self.operator.prepared(shape, request["precision"], self.device, with_backward)
        if request["warmup_passes"]:
            self.repeat(prepared(request["warmup_shape"]), request["warmup_passes"])
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)
        run = prepared(request["shape"])
        run()  # loads kernels and allocates memory
        times = self.operator.times_us(run, request["active"], directions, self.device)
        peak = torch.cuda.max_memory_allocated(self.device) if self.device.type == "cuda" else None
        kernels = self.traced(run, request["trace"]) if request["trace"] else None
        return {"status": "measured", "peak_memory_bytes": peak, "kernels": kernels,
                "directions": {name: {"passes_us": [float(one) for one in passes], "flops": None, "least_bytes": None} for name, passes in times.items()}}

    @staticmethod
    def repeat(run, passes):
        for _ in range(passes):
            run()

    def traced(self, run, path):
        """Writes the profiler's trace of one pass. Returns the number of its kernels; None on a CPU."""
        with torch.profiler.profile() as profile:
            run()
        profile.export_chrome_trace(path)
        return None if self.device.type == "cpu" else sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profile.events())

    def described(self, error):
        """Returns type, text and the line in the user's file of an error, on one line."""
        try:
            text = " ".join(str(error).splitlines())
        except Exception:  # of the user's own class
            text = ""
        return f"{type(error).__name__}: {text}{self.place_of(error)}"

    def described_end(self, error):
        return f"ends its own process, with exit code {ascii(error.code)[:40]}{self.place_of(error)}"

    def place_of(self, error):
        """Returns the line in the user's file, in brackets; an empty text if the error has none."""
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.path]
        return f" (line {lines[-1]} of {pathlib.Path(self.path).name})" if lines else ""


def exit_of(os_exit, process):
    """Returns the function that replaces os._exit: in this process it raises SystemExit, which is reported; in copies of it, it ends them."""
    def end(code):
        if os.getpid() != process:
            os_exit(code)
        raise SystemExit(code)

    return end


def failed(status, why):
    return {"status": status, "why": why, "peak_memory_bytes": None, "kernels": None}


def cpu_name():
    """Returns the name of the processor, as kjoule-torch does."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return "CPU"


def answer(server, request):
    reply = {"id": request["id"]}
    try:
        if request["op"] in ("hello", "sampling_device", "sample"):
            reply["result"] = getattr(server, request["op"])(request)
        elif request["op"] in ("record", "open", "enqueue", "wait", "close"):
            reply["result"] = getattr(server.repeated, request["op"])(request)
        else:
            raise OperatorError(f"kjoule_operators does not know the request {request['op']}", "install it from the same build as kjoule")
    except OperatorError as error:
        reply["error"] = {"cause": str(error), "remedy": error.remedy}
    except Exception as error:
        reply["error"] = {"cause": server.described(error), "remedy": REMEDY}
    return reply


def main():
    parser = argparse.ArgumentParser(prog="kjoule_operators", description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--function", required=True)
    parser.add_argument("--targets", type=json.loads, default=[])
    parser.add_argument("--fd", type=int, required=True)
    options = parser.parse_args()
    server = Server(options.file, options.function, options.targets)
    with socket.socket(fileno=options.fd) as connection:
        while (request := messages.receive(connection)) is not None and request["op"] not in ("quit", "refused"):
            messages.send(connection, answer(server, request))


if __name__ == "__main__":
    main()
