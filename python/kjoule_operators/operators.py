"""The operators that a Python file can define: a function that runs forward and backward pass by itself, and a torch.nn.Module."""
import contextlib
import inspect
import itertools
import time

import torch

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
PASS = "kjoule pass"  # range of the profiler around each pass
SHOWN = 8  # events that an error names


class OperatorError(Exception):
    """An operator that cannot be used, with a remedy."""

    def __init__(self, cause, remedy):
        super().__init__(cause)
        self.remedy = remedy


def find_operator(path, defined, name, targets):
    """Returns the operator of this name among what the file defines. Raises OperatorError."""
    if name not in defined:
        functions = [key for key, value in defined.items() if callable(value) and not key.startswith("_") and getattr(value, "__module__", "") == defined["__name__"]]
        raise OperatorError(f"{path}: defines no {name}", f"correct function_name; the file defines {', '.join(functions) or 'no function'}")
    found = defined[name]
    if inspect.isclass(found) and issubclass(found, torch.nn.Module):
        if not hasattr(found, "example_inputs"):
            raise OperatorError(f"{path}: the module {name} has no method example_inputs", "define example_inputs(self, SIZES..), which returns its inputs")
        return ModuleOperator(found)
    if not callable(found):
        raise OperatorError(f"{path}: {name} is neither a function nor a torch.nn.Module", "correct function_name")
    if not targets:
        raise OperatorError(f"{path}: the events of the function {name} are not known", "name them in targets: [[FORWARD, ..], [BACKWARD, ..]]")
    return FunctionOperator(found, dict(zip(["forward", "backward"], targets)))


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


class FunctionOperator:
    """function(shapes, precision, device_num), which creates its inputs, and runs forward and backward pass.

    The time of a direction is that of the profiler's events whose names contain one of its targets: on a CPU their duration, on a GPU that of
    their kernels. An event within another one of the same direction does not count again.
    """

    def __init__(self, function, targets):
        self.function, self.targets = function, targets

    def meaning_of_time(self, device):
        return "time of the profiler's events that targets names" + ("" if device.type == "cpu" else ", of their kernels")

    def prepared(self, shape, precision, device, with_backward):
        """Returns a function that runs one pass; that of the user always runs both directions."""
        return lambda: self.function(list(shape), precision, device.index or 0)

    def times_us(self, run, passes, directions, device):
        """Returns the times of each direction in each pass."""
        if "backward" in directions and "backward" not in self.targets:
            raise OperatorError("targets has no list for the backward pass, whose time B_dur(us) requests", "write targets: [[FORWARD, ..], [BACKWARD, ..]]")
        activities = [torch.profiler.ProfilerActivity.CPU] + [torch.profiler.ProfilerActivity.CUDA] * (device.type == "cuda")
        with torch.profiler.profile(activities=activities, acc_events=True) as profile:
            for _ in range(passes):
                with torch.profiler.record_function(PASS):
                    run()
                    synchronize(device)
        events = list(profile.events())
        spans = sorted((event.time_range.start, event.time_range.end) for event in events if event.name == PASS)
        return {name: self.times_of(name, events, spans, device) for name in directions}

    def times_of(self, direction, events, spans, device):
        texts = self.targets[direction]
        is_target = lambda event: any(text in event.name for text in texts)
        outermost = [event for event in events if is_target(event) and not any(map(is_target, ancestors(event)))]
        inside = lambda event, span: span[0] <= event.time_range.start < span[1]
        times = [sum(event.cpu_time_total if device.type == "cpu" else event.device_time_total for event in outermost if inside(event, span)) for span in spans]
        if not all(times):
            longest = sorted({event.name: event.cpu_time_total for event in events if event.name != PASS}.items(), key=lambda named: -named[1])
            names = ", ".join(name for name, _ in longest[:SHOWN])
            raise OperatorError(f"no event of the profiler contains {' or '.join(texts)} (targets, {direction})", f"the longest events are {names}")
        return times


def ancestors(event):
    while event.cpu_parent is not None:
        event = event.cpu_parent
        yield event


class ModuleOperator:
    """A torch.nn.Module that is created with the numbers of the shape, and whose example_inputs(*shape) returns its inputs: a tensor or several.

    Forward is the call of the module; backward begins when the gradient of its outputs is known, and ends when inputs and parameters have theirs.
    """

    def __init__(self, kind):
        self.kind = kind

    def meaning_of_time(self, device):
        return "wall time of the module" if device.type == "cpu" else "time on the device between events before and after the module"

    def made(self, shape, precision, device):
        """Returns the module, its inputs, and the tensors whose gradients the backward pass computes."""
        module = self.kind(*shape).to(device=device, dtype=DTYPES[precision])
        inputs = module.example_inputs(*shape)
        inputs = [one.detach().to(device) for one in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
        inputs = [one.to(DTYPES[precision]).requires_grad_() if one.is_floating_point() else one for one in inputs]
        return module, inputs, [one for one in itertools.chain(module.parameters(), inputs) if one.requires_grad]

    def directions(self, shape, precision, device, with_backward):
        """Returns functions that each run one direction any number of times, by name."""
        module, inputs, leaves = self.made(shape, precision, device)
        forward = lambda: module(*inputs)
        if not with_backward:
            return {"forward": forward}
        outputs = differentiable(forward())
        gradients = [torch.rand_like(one) for one in outputs]
        return {"forward": forward, "backward": lambda: torch.autograd.grad(outputs, leaves, gradients, retain_graph=True, allow_unused=True)}

    def prepared(self, shape, precision, device, with_backward):
        """Returns a function that runs one pass: forward, and backward if it is wanted."""
        module, inputs, leaves = self.made(shape, precision, device)

        def run(watch=None):
            watch = watch or contextlib.nullcontext
            for leaf in leaves:
                leaf.grad = None
            with watch("forward"):
                outputs = module(*inputs)
            if not with_backward:
                return
            outputs = differentiable(outputs)
            gradients = [torch.rand_like(one) for one in outputs]
            with watch("backward"):
                torch.autograd.backward(outputs, gradients)

        return run

    def times_us(self, run, passes, directions, device):
        times = {name: [] for name in directions}

        @contextlib.contextmanager
        def watch(name):
            synchronize(device)
            begin = now(device)
            yield
            end = now(device)
            synchronize(device)
            if name in times:
                times[name].append(between_us(begin, end))

        for _ in range(passes):
            run(watch)
        return times


def differentiable(outputs):
    """Returns the outputs, a tensor or several, that have a gradient. Raises OperatorError if there are none."""
    found = [one for one in (outputs if isinstance(outputs, (list, tuple)) else [outputs]) if isinstance(one, torch.Tensor) and one.requires_grad]
    if not found:
        raise OperatorError("no output of the module has a gradient, so it has no backward pass, whose time B_dur(us) requests",
                            "remove B_dur(us) from columns_name, or return a tensor that depends on a floating-point input or a parameter")
    return found


def now(device):
    """Returns the time on the device: a number of ns, or an event that the device records."""
    if device.type == "cpu":
        return time.perf_counter_ns()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def between_us(begin, end):
    return (end - begin) * 1e-3 if isinstance(begin, int) else begin.elapsed_time(end) * 1e3
