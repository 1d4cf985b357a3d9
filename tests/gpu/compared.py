"""Runs `kjoule compare` of a program without energy, and makes the rows that the checks of the instrument keep of it."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from catalogue import KJOULE, ROOT, made
from machine import machine
from row_files import add_row, read_rows

MOST_KERNELS = 1000
NEEDED = ["whole_us", "sum_us", "sum_half_width_percent", "sum_error_percent"]
NUMBERS = [*NEEDED, "undisturbed_whole_us", "timeline_difference_percent", "paused_s", "rounds", "whole_clock_mhz", "sum_clock_mhz"]
OTHERS = ["half_of_places", "control", "other_starts", "stopped_by"]


def run_limited(command, limit_s, environment=None):
    """Returns exit code and stderr. After `limit_s` seconds, kjoule is interrupted and ends with its program."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env=environment)
        try:
            code = process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            code = None
        errors.seek(0)
        return code, errors.read()


def built(source, folder):
    """Returns the program of a CUDA source in `folder`. It is built if it is older than its source or a header next to it."""
    program = folder / source.stem
    sources = [source, *source.parent.glob("*.cuh"), *source.parent.glob("*.hpp")]
    if not program.exists() or program.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        folder.mkdir(parents=True, exist_ok=True)
        made(["nvcc", "-arch=native", "-std=c++20", "-O2", "-o", program, source])
    return program


def last_word(said):
    """Returns the last error, which is no warning; without one, the end of what was said."""
    lines = [line for line in said.splitlines() if line.startswith("kjoule: ") and not line.startswith("kjoule: warning: ")]
    return lines[-1] if lines else said.strip()[-300:]


def number_in(values, key):
    """Returns the number under `key`; None where there is none."""
    value = values.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def percent_above(value, base):
    """Returns by how many percent `value` is above `base`; None if one of them is missing."""
    return 100 * (value / base - 1) if value is not None and base else None


def lack(report):
    """Returns an error that names the figures that are missing in the report; nothing if none is missing."""
    missing = [key for key in NEEDED if number_in(report, key) is None]
    return {"error": f"the report has no {', '.join(missing)}"} if missing else {}


def figures(report):
    """Returns the figures of a report that a row keeps. Figures that the report lacks are None and listed as missing."""
    found = {**{key: number_in(report, key) for key in NUMBERS}, **{key: report.get(key) for key in OTHERS}}
    run = report.get("run")
    found["device"] = run.get("device") if isinstance(run, dict) else None
    found["missing"] = [key for key, value in found.items() if value is None]
    return {**found, **lack(report)}


def read_report(path):
    """Returns the report; None if the file does not exist. Throws ValueError if the file is not a report."""
    if not path.exists():
        return None
    report = json.loads(path.read_text())
    if not isinstance(report, dict):
        raise ValueError(f"{path.name} is not a report")
    return report


def compare(folder, options, program, arguments):
    """Compares `program` with its kernels. Returns the figures for a row, and the report or None."""
    begin = time.monotonic()
    limit = [] if arguments.time_limit is None else ["--time-limit", arguments.time_limit]
    code, said = run_limited([KJOULE, "compare", "--no-energy", "--loop-seconds", "2", "--top", MOST_KERNELS, "-o", folder, *limit, *options, "--", *program], arguments.limit)
    row = {"seconds": round(time.monotonic() - begin, 1), "exit_code": code}
    if arguments.keep and folder.exists():
        arguments.keep.mkdir(parents=True, exist_ok=True)
        for name in ("results.jsonl", "recording.jsonl"):
            if (folder / name).exists():
                shutil.copy(folder / name, arguments.keep / f"{pathlib.Path(str(program[-1])).stem}-{time.time():.0f}-{name}")
    # If the program ended before an iteration was found, the largest phase is used.
    reports = [folder / "comparison_report.json", folder / "phase_1/comparison_report.json"]
    report = None if code is None else read_report(next(filter(pathlib.Path.exists, reports), reports[0]))
    if report is not None:
        # Replays of programs that write clocks give other bits, which kjoule reports; this is no error here.
        return {**row, **({} if code == 0 else {"remark": last_word(said)}), **figures(report)}, report
    return {**row, "error": f"not done in {arguments.limit:g} s" if code is None else last_word(said)}, None


def inside(row):
    """Returns whether the sum's own 95 % interval contains the whole."""
    return abs(row["sum_error_percent"]) <= row["sum_half_width_percent"]


def has_figures(row):
    return all(number_in(row, key) is not None for key in NEEDED)


def text(value, form):
    """Returns the number as text; "-" if it is missing."""
    return "-" if value is None else format(value, form)


def errors_of(rows):
    """Returns a line for each row that lacks any figure."""
    return [f"{row.get('name')} run {row.get('run')}: {row['error']}" for row in rows if row.get("error")]


def parser(description, rows):
    """Returns a parser of the options that all checks share."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--runs", type=int, default=1, help="rows that each case should have; 0: only print existing rows (default: 1)")
    options.add_argument("--rows", type=pathlib.Path, default=rows)
    options.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/gpu", help="folder for built programs (build/gpu)")
    options.add_argument("--limit", type=float, default=120, help="time limit of one comparison in seconds (default: 120)")
    options.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no further comparison is started (default: no limit)")
    options.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep the rows and the recording of each comparison in FOLDER")
    options.add_argument("--time-limit", help="kjoule's option --time-limit in seconds")
    return options


def rows_of(path, check):
    """Returns the rows of one check; a file may contain rows of several checks."""
    return [row for row in read_rows(path) if row.get("check", check) == check]


def measure_owed(options, check, names, measure):
    """Adds a row for each name and run without a row, by calling `measure` with both. Returns all rows of the check."""
    rows = rows_of(options.rows, check)
    began = time.monotonic()
    for run in range(1, options.runs + 1):
        for name in names:
            if sum(row.get("name") == name for row in rows) >= run or time.monotonic() - began > options.budget:
                continue
            row = {"check": check, "name": name, "run": run, "machine": machine()}
            try:
                row.update(measure(name, run))
            except (RuntimeError, OSError, ValueError) as error:
                row["error"] = str(error)
            rows.append(row)
            add_row(options.rows, row)
            print(f"{name} run {run}: {row.get('error') or text(row.get('sum_error_percent'), '+.2f') + ' %'}", file=sys.stderr, flush=True)
    return rows
