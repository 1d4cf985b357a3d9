"""python -m kjoule_pipelines FILE.py --list | NUMBER [--iterations N] [--failed FILE.jsonl]

FILE.py defines `pipelines`, a list of pairs: a name, and a list of (layer's name, kernel). A kernel is an object with two
methods, or a pair of two functions: setup() allocates and returns a state, capture(state) runs the layer. The layers of a
pipeline run one after another, each within an NVTX range with its name, and all within the range "kjoule layers".
"""
import argparse
import ctypes
import json
import pathlib
import runpy
import sys

import kjoule
from kjoule.errors import describe_user_error
from kjoule.marking import nvtx_functions

ITERATION = "kjoule layers"
SUCCESS, NOT_INITIALIZED, NO_CONTEXT = 0, 3, 201  # CUDA's error codes


class PipelineError(Exception):
    pass


def load_pipelines(path):
    """Returns [(name, [(layer, setup, capture)])]."""
    try:
        found = runpy.run_path(str(path)).get("pipelines")
    except (Exception, SystemExit) as error:
        raise PipelineError(f"{path}: {describe_user_error(error)}") from error
    if not isinstance(found, (list, tuple)) or not found:
        raise PipelineError(f"{path}: defines no pipelines; define pipelines = [(name, [(layer, kernel), ..]), ..]")
    return [check_pipeline(path, pipeline) for pipeline in found]


def check_pipeline(path, pipeline):
    try:
        name, layers = pipeline
        return str(name), [(str(layer), *kernel_functions(kernel)) for layer, kernel in layers]
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        remedy = "write a pipeline as (name, [(layer, kernel), ..]), where a kernel has setup() and capture(state)"
        raise PipelineError(f"{path}: an entry of pipelines is not a pipeline ({error}); {remedy}") from error


def kernel_functions(kernel):
    return (kernel.setup, kernel.capture) if hasattr(kernel, "capture") else (kernel[0], kernel[1])


def synchronize():
    """Waits for the work on the current CUDA context, which the layers' framework has made. Throws RuntimeError if work failed."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise RuntimeError("CUDA's driver (libcuda.so.1) cannot be loaded; a layer needs a GPU") from error
    code = driver.cuCtxSynchronize()
    if code in (SUCCESS, NOT_INITIALIZED, NO_CONTEXT):  # no work was launched by this thread without a context
        return
    text = ctypes.c_char_p()
    driver.cuGetErrorString(code, ctypes.byref(text))
    raise RuntimeError((text.value or b"unknown error").decode())


def prepare(layers, synchronize):
    """Sets up each layer and runs it once. Returns the layers that can run, and the errors of those that cannot."""
    able, failed = [], []
    for layer, setup, capture in layers:
        try:
            state = setup()
            capture(state)
            synchronize()
            able.append((layer, state, capture))
        except (Exception, SystemExit) as error:
            failed.append({"layer": layer, "error": describe_user_error(error)})
    return able, failed


def run(layers, iterations):
    """Yields the errors of layers that cannot run, then runs the other layers `iterations` times."""
    push, pop = nvtx_functions()
    able, failed = prepare(layers, synchronize)
    yield failed
    for _ in range(iterations if able else 0):
        push(ITERATION)
        for layer, state, capture in able:
            push(layer)
            capture(state)
            pop()
        synchronize()
        pop()


def main():
    parser = argparse.ArgumentParser(prog="kjoule_pipelines", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("number", type=int, nargs="?", help="number of the pipeline to run, from 0")
    parser.add_argument("--list", action="store_true", help="print the pipelines, one JSON object per line, and run none")
    parser.add_argument("--iterations", type=int, default=100000, help="number of iterations (default: 100000)")
    parser.add_argument("--failed", type=pathlib.Path, help="JSONL file to which the layers that cannot run are written")
    options = parser.parse_args()
    sys.path.insert(0, str(options.file.resolve().parent))
    try:
        pipelines = load_pipelines(options.file)
        if options.list:
            for name, layers in pipelines:
                print(json.dumps({"pipeline": name, "layers": [layer for layer, *_ in layers]}))
            return 0
        steps = run(pipelines[options.number][1], options.iterations)
        failed = next(steps)
        if options.failed:
            options.failed.write_text("".join(json.dumps(one) + "\n" for one in failed), encoding="utf-8")
        for _ in steps:
            pass
        return 0
    except (PipelineError, kjoule.Error) as error:
        print(f"kjoule: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
