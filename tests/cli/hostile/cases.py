"""Hostile cases: one command on a small hostile input, which must be refused in one clear line."""
from __future__ import annotations

import dataclasses
import functools
import gzip
import json
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import tempfile
import unittest

from ..messages import errors_in
from ..test_commands import KJOULE, ROOT
from ..test_energy import FULL, ISOLATED, wattsup
from ..test_import import TraceBuilder
from ..test_sample import SWEEP
from .test_messages import OF_LIBRARIES

OWN_FOLDERS = re.compile("home/[.]cache(/kjoule(/models(/[A-Za-z0-9]+)*)?)?$|home/[.]config(/kjoule)?$")  # empty ones may be created
SIMULATED = "--device simulated:seed=5,launches=12 --runs 5 --time-limit 0.2 --no-energy"

NETWORK = """name: n
sizes: {batch: 2, width: 8}
layers:
  - {name: fc, kind: matmul, M: batch, K: width, N: 3*width}
  - {name: act, kind: gelu, shape: [batch, 3*width]}
"""
KERNELS = "name,count,mean_us,grid,block\ngemm,2,5,1x1x1,128x1x1\nadd,1,3,16x1x1,256x1x1\n"
SAMPLES = "rows,columns,F_dur(us),B_dur(us)\n" + "".join(f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500}\n" for r in range(64, 705, 64) for c in (128, 256, 512))
CONFIGURATION = "".join(f"{key}: {value}\n" for key, value in SWEEP.items())


@dataclasses.dataclass
class Case:
    """A command that must be refused.

    Attributes:
        command: The words after `kjoule`; {NAME} stands for a file of Materials.
        names: A pattern that the error line contains: the file or option, and what is wrong.
        files: Contents of the files in the current folder by name; None stands for a folder.
        code: The exit code.
    """

    command: str
    names: str
    files: dict[str, str | bytes | None] = dataclasses.field(default_factory=dict)
    code: int = 1
    variables: dict[str, str] = dataclasses.field(default_factory=dict)


def network(old: str, new: str, names: str) -> Case:
    """Returns the case of a network with a changed text."""
    return Case("layers n.yaml --device cpu", names, {"n.yaml": replaced(NETWORK, old, new)})


def replaced(text: str, old: str, new: str) -> str:
    """Returns the text with its first `old` replaced; an empty `old` stands for the whole text."""
    assert old in text, old
    return text.replace(old, new, 1) if old else new


def write(path: pathlib.Path, content: str | bytes | None) -> None:
    """Writes a file, or creates a folder if there is no content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def nsys_database(path: pathlib.Path) -> None:
    """Writes a small database of Nsight Systems: three launches of two kernels."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA page_size = 512")
        database.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1, "gemm"), (2, "add")])
        columns = ["start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName", "shortName", "gridX", "gridY", "gridZ",
                   "blockX", "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory"]
        database.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({', '.join(f'{name} INTEGER' for name in columns)})")
        for n, name in enumerate([1, 2, 2]):
            database.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({', '.join('?' * len(columns))})",
                             (10_000 * n, 10_000 * n + 5000, 0, 1, 7, n + 1, 1 << 24, name, name, 8, 1, 1, 256, 1, 1, 0, 0))
    database.close()


@functools.cache
def folder_of_materials() -> tempfile.TemporaryDirectory[str]:
    """Returns a folder of small files of every kind that kjoule reads, made once for all cases."""
    temporary = tempfile.TemporaryDirectory()
    folder = pathlib.Path(temporary.name)

    def kjoule(command: str) -> None:
        subprocess.run([KJOULE, *shlex.split(command)], cwd=folder, check=True, capture_output=True)

    kjoule(f"compare {SIMULATED} -o results")
    kjoule("record --device simulated:seed=5,launches=12 -o recording.jsonl")
    kjoule("baseline results -o base.json")
    trace = json.dumps(TraceBuilder().as_dict())
    for name, content in {"trace.json": trace, "trace.json.gz": gzip.compress(trace.encode(), mtime=0), "kernels.csv": KERNELS, "network.yaml": NETWORK,
                          "power.csv": wattsup(), "timing.json": json.dumps(FULL), "isolated.json": json.dumps(ISOLATED), "sweep.yml": CONFIGURATION,
                          "data/G_mine_fp16.csv": SAMPLES, "G_gelu_fp16_1_1.csv": "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n",
                          "training.yml": subprocess.run([KJOULE, "predict", "show-example", "llemma_7b_4_2_2_P"], check=True, capture_output=True).stdout}.items():
        write(folder / name, content)
    nsys_database(folder / "run.sqlite")
    kjoule("import trace.json -o imported")
    return temporary


def material(name: str) -> pathlib.Path:
    """Returns the path of a file of the materials, by its name in braces in a command, e.g. {base}."""
    folder = pathlib.Path(folder_of_materials().name)
    found = {"results": "results", "recording": "recording.jsonl", "base": "base.json", "trace": "trace.json", "gz": "trace.json.gz", "csv": "kernels.csv",
             "network": "network.yaml", "power": "power.csv", "timing": "timing.json", "isolated": "isolated.json", "sweep": "sweep.yml", "data": "data",
             "part": "G_gelu_fp16_1_1.csv", "training": "training.yml", "sqlite": "run.sqlite", "imported": "imported", "kernels": "imported/kernels.jsonl",
             "rows": "results/results.jsonl", "root": "."}
    return folder / found[name]


def state(folder: pathlib.Path) -> dict[pathlib.Path, bytes]:
    """Returns the contents of all files, and the names of all folders."""
    return {path: path.read_bytes() if path.is_file() and not path.is_symlink() else b"" for path in sorted(folder.rglob("*"))}


class HostileCases(unittest.TestCase):
    """Runs cases and checks that each is refused as promised."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.number = 0

    def check(self, cases: list[Case]) -> None:
        before = state(pathlib.Path(folder_of_materials().name))
        for case in cases:
            with self.subTest(command=case.command, files={name: str(content)[:200] for name, content in case.files.items()}):
                self.check_one(case)
        self.assertEqual(before, state(pathlib.Path(folder_of_materials().name)), "materials are only read")

    def run_case(self, case: Case) -> subprocess.CompletedProcess[str]:
        """Runs the command in a new folder with the case's files."""
        self.number += 1
        folder = self.folder / str(self.number)
        (folder / "home").mkdir(parents=True)
        for name, content in case.files.items():
            write(folder / name, content)
        before = state(folder)
        words = [re.sub(r"\{(\w+)\}", lambda found: str(material(found[1])), word) for word in shlex.split(case.command)]
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "KJOULE_", "POWER_LOG"))}
        done = subprocess.run([KJOULE, *words], cwd=folder, capture_output=True, text=True, errors="replace", timeout=20, check=False, stdin=subprocess.DEVNULL,
                              env={**variables, "HOME": str(folder / "home"), **case.variables})
        after = state(folder)
        changed = {str(path.relative_to(folder)) for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        self.changed = {path for path in changed if not OWN_FOLDERS.match(path)}
        return done

    def check_one(self, case: Case) -> None:
        done = self.run_case(case)
        self.assertEqual(done.returncode, case.code, done.stdout[-500:] + done.stderr)
        lines = errors_in(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertNotRegex(done.stderr, OF_LIBRARIES)
        self.assertRegex(lines[0], case.names)
        cause, _, remedy = lines[0].partition("; ")
        self.assertTrue(cause and remedy, f"cause and remedy: {lines[0]}")
        self.assertEqual(self.changed, set(), "nothing is written")
