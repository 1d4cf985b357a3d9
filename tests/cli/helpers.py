"""What several tests need."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import torch
import transformers

from kjoule_export import cli, fixtures

TINY = ["--layers", "2", "--hidden", "64", "--heads", "2", "--vocab", "100"]


transformers.logging.disable_progress_bar()


class FolderCase(unittest.TestCase):
    """A test with a temporary `folder` of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_empty(self):
        """Checks that nothing, hidden folders included, was left behind."""
        self.assertEqual(list(self.folder.iterdir()), [])


def run_command(*arguments: Any) -> tuple[int, str, str]:
    """Runs `kjoule export` in this process; returns exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


def export_model(path: Path, *arguments: Any) -> None:
    """Writes a model to `path` by `kjoule export` in this process, which imports torch once for all tests."""
    code, _, error = run_command(*arguments, "-o", path)
    assert code == 0, error


def write_fixtures(folder: Path) -> None:
    """Writes the small models of fixtures.py to `folder`, in this process."""
    with contextlib.redirect_stdout(io.StringIO()):
        assert fixtures.main([str(folder)]) == 0


def write_pretrained(folder: Path) -> Path:
    """Saves a tiny GPT-2 to `folder` as if it had been trained, and returns the folder."""
    torch.manual_seed(7)
    config = transformers.GPT2Config(vocab_size=90, n_embd=64, n_layer=1, n_head=2, n_positions=32)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def load_script(path: Path) -> tuple[torch.jit.ScriptModule, dict[str, Any]]:
    """Returns a TorchScript model and its metadata, read as the C++ side does."""
    files = {"kjoule.json": ""}
    model = torch.jit.load(str(path), _extra_files=files)
    return model, json.loads(files["kjoule.json"])
