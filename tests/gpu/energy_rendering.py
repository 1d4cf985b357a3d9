"""Renders the energies and powers in the rows of tests/gpu/run --energy; pure functions."""
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class EnergySummary:
    """All runs of one workload; `missing` is the reason why a run has no figure."""

    name: str
    runs: int
    missing: str = ""
    whole_j: float = 0.0  # median
    whole_w: float = 0.0
    mean_error: float = 0.0  # of the absolute errors, percent of the whole
    worst_error: float = 0.0  # signed
    mean_watts_error: float = 0.0
    worst_watts_error: float = 0.0
    half_width: float = 0.0  # median, percent
    widths: tuple = ()  # of all runs, percent
    widest: float = 0.0
    covered: int = 0
    meters_apart: float | None = None  # difference of the second meter's whole from the first's, percent, the largest
    answered: float | None = None  # s from pausing the program to the last figure, median
    seconds: float = 0.0  # of the whole command, median
    again: int = 0  # runs whose energies were estimated again from their readings


def meters_apart(energy):
    """Returns by how many percent the second meter's energy of the whole differs from the first's; None if one is missing."""
    seen = [meter.get("whole_joules") for meter in energy["meters"]]
    return 100 * (seen[1] / seen[0] - 1) if len(seen) > 1 and seen[0] and seen[1] else None


def answered(row):
    """Returns the time in s from pausing the program to the last figure; None if the row does not contain it."""
    return max(row.get("phases_s", {}).values(), default=None)


def energy_summary(name, rows):
    """Returns the EnergySummary of `rows`, which are all of one workload; None if no row has an energy."""
    measured = [row for row in rows if row.get("energy")]
    good = [row for row in measured if "sum_joules" in row["energy"]]
    missing = [row["energy"]["missing"] for row in measured if "missing" in row["energy"]]
    if not good:
        return EnergySummary(name, 0, missing[-1]) if missing else None
    energies = [row["energy"] for row in good]
    signed = [energy["error_percent"] for energy in energies]
    watts = [energy["watts_error_percent"] for energy in energies]
    widths = [energy["half_width_percent"] for energy in energies]
    apart = [one for one in map(meters_apart, energies) if one is not None]
    held = [one for one in map(answered, good) if one is not None]
    return EnergySummary(
        name=name,
        runs=len(good),
        missing=missing[-1] if missing else "",
        whole_j=statistics.median(energy["whole_joules"] for energy in energies),
        whole_w=statistics.median(energy["whole_watts"] for energy in energies),
        mean_error=statistics.mean(map(abs, signed)),
        worst_error=max(signed, key=abs),
        mean_watts_error=statistics.mean(map(abs, watts)),
        worst_watts_error=max(watts, key=abs),
        half_width=statistics.median(widths),
        widths=tuple(widths),
        widest=max(widths),
        covered=sum(abs(error) <= width for error, width in zip(signed, widths)),
        meters_apart=max(apart, key=abs) if apart else None,
        answered=statistics.median(held) if held else None,
        seconds=statistics.median(row["seconds"] for row in good),
        again=sum("estimated_again" in energy for energy in energies),
    )


def energy_summaries(rows, names):
    """Returns one EnergySummary for each of `names` whose rows measured energy, in their order."""
    found = (energy_summary(name, [row for row in rows if row["workload"] == name]) for name in names)
    return [each for each in found if each is not None]


def apart(one):
    return "-" if one.meters_apart is None else f"{one.meters_apart:+.2f}"


def energy_table(found):
    """Returns the table for a terminal; empty if no energy was measured."""
    if not found:
        return ""
    lines = [f"{'energy':<22} {'runs':>4} {'whole mJ':>10} {'W':>5} {'error %, mean':>13} {'worst':>6} {'+-%':>5} {'covered':>8}"
             f" {'W error %':>9} {'meters %':>8} {'s':>5}"]
    for one in found:
        if one.runs == 0:
            lines.append(f"{one.name:<22} {one.runs:>4} {one.missing[:120]}")
            continue
        lines.append(f"{one.name:<22} {one.runs:>4} {1e3 * one.whole_j:>10.2f} {one.whole_w:>5.0f} {one.mean_error:>13.2f}"
                     f" {one.worst_error:>+6.2f} {one.half_width:>5.2f} {one.covered:>8} {one.mean_watts_error:>9.2f}"
                     f" {apart(one):>8} {one.seconds:>5.0f}")
    return "\n".join(lines) + "\n"


def energy_document(found, titles, heading="## Energy"):
    """Returns the lines of the report's part on energy; none if no energy was measured."""
    good = [one for one in found if one.runs]
    if not good:
        return []
    lines = ["", heading, "",
             "Of one iteration. Error: of the sum of kernels against the whole; likewise mean power. Covered: runs whose own 95 % interval holds the whole. "
             "Meters: power samples against the energy counter in the whole, furthest. Answered: from holding the program to the last figure, "
             "latency included; s: the whole command.", "",
             "| workload | runs | whole mJ | W | error, mean / worst | half-width, median / widest | covered | power error, mean / worst | meters | answered, s | s |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for one in good:
        lines.append(f"| {titles[one.name]} | {one.runs} | {1e3 * one.whole_j:.2f} | {one.whole_w:.0f} | {one.mean_error:.2f} % / {one.worst_error:+.2f} %"
                     f" | {one.half_width:.2f} % / {one.widest:.2f} % | {one.covered} of {one.runs}"
                     f" | {one.mean_watts_error:.2f} % / {one.worst_watts_error:+.2f} % | {apart(one)} %"
                     f" | {'-' if one.answered is None else format(one.answered, '.0f')} | {one.seconds:.0f} |")
    runs = sum(one.runs for one in good)
    mean = sum(one.mean_error * one.runs for one in good) / runs
    worst = max((one.worst_error for one in good), key=abs)
    again = sum(one.again for one in good)
    lines.append(f"| all | {runs} | | | {mean:.2f} % / {worst:+.2f} % | {statistics.median(width for one in good for width in one.widths):.2f} % /"
                 f" {max(one.widest for one in good):.2f} % | {sum(one.covered for one in good)} of {runs} | | | | |")
    if again:
        lines += ["", f"Of these runs {again} were estimated again from their readings by `bench/energy_again`."]
    return lines
