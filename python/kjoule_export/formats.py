"""The file types to which a model can be exported, by their extension."""

from __future__ import annotations

import ctypes
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from .errors import USAGE, ExportError

METADATA_FILE = "kjoule.json"  # name inside a TorchScript file
METADATA_KEY = "kjoule"  # key in an AOTInductor package's metadata


class TorchScriptFile:
    """A `.pt` file (TorchScript), which calls the same operators as the eager model."""

    keeps_sizes_open = True
    steps = "tracing"

    def __init__(self, path: Path):
        self._path = path

    def save(self, module: Any, inputs: list[Any]) -> None:
        """Writes `module` in its present state, traced with `inputs` unless it is already a script."""
        import torch

        if not isinstance(module, torch.jit.ScriptModule):
            with torch.no_grad(), restore_buffers(module):
                module = torch.jit.trace(module, tuple(inputs), check_trace=False)
        with open(self._path, "wb") as file:  # libtorch's own writer aborts the process when the disk is full
            torch.jit.save(module, file)

    def load(self) -> Any:
        """Returns the written model as a callable."""
        import torch

        return torch.jit.load(str(self._path))

    def describe(self, metadata: dict[str, Any]) -> None:
        """Adds `metadata` to the written file as an extra file of `torch.jit.load`; the checked contents are not changed."""
        with zipfile.ZipFile(self._path, "a") as archive:
            root = archive.namelist()[0].split("/")[0]
            archive.writestr(f"{root}/extra/{METADATA_FILE}", json.dumps(metadata))


class AotInductorPackage:
    """A `.pt2` file (AOTInductor): fused kernels that are compiled ahead of time for the given shapes."""

    keeps_sizes_open = False
    steps = "exporting and compiling (minutes for a large model)"

    def __init__(self, path: Path):
        """Throws ExportError if there is no C++ compiler."""
        require_compiler()
        self._path = path
        self._files: list[Any] = []

    def save(self, module: Any, inputs: list[Any]) -> None:
        """Compiles `module` for the shapes of `inputs` and writes the package."""
        import torch
        from torch import _inductor

        with mock.patch.dict(os.environ, {"TORCHINDUCTOR_CACHE_DIR": str(self._path.parent / "inductor")}), torch.no_grad():
            program = torch.export.export(module, tuple(inputs))
            # Without dynamic_threads, the number of threads is compiled in, and `kjoule full --threads` has no effect.
            options = {"aot_inductor.package": True, "aot_inductor.metadata": {METADATA_KEY: ""}, "cpp.dynamic_threads": True}
            arguments, keywords = program.example_inputs
            graph = program.module(check_guards=False)
            self._files = _inductor.aot_compile(graph, arguments, keywords, options=options)
        self._package()

    def load(self) -> Any:
        """Returns the written model as a callable."""
        import torch
        from torch import _inductor

        # The compiled code and torch both contain libstdc++'s regular expressions, perhaps of different versions. Python shows the
        # compiled code only those of torch's symbols that must be unique, and a mixture of both versions crashes. So all symbols of
        # libc10 are made visible here. kjoule-torch uses torch's version, too.
        ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"), mode=ctypes.RTLD_GLOBAL)
        return _inductor.aoti_load_package(str(self._path))

    def describe(self, metadata: dict[str, Any]) -> None:
        """Writes the package again from the same compiled files, but with `metadata`."""
        for file in self._files:
            if str(file).endswith("_metadata.json"):
                path = Path(file)
                path.write_text(json.dumps({**json.loads(path.read_text()), METADATA_KEY: json.dumps(metadata)}))
        self._package()

    def _package(self) -> None:
        from torch._inductor.package import package_aoti

        package = io.BytesIO()  # libtorch's own writer aborts the process when the disk is full
        package_aoti(package, self._files)
        self._path.write_bytes(package.getbuffer())


FORMATS = {".pt": TorchScriptFile, ".pt2": AotInductorPackage}


def format_of(target: Path) -> type[TorchScriptFile] | type[AotInductorPackage]:
    """Returns the format that belongs to the extension of `target`; throws ExportError for an unknown extension."""
    if target.suffix not in FORMATS:
        raise ExportError(f"{target} must end in .pt (TorchScript) or .pt2 (AOTInductor); rename it", USAGE)
    return FORMATS[target.suffix]


def require_compiler() -> None:
    """Throws ExportError if AOTInductor would find no C++ compiler."""
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler.split()[0]) is None:
        remedy = "install it, set CXX to another compiler, or write a .pt file"
        raise ExportError(f"a .pt2 file needs the C++ compiler {compiler}, which is not on the path; {remedy}", USAGE)


@contextmanager
def restore_buffers(module: Any) -> Iterator[None]:
    """Restores the buffers of `module` after a `with` block, because tracing runs the module once and changes them."""
    before = [(buffer, buffer.clone()) for buffer in module.buffers()]
    yield
    for buffer, value in before:
        buffer.copy_(value)
