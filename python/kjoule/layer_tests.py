"""Measures a kernel, a convolution or a matrix product by `kjoule layers`, under the names of the script that kjoule replaces."""
from __future__ import annotations

import contextlib
import contextvars
import json
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from .arguments import Count, Index, Name, Option, checked
from .errors import Error
from .measuring import compare, layers
from .report import Report
from .reports import Layers
from .running import variables_of_programs

if TYPE_CHECKING:
    import torch

UNROLL_FACTOR = 100
"""Number of runs of a kernel in one CUDA graph; `iters` is rounded down to a multiple of it."""

_device_index: contextvars.ContextVar[int | None] = contextvars.ContextVar("device_index", default=None)


@dataclass(frozen=True)
class KernelTest(Report):
    """Time and energy of one kernel."""

    _rows: ClassVar[str | None] = None

    name: str
    """Name of the kernel."""
    iters: int
    """Least number of runs of the kernel in one reading. Unit: runs."""
    avg_latency_ms: float
    """Mean time of one run. Unit: ms."""
    avg_power_W: float | None
    """Mean power; None if there is no power meter. Unit: W."""
    avg_energy_J: float | None
    """Mean energy of one run; None if there is no power meter. Unit: J."""
    input_shape: str
    """Shape of the first input, such as 1x64x56x56; empty if it is not known."""


@contextlib.contextmanager
def device(index: int | None) -> Iterator[None]:
    """Lets the tests within the block use the GPU of this number."""
    before = _device_index.set(index)
    try:
        yield
    finally:
        _device_index.reset(before)


@checked
def test_conv_iter(name: Name, N: Count, C: Count, P: Count, Q: Count, M: Count, G: Count, R: Count, S: Count, HS: Count, WS: Count,
                   datatype: torch.dtype | str = "float16", iters: Count = UNROLL_FACTOR, **options: Option) -> KernelTest:
    """Measures a two-dimensional convolution.

    N: batch; C, M: input and output channels of a group; G: groups; P, Q: height and width of the output; R, S: of the window; HS, WS: strides.
    datatype: data type of its tensors, of torch or by its name.
    iters: least number of runs in one reading, rounded down to a multiple of UNROLL_FACTOR.
    options: further options of `kjoule layers`, such as energy=False.
    """
    sizes = {"N": N, "C": C, "P": P, "Q": Q, "M": M, "G": G, "R": R, "S": S, "HS": HS, "WS": WS}
    return _network_layer(name, "conv", sizes, datatype, iters, options)


@checked
def test_matmul_iter(name: Name, M: Count, K: Count, N: Count, datatype: torch.dtype | str = "float16", iters: Count = UNROLL_FACTOR,
                     **options: Option) -> KernelTest:
    """Measures the product of an M x K and a K x N matrix. See test_conv_iter() for the other arguments."""
    return _network_layer(name, "matmul", {"M": M, "K": K, "N": N}, datatype, iters, options)


@checked
def test_kernel_iter(name: Name, setup_func: Callable[[], Any], capture_func: Callable[[Any], Any], iters: Count, **options: Option) -> KernelTest:
    """Measures a kernel of one's own.

    setup_func: allocates and returns the state of the kernel, such as its tensors.
    capture_func: runs the kernel on this state. What it returns is ignored.
    iters: least number of runs of the kernel, rounded down to a multiple of UNROLL_FACTOR.
    options: further options of `kjoule layers`; on a CPU, of `kjoule compare`.

    On a GPU, both functions run in another process of Python, which kjoule measures: UNROLL_FACTOR runs of the kernel are recorded and replayed
    as one CUDA graph. The functions are sent there by cloudpickle. Without a GPU, the operators of torch that capture_func calls are measured.
    """
    iters = _rounded_down(name, iters)
    return _kernel_on_gpu(name, setup_func, capture_func, iters, options) if _has_gpu() else _kernel_on_cpu(name, setup_func, capture_func, iters,
                                                                                                       options)


for _test in (test_conv_iter, test_matmul_iter, test_kernel_iter):
    setattr(_test, "__test__", False)  # pytest takes functions of this name for its own


def _network_layer(name: str, kind: str, sizes: dict[str, int], datatype: torch.dtype | str, iters: int, options: dict[str, Option]) -> KernelTest:
    iters = _rounded_down(name, iters)
    with _environment({}), _temporary_folder(name) as folder:
        network = pathlib.Path(folder) / "layer.yaml"
        listed = ", ".join(f"{key}: {int(size)}" for key, size in sizes.items())
        quoted = json.dumps(name, ensure_ascii=False)
        network.write_text(f"name: {quoted}\nlayers:\n  - {{name: {quoted}, kind: {kind}, {listed}}}\n", encoding="utf-8", errors="replace")
        found = _measured(network, **{"buffers": "same", "unroll": UNROLL_FACTOR, "iters": iters, "dtype": str(datatype).removeprefix("torch."),
                                   "output_dir": f"{folder}/results", **options})
    return _test_of(name, iters, found, 1)


def _measured(source: pathlib.Path, **options: Option) -> Layers:
    """Returns the times of a network of one layer. An error about its energy or the device's peak rates is shown, but not raised."""
    try:
        return layers(source, **options)
    except Error as error:
        if not error.partial or not error.partial[0].complete:
            raise
        print(f"kjoule: {error}", file=sys.stderr)
        return cast(Layers, error.partial[0])


def _test_of(name: str, iters: int, network: Layers, runs: int) -> KernelTest:
    """Returns the test for a network that runs the kernel `runs` times."""
    joules = None if network.pipeline_energy_j is None else network.pipeline_energy_j / runs
    latency_ms = network.pipeline_latency_ms / runs
    return KernelTest(name, iters, latency_ms, None if joules is None else joules / latency_ms * 1e3, joules, network.layers[0].input_shape)


def _rounded_down(name: str, iters: int) -> int:
    if iters < UNROLL_FACTOR:
        raise Error(f"{name}: iters={iters} is less than the {UNROLL_FACTOR} runs of one CUDA graph; give at least iters={UNROLL_FACTOR}")
    rounded = iters - iters % UNROLL_FACTOR
    if rounded != iters:
        print(f"{name}: iters={iters} is rounded down to {rounded}, a multiple of {UNROLL_FACTOR}", file=sys.stderr)
    return rounded


def _has_gpu() -> bool:
    """Whether the CUDA driver finds a GPU. Asked in a process of its own, because a process that has used CUDA cannot be measured."""
    import subprocess

    code = "import ctypes; d = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int(); exit(d.cuInit(0) or d.cuDeviceGetCount(ctypes.byref(n)) or n.value < 1)"
    return subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def _kernel_on_gpu(name: str, setup: Any, capture: Any, iters: int, options: dict[str, Option]) -> KernelTest:
    try:
        import cloudpickle  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise Error(f"{name}: its functions cannot be sent to the measured process, because cloudpickle is not installed; "
                    "pip install cloudpickle, or write a file for kjoule layers FILE.py") from error

    def unrolled(state: Any) -> None:
        for _ in range(UNROLL_FACTOR):
            capture(state)

    with _temporary_folder(name) as folder:
        functions = pathlib.Path(folder) / "functions.pickle"
        try:
            functions.write_bytes(cloudpickle.dumps((setup, unrolled)))
        except Exception as error:
            raise Error(f"{name}: its functions cannot be sent to the measured process ({error}); let setup() make what cannot be copied") from error
        file = pathlib.Path(folder) / "kernel.py"
        file.write_text(f"import pickle\npipelines = [('kernel', [('kernel', pickle.load(open({str(functions)!r}, 'rb')))])]\n", encoding="utf-8")
        with _environment({"KJOULE_PYTHON": sys.executable, "PYTHONPATH": ":".join(entry for entry in sys.path if entry)}):
            found = _measured(file, **{"runs": max(1, iters // UNROLL_FACTOR), "output_dir": f"{folder}/results", **options})
    return _test_of(name, iters, found, UNROLL_FACTOR)


def _kernel_on_cpu(name: str, setup: Any, capture: Any, iters: int, options: dict[str, Option]) -> KernelTest:
    from .traced_kernel import write_traced_kernel

    with _temporary_folder(name) as folder:
        model = pathlib.Path(folder) / "kernel.pt"
        write_traced_kernel(name, setup, capture, UNROLL_FACTOR, model)
        wanted = {"model": model, "device": "cpu", "runs": iters // UNROLL_FACTOR, "output_dir": f"{folder}/results", **options}
        found = compare(None, **wanted).iteration
    if found is None:
        raise Error(f"{name}: was not measured; its kernel has no operators of torch")
    energy = found.energy
    joules = energy.whole_joules / UNROLL_FACTOR if energy and energy.whole_joules is not None else None
    return KernelTest(name, iters, found.whole_us * 1e-3 / UNROLL_FACTOR, energy.whole_watts if energy else None, joules, "")


def visible_gpu(index: int) -> str:
    """Returns the number or UUID of a GPU, as nvidia-smi names it. If CUDA_VISIBLE_DEVICES is set, `index` counts the GPUs that it lists; the
    result is empty if it lists none. Raises Error if there is no such GPU in the list."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return str(index)
    gpus = [gpu.strip() for gpu in listed.split(",") if gpu.strip()]
    if gpus and not 0 <= index < len(gpus):
        raise Error(f"device_index={index}: CUDA_VISIBLE_DEVICES lists only {len(gpus)} GPUs ({listed}); give a number below {len(gpus)}")
    return gpus[index] if gpus else ""


@contextlib.contextmanager
def _temporary_folder(name: str) -> Iterator[str]:
    """Makes a folder for the block. An error within the block names the test instead of the files of the folder, which the user does not know."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield folder
            except Error as error:
                text = re.sub(rf"{re.escape(folder)}/[\w.-]+(:\d+)?: ", "", str(error))
                text = re.sub(rf"{re.escape(folder)}/[\w./-]*", name, text)
                raise type(error)(text if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) else f"{name}: {text}", error.exit_code, error.partial) from error.__cause__
    except OSError as error:
        raise Error(f"{name}: the temporary files cannot be written ({error.strerror}); free space, or set TMPDIR to another folder") from error


def _environment(variables: Mapping[str, str]) -> contextlib.AbstractContextManager[None]:
    """Sets variables of the environment for the programs that are started within the block, and the GPU that they use."""
    index = _device_index.get()
    of_gpu = {} if index is None else {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": visible_gpu(index)}
    return variables_of_programs({**variables, **of_gpu})
