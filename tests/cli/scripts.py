"""Scripts of tests/gpu and bench as modules, so that what they make of rows and reports is tested without a GPU."""
import contextlib
import importlib.machinery
import importlib.util
import pathlib
import sys
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPU = ROOT / "tests/gpu"


@contextlib.contextmanager
def modules_of_scripts():
    """Lets the modules beside the scripts be imported."""
    with mock.patch.object(sys, "path", [str(GPU), str(ROOT / "measurements"), *sys.path]), mock.patch.object(sys, "dont_write_bytecode", True):
        yield


def script(name, folder=GPU):
    """Returns a script, whose name has no ending, as a module."""
    loader = importlib.machinery.SourceFileLoader(f"{folder.name}_{name}", str(folder / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look there
    with modules_of_scripts():
        loader.exec_module(module)
    return module
