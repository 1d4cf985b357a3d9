"""Reads what Nsight Compute's command line (ncu) prints with --csv: the duration of each profiled kernel, range or graph.

The raw page (--page raw) has one row per workload and one column per metric, with the units in a row below the names. The details page has one
row per metric. Lines that begin with == are ncu's own messages.
"""
import csv
import io
import math

METRIC = "gpu__time_duration.sum"
PERMISSION = "ERR_NVGPUCTRPERM"
US_PER_UNIT = {"ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}


def durations_us(text):
    """Returns the duration of each profiled workload in us. Raises ValueError with the reason when a duration is missing."""
    error = error_of(text)
    if error:
        raise ValueError(error)
    rows = table_rows(text)
    if not rows:
        raise ValueError(warning_of(text) or "ncu printed no table")
    header = rows[0]
    if METRIC in header:
        return durations_of_raw_page(rows)
    if "Metric Name" in header:
        return durations_of_details_page(rows)
    raise ValueError(f"ncu's table has no column {METRIC}")


def table_rows(text):
    """Returns the CSV rows as dictionaries' keys and values: the header first. Messages and the program's own output are skipped."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), None)
    if begin is None:
        return []
    return list(csv.reader(io.StringIO("\n".join(line for line in lines[begin:] if line.startswith('"')))))


def durations_of_raw_page(rows):
    """Returns the durations of a table with one column per metric, whose second row holds the units."""
    column = rows[0].index(METRIC)
    if len(rows) < 2 or rows[1][0] != "":
        raise ValueError("ncu's table has no row of units")
    unit = cell(rows[1], column)
    if len(rows) == 2:
        raise ValueError("ncu's table has no rows")
    return [microseconds(cell(row, column), unit, row[0]) for row in rows[2:]]


def durations_of_details_page(rows):
    """Returns the durations of a table with one row per metric. Every workload must have the metric."""
    name, unit, value = (rows[0].index(column) for column in ("Metric Name", "Metric Unit", "Metric Value"))
    found = {row[0]: None for row in rows[1:]}
    for row in rows[1:]:
        if cell(row, name) == METRIC:
            found[row[0]] = microseconds(cell(row, value), cell(row, unit), row[0])
    missing = [workload for workload, duration in found.items() if duration is None]
    if missing:
        raise ValueError(f"ncu has no {METRIC} of workload {missing[0]}")
    return list(found.values())


def cell(row, column):
    return row[column].strip() if column < len(row) else ""


def microseconds(value, unit, workload):
    """Returns the value in us. Thousands separators are accepted; text such as n/a is an error, not 0."""
    if unit not in US_PER_UNIT:
        raise ValueError(f"ncu gives {METRIC} in an unknown unit: {unit or 'none'}")
    try:
        number = float(value.replace(",", ""))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"ncu has no {METRIC} of workload {workload}: {value or 'an empty cell'}")
    return number * US_PER_UNIT[unit]


def error_of(text):
    """Returns ncu's error messages in one line; an empty text when there is none. A missing permission is reported by itself."""
    errors = messages(text, "==ERROR==")
    if PERMISSION in text:
        return next((error for error in errors if PERMISSION in error), f"{PERMISSION}: no permission to read the performance counters")
    return "; ".join(dict.fromkeys(errors))


def warning_of(text):
    """Returns ncu's last warning, for example that no kernels were profiled; an empty text when there is none."""
    warnings = messages(text, "==WARNING==")
    return warnings[-1] if warnings else ""


def messages(text, mark):
    return [line[len(mark):].strip() for line in map(str.strip, text.splitlines()) if line.startswith(mark)]
