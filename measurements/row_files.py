#!/usr/bin/env python3
"""Opens the files of rows in this folder, plain or compressed; every script that reads or writes rows uses this module.

usage: measurements/row_files.py pack FILE|FOLDER ...

A file FILE.jsonl of rows may exist as FILE.jsonl.gz, as FILE.jsonl, or as both: new rows are added to the plain file, and
reading returns the rows of the compressed file first. `pack` moves the rows of plain files above 32 KiB into the compressed
ones; in a folder it does so for every JSONL file.
"""
import contextlib
import gzip
import io
import json
import pathlib
import shutil
import sys
import tempfile

MEASUREMENTS = pathlib.Path(__file__).resolve().parent
LARGE_BYTES = 32 * 1024


def compressed(path):
    """Returns the path of the compressed file next to `path`."""
    return path.with_name(path.name + ".gz")


def plain(path):
    """Returns the path of the plain file; `path` may name either file."""
    path = pathlib.Path(path)
    return path.with_suffix("") if path.suffix == ".gz" else path


def read_text(path):
    """Returns the text of the compressed file and of the plain one after it. Throws FileNotFoundError when neither exists."""
    path = plain(path)
    found = [gzip.decompress(compressed(path).read_bytes()).decode()] if compressed(path).exists() else []
    if path.exists() or not found:
        found.append(path.read_text(encoding="utf-8"))
    return "".join(found)


def write_text(path, text):
    """Replaces all rows of `path`. Large texts are compressed; equal texts give equal files."""
    path = plain(path)
    if len(text) <= LARGE_BYTES:
        path.write_text(text, encoding="utf-8")
        compressed(path).unlink(missing_ok=True)
        return
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as file:
        file.write(text.encode())
    compressed(path).write_bytes(packed.getvalue())
    path.unlink(missing_ok=True)


def read_rows(path):
    """Returns the rows of a JSONL file; none when there is no such file."""
    try:
        return [json.loads(line) for line in read_text(path).splitlines()]
    except FileNotFoundError:
        return []


def write_rows(path, rows):
    """Replaces all rows of a JSONL file."""
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))


def add_row(path, row):
    """Adds a row to the plain JSONL file. A killed script loses no earlier row."""
    with pathlib.Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def machine_file(path):
    """Returns the path of the file that describes the machine on which the rows of `path` were measured."""
    return path.with_name(path.name.split(".")[0] + ".machine.json")


def unpack(folder, target):
    """Copies a folder of rows to `target`, with its compressed files expanded."""
    for path in sorted(folder.rglob("*")):
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gz":
            plain(copy).write_text(read_text(path), encoding="utf-8")
        elif path.is_file() and not compressed(path).exists():
            shutil.copy(path, copy)


@contextlib.contextmanager
def unpacked(folder):
    """Gives a folder that has the rows of `folder` in plain files; it is removed afterwards."""
    with tempfile.TemporaryDirectory() as name:
        unpack(pathlib.Path(folder), pathlib.Path(name))
        yield pathlib.Path(name)


def pack(path):
    """Moves the rows of a plain file, or of all JSONL files in a folder, into compressed files where they are large."""
    for file in [path] if path.is_file() else sorted(path.rglob("*.jsonl")):
        write_text(file, read_text(file))


def main():
    if len(sys.argv) < 3 or sys.argv[1] != "pack":
        sys.exit(__doc__.split("\n\n")[1])
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        if not path.exists():
            sys.exit(f"measurements/row_files.py: {name} does not exist")
        pack(path)


if __name__ == "__main__":
    main()
