"""measurements/row_files.py: rows are read from plain and compressed files alike, and none is lost."""
import gzip
import json
import pathlib
import sys
import unittest
from unittest import mock

from .helpers import FolderCase

with mock.patch.object(sys, "path", [str(pathlib.Path(__file__).resolve().parents[2] / "measurements"), *sys.path]):
    import row_files


class RowFiles(FolderCase):
    def setUp(self):
        super().setUp()
        self.rows = self.folder / "rows.jsonl"
        self.packed = self.folder / "rows.jsonl.gz"

    def test_a_missing_file_has_no_rows(self):
        self.assertEqual(row_files.read_rows(self.rows), [])
        with self.assertRaises(FileNotFoundError):
            row_files.read_text(self.rows)

    def test_rows_of_the_compressed_file_come_before_added_ones(self):
        self.packed.write_bytes(gzip.compress(b'{"run": 1}\n'))
        row_files.add_row(self.rows, {"run": 2})
        self.assertEqual(row_files.read_rows(self.rows), [{"run": 1}, {"run": 2}])
        self.assertEqual(row_files.read_rows(self.packed), [{"run": 1}, {"run": 2}], "either name reads both files")

    def test_packing_compresses_large_files_only_and_keeps_all_rows(self):
        small, large = [{"run": 1}], [{"run": run, "text": "x" * 100} for run in range(1000)]
        for rows, suffix in [(small, ""), (large, ".gz")]:
            with self.subTest(suffix=suffix):
                self.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
                row_files.pack(self.folder)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["rows.jsonl" + suffix])
                self.assertEqual(row_files.read_rows(self.rows), rows)
        first = self.packed.read_bytes()
        row_files.pack(self.packed)
        self.assertEqual(self.packed.read_bytes(), first, "equal rows give equal files")

    def test_a_folder_is_unpacked_into_plain_files(self):
        self.packed.write_bytes(gzip.compress(b'{"run": 1}\n'))
        row_files.add_row(self.rows, {"run": 2})
        (self.folder / "part.csv").write_text("a,b\n")
        with row_files.unpacked(self.folder) as plain:
            self.assertEqual({path.name: path.read_text() for path in plain.iterdir()},
                             {"rows.jsonl": '{"run": 1}\n{"run": 2}\n', "part.csv": "a,b\n"})
        self.assertFalse(plain.exists())


if __name__ == "__main__":
    unittest.main()
