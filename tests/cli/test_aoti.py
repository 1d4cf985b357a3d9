"""AOTInductor packages. Compiling takes about a minute, so this runs only with KJOULE_SLOW_TESTS=1."""

import json
import os
import pathlib
import unittest
import zipfile
from unittest import mock

import torch

from .helpers import TINY, FolderCase, run_command
from .test_commands import run


@unittest.skipUnless(os.environ.get("KJOULE_SLOW_TESTS"), "set KJOULE_SLOW_TESTS=1 to compile a package")
class Package(FolderCase):
    def test_package_runs_and_describes_itself(self):
        target = self.folder / "model.pt2"
        code, out, err = run_command("bloom", *TINY, "-o", target, "--json")
        self.assertEqual(code, 0, err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["model.pt2"])
        result = json.loads(out)
        self.assertEqual(result["baked"], ["batch", "seq_len"])
        with zipfile.ZipFile(target) as archive:
            kernels = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".cpp")]
        self.assertTrue(any("omp parallel" in text for text in kernels))
        self.assertFalse(any("num_threads(" in text for text in kernels), "--threads would do nothing")
        self.assertGreater(result["largest_difference"], 0.0)
        self.assertLess(result["largest_difference"], 1e-4)
        loader = torch._C._aoti.AOTIModelPackageLoader(str(target), "model", False, 1, -1)
        metadata = json.loads(loader.get_metadata()["kjoule"])
        self.assertEqual({**metadata, "file": str(target), "bytes": result["bytes"]}, result)
        unpacked = set(pathlib.Path("/tmp").glob("??????/*/data/aotinductor"))
        self.assertEqual(run("full", "--model", target, "--runs", 3, "-o", self.folder / "results").returncode, 0)
        self.assertEqual(set(pathlib.Path("/tmp").glob("??????/*/data/aotinductor")) - unpacked, set())
        self.assertEqual(loader.boxed_run([torch.zeros(1, 5, dtype=torch.int64)])[0].shape, (1, 5, 100))


class Compiler(FolderCase):
    def test_missing_compiler_is_said_before_anything_is_built(self):
        with mock.patch("shutil.which", return_value=None):
            code, out, err = run_command("bloom", *TINY, "-o", self.folder / "model.pt2")
        self.assertEqual((code, out), (2, ""), err)
        said, error = err.splitlines()
        self.assertEqual(said, "loading PyTorch")
        self.assertRegex(error, r"^kjoule export: a .pt2 file needs the C\+\+ compiler")
        self.assert_empty()


if __name__ == "__main__":
    unittest.main()
