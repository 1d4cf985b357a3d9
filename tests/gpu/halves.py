"""The two halves of the programs, and the figures of each half and of each machine start in the rows of tests/gpu/run; pure functions."""
import statistics
from dataclasses import dataclass

NEEDED = ["whole_us", "sum_error_percent", "sum_half_width_percent"]


@dataclass(frozen=True)
class Half:
    """The programs of one half by name: titles of the programs that count, and kjoule's messages for those that it refuses."""

    name: str
    titles: dict[str, str]
    refused: dict[str, str]
    energy_titles: dict[str, str] | None = None  # titles of the programs whose energies count, if they differ

    def titles_of_energy(self):
        return self.titles if self.energy_titles is None else self.energy_titles


@dataclass(frozen=True)
class Figures:
    """Figures of several runs together; errors and widths in percent of the whole."""

    runs: int
    mean_error: float  # of the absolute errors
    mean_signed: float
    worst_error: float  # signed
    covered: int  # runs whose own interval contains the whole
    half_width: float  # median
    widest: float


def halves_of(workloads, names, tuning_energy=frozenset()):
    """Returns the halves called `names` with their programs; the energies of `tuning_energy` belong to the tuning half."""
    found = []
    for name in names:
        programs = {key: one for key, one in workloads.items() if one.half == name}
        of_energy = {key: one.title for key, one in workloads.items() if not one.refused and ("tuning" if key in tuning_energy else one.half) == name}
        found.append(Half(name, {key: one.title for key, one in programs.items() if not one.refused},
                          {key: one.refused for key, one in programs.items() if one.refused}, of_energy))
    return found


def has_figures(row):
    return all(row.get(key) is not None for key in NEEDED)


def figures(rows):
    """Returns the Figures of the rows that have any; None if none has."""
    good = [row for row in rows if has_figures(row)]
    if not good:
        return None
    signed = [row["sum_error_percent"] for row in good]
    widths = [row["sum_half_width_percent"] for row in good]
    return Figures(runs=len(good), mean_error=statistics.mean(map(abs, signed)), mean_signed=statistics.mean(signed),
                   worst_error=max(signed, key=abs), covered=sum(abs(error) <= width for error, width in zip(signed, widths)),
                   half_width=statistics.median(widths), widest=max(widths))


def start_of(row):
    return row.get("machine", {}).get("start")


def by_start(rows):
    """Returns the Figures of each machine start, in the order of the rows."""
    starts = dict.fromkeys(start for start in map(start_of, rows) if start is not None)
    found = {start: figures([row for row in rows if start_of(row) == start]) for start in starts}
    return {start: one for start, one in found.items() if one is not None}


def between_starts(rows):
    """Returns the largest difference of the mean signed errors of two machine starts; None if there was only one start."""
    means = [one.mean_signed for one in by_start(rows).values()]
    return max(means) - min(means) if len(means) > 1 else None


def of_program(rows, name):
    return [row for row in rows if row["workload"] == name]


def of_half(rows, half):
    """Returns the rows of the programs that count."""
    return [row for row in rows if row["workload"] in half.titles]


def half_cells(rows, half):
    """Returns the cells of the half's line in a table."""
    own = of_half(rows, half)
    found = figures(own)
    if found is None:
        return [half.name, "0", "0", "-", "-", "-", "-", str(len(own))]
    programs = {row["workload"] for row in own if has_figures(row)}
    apart = [one for one in (between_starts(of_program(own, name)) for name in programs) if one is not None]
    return [half.name, str(len(programs)), str(found.runs), f"{found.mean_error:.2f} % / {found.worst_error:+.2f} %",
            f"{found.covered} of {found.runs} ({100 * found.covered / found.runs:.0f} %)", f"{found.half_width:.2f} % / {found.widest:.2f} %",
            f"{statistics.median(apart):.2f} / {max(apart):.2f}" if apart else "-", str(len(own) - found.runs)]


def start_cells(rows, names, at_least=1):
    """Returns a line of a table for each program and machine start, of programs with at least `at_least` starts."""
    lines = []
    for name in names:
        starts = by_start(of_program(rows, name))
        if len(starts) >= at_least:
            lines += [[names[name], start, str(one.runs), f"{one.mean_signed:+.2f} % / {one.worst_error:+.2f} %", f"{one.covered} of {one.runs}",
                       f"{one.half_width:.2f} % / {one.widest:.2f} %"] for start, one in starts.items()]
    return lines


def refused_lines(rows, half):
    """Returns a line for each program of the half that kjoule refuses, with kjoule's message; the latest one if the program was run."""
    lines = []
    for name, expected in half.refused.items():
        own = of_program(rows, name)
        if measured := sum(map(has_figures, own)):
            said = f"measured in {measured} of {len(own)} runs, though listed as refused ({expected})"
        else:
            said = next((row["error"] for row in reversed(own) if "error" in row), f"{expected} (not run)")
        lines.append(f"- {name}: {said}")
    return lines


HALF_HEADS = ["half", "programs", "runs", "error, mean / worst", "covered", "half-width, median / widest", "starts, median / most", "no figures"]
START_HEADS = ["workload", "start", "runs", "mean error / worst", "covered", "half-width, median / widest"]


def markdown(heads, lines):
    return ["| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *lines]]


def aligned(heads, lines):
    """Returns the table for a terminal."""
    widths = [max(len(cells[i]) for cells in [heads, *lines]) for i in range(len(heads))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in [heads, *lines]]


def halves_terminal(rows, halves):
    """Returns the halves' figures, the refused programs, and the machine starts of programs with several."""
    lines = ["", *aligned(HALF_HEADS, [half_cells(rows, half) for half in halves])]
    refused = [line for half in halves for line in refused_lines(rows, half)]
    starts = [line for half in halves for line in start_cells(rows, {name: name for name in half.titles}, at_least=2)]
    if refused:
        lines += ["", "refused, not counted:", *refused]
    if starts:
        lines += ["", *aligned(START_HEADS, starts)]
    return "\n".join(lines)


def halves_document(rows, halves):
    """Returns the lines of the report's parts on halves and machine starts."""
    lines = ["", "## Halves", "",
             "Constants of kjoule are chosen on the tuning half alone. Starts: how far a program's mean errors at two machine starts are apart at most, "
             "in percentage points. No figures: runs that failed.", "", *markdown(HALF_HEADS, [half_cells(rows, half) for half in halves])]
    refused = [line for half in halves for line in refused_lines(rows, half)]
    if refused:
        lines += ["", "Refused by kjoule today, and not counted:", "", *refused]
    starts = [line for half in halves for line in start_cells(rows, half.titles)]
    return [*lines, "", "## Machine starts", "", "Mean error: signed.", "", *markdown(START_HEADS, starts)] if starts else lines
