"""The table of models, and how sizes are chosen from it."""

import unittest
from pathlib import Path
from unittest import mock

from kjoule_export import table
from kjoule_export.build import Request
from kjoule_export.errors import USAGE, ExportError
from kjoule_export.export import export

from .helpers import FolderCase, load_script

KEYS = {"layers": "num_hidden_layers", "hidden": "hidden_size", "heads": "num_attention_heads"}
SIZES = {"layers": 2, "hidden": 64, "heads": 2}
WORDS = {**KEYS, "vocab": "vocab_size"}
NEW_ROWS = (
    table.ModelRow("llama", "llama", "LlamaConfig", "LlamaForCausalLM", "-", WORDS, {**SIZES, "vocab": 100},
                   multiples={"intermediate_size": 2.6875}, positions="max_position_embeddings"),
    table.ModelRow("bert", "bert", "BertConfig", "BertModel", "-", WORDS, {**SIZES, "vocab": 100},
                   multiples={"intermediate_size": 4}, positions="max_position_embeddings"),
    table.ModelRow("vit", "vit", "ViTConfig", "ViTForImageClassification", "-", KEYS, SIZES,
                   multiples={"intermediate_size": 4}, extra={"image_size": 32}, image=(3, 32, 32)),
)


class Sizes(unittest.TestCase):
    bloom = table.find_row("bloom")

    def test_defaults_are_the_row_s(self):
        self.assertEqual(table.choose_sizes(self.bloom, {}), {"layers": 24, "hidden": 1024, "heads": 16, "vocab": 250880})

    def test_heads_keep_their_width(self):
        self.assertEqual(table.choose_sizes(self.bloom, {"hidden": 256})["heads"], 4)

    def test_heads_given_win(self):
        self.assertEqual(table.choose_sizes(self.bloom, {"hidden": 96, "heads": 3})["heads"], 3)

    def test_what_does_not_fit_is_an_error(self):
        wrong = [
            (self.bloom, {"hidden": 100}, "--heads"),
            (self.bloom, {"hidden": 100, "heads": 3}, "3 heads"),
            (table.find_row("resnet18"), {"layers": 2}, "no --layers"),
        ]
        for row, asked, said in wrong:
            with self.subTest(asked=asked), self.assertRaisesRegex(ExportError, said) as caught:
                table.choose_sizes(row, asked)
            self.assertEqual(caught.exception.status, USAGE)

    def test_unknown_family_names_the_known(self):
        with self.assertRaisesRegex(ExportError, "mamba.*bloom, gpt2, opt, resnet"):
            table.find_row_of_family("mamba", "some/model")


class NewRows(FolderCase):
    """A further model needs nothing but its row."""

    def test_each_is_exported(self):
        with mock.patch.object(table, "ROWS", table.ROWS + NEW_ROWS):
            for row in NEW_ROWS:
                with self.subTest(row.name):
                    target = Path(self.folder, f"{row.name}.pt")
                    metadata = export(Request(row.name), target, lambda step: None)
                    self.assertLess(metadata["largest_difference"], 1e-4)
                    self.assertEqual(load_script(target)[1], metadata)


if __name__ == "__main__":
    unittest.main()
