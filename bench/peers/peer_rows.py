"""Makes the rows of one tool: runs it, reads its figures and compares them with the reference. A failure becomes the row's "error"."""
import pathlib
import tempfile

from catalogue import ROOT
from machine import GPU
from ncu_output import error_of
from peer_process import ClockLog, run_limited
from peer_tools import TOOLS, Reading, ncu_text

LONGEST_ERROR = 600


def percent_off(value, reference):
    """Returns by how many percent a time is off the reference; None when one of them was not measured."""
    return None if value is None or not reference else 100 * (value / reference - 1)


def failure(finished, folder, limit_s):
    """Returns why a command failed: what the tool gave as its reason, and the last line of the program when that is an error, too."""
    if finished.code is None:
        return f"not done in {limit_s:.0f} s"
    lines = [line.strip() for line in finished.output.splitlines() if line.strip()]
    reason = error_of(ncu_text(folder, finished.output)) or next((line for line in reversed(lines) if line.startswith("kjoule: ") and not line.startswith("kjoule: warning: ")), "")
    last = lines[-1] if lines else f"exit code {finished.code}"
    is_error = not reason or "Error" in last or last.startswith("program.py: ")
    return "; ".join(dict.fromkeys([reason, last] if reason and is_error else [reason or last]))


def measured(tool, programs, folder, limit_s):
    """Runs a tool. Returns its readings and what all its rows have in common; with an error the readings have no figures."""
    common = {"options": "", "version": "", "clocks": {}, "seconds": None}
    try:
        shown, command = tool.command(programs, folder)
        common |= {"options": " ".join(map(str, shown)), "version": tool.version(programs)}
        with ClockLog(GPU) as clocks:
            finished = run_limited(command, limit_s)
        common |= {"clocks": clocks.summary(), "seconds": round(finished.seconds, 1)}
        if finished.code != 0:
            raise RuntimeError(failure(finished, folder, limit_s))
        readings = tool.read(folder, finished.output)
        if any(reading.sum_us is None and reading.whole_us is None for reading in readings):
            raise ValueError("the tool gave no figure")
        return readings, common
    except KeyError as error:
        reason = f"the tool's result lacks {error}"
    except (RuntimeError, OSError, TypeError, ValueError) as error:
        reason = str(error)
    return [Reading()] * len(tool.titles), {**common, "error": reason.replace(f"{ROOT}/", "")[:LONGEST_ERROR]}


def rows_of(name, programs, limit_s, reference_us):
    """Returns the rows of one tool. `reference_us` is None until the reference has been measured."""
    with tempfile.TemporaryDirectory() as folder:
        readings, common = measured(TOOLS[name], programs, pathlib.Path(folder), limit_s)
    if name == "reference":
        reference_us = readings[0].whole_us
    return [row_of(name, title, reading, reference_us) | common for title, reading in zip(TOOLS[name].titles, readings, strict=True)]


def error_rows(name, error):
    """Returns the rows of a tool that was not started."""
    return [row_of(name, title, Reading(), None) | {"error": error} for title in TOOLS[name].titles]


def row_of(name, title, reading, reference_us):
    return {"tool": name, "title": title, "sum_us": reading.sum_us, "whole_us": reading.whole_us, "launches": reading.launches,
            "reference_us": reference_us, "sum_error_percent": percent_off(reading.sum_us, reference_us),
            "whole_error_percent": percent_off(reading.whole_us, reference_us), **reading.more}
