"""tests/gpu/documents: its steps that need no GPU, and what it says of steps that fail or lack their files."""
import argparse
import json
import pathlib
import tempfile
import unittest

from .scripts import script

documents = script("documents")
SHARED = documents.ROOT.parent / "shared"


class GpuDocuments(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def chain(self, number, shared=SHARED):
        return documents.CHAINS[number](argparse.Namespace(folder=self.folder, shared=shared, limit=120))

    def test_a_step_that_needs_no_gpu(self):
        word, figures = documents.outcome(self.chain(5).step_prediction_of_the_document)
        self.assertEqual(word, "ok", figures)
        self.assertRegex(figures, r"on NVIDIAA100-SXM4-80GB: \d+\.\d us")

    @unittest.skipUnless(SHARED.exists(), "the published files are not here")
    def test_steps_that_read_published_files(self):
        self.assertEqual(documents.outcome(self.chain(1).step_classify_kernels), ("ok", "144 kernels, 17,186 launches, tiers 68, 23, 53"))
        self.assertEqual(documents.outcome(self.chain(5).step_published_configurations), ("ok", "22 are read unchanged"))

    def test_another_table_fails(self):
        table = self.folder / documents.TABLE
        table.parent.mkdir(parents=True)
        table.write_text(json.dumps({"name": "gemm", "count": 4}) + "\n")
        word, figures = documents.outcome(self.chain(1, shared=self.folder).step_classify_kernels)
        self.assertEqual(word, "FAILED")
        self.assertIn("kernels, launches and kernels of tiers are [1, 4, ", figures)

    def test_missing_files_are_not_failures(self):
        word, figures = documents.outcome(self.chain(1, shared=self.folder).step_classify_kernels)
        self.assertEqual((word, figures), ("skipped", f"{documents.TABLE} of the published files is not here"))
