"""Renders the rows of tests/gpu/run as a table on a terminal and as a document; pure functions."""
import statistics
from dataclasses import dataclass

from energy_rendering import energy_document, energy_summaries
from halves import between_starts, figures, halves_document, has_figures


@dataclass(frozen=True)
class Summary:
    """All runs of one workload; `error` is the reason why there is no figure, or the error of one of the runs."""

    name: str
    runs: int
    error: str = ""
    launches: int = 0
    eager_us: float | None = None
    whole_us: float = 0.0
    mean_error: float = 0.0  # of the absolute errors, percent of the whole
    worst_error: float = 0.0  # signed
    half_width: float = 0.0  # median, percent
    widest: float = 0.0
    covered: int = 0
    isolated: float | None = None  # sum of the kernels in isolation, percent above the whole
    above_first: float | None = None  # the whole, percent above the one before any other graph was opened, farthest from zero
    half_of_places: float | None = None  # kernels at half of their places from those at the others, mean error in percent, median
    different: int = 0  # launches replayed to other bits, most in a run
    audited: int = 0  # runs in which the device ran just what was recorded
    kernels_apart: float | None = None  # in context from the device's timeline, share-weighted percent, median
    between_starts: float | None = None  # mean signed errors of two machine starts, most apart, percentage points
    held: float | None = None  # s from pausing the program to the result, median
    seconds: float = 0.0


def median(values):
    """Returns the median of the values; None if there are none."""
    return statistics.median(values) if values else None


def median_of(rows, key):
    """Returns the median of the rows' values under `key`; None if no row has one."""
    return median([row[key] for row in rows if row.get(key) is not None])


def percents_above(rows, key, base):
    """Returns, for each row that has both, by how many percent its value `key` is above its value `base`."""
    return [100 * (row[key] / row[base] - 1) for row in rows if row.get(key) is not None and row.get(base)]


def number(value, form):
    return "-" if value is None else format(value, form)


def summary(name, rows):
    """Returns the Summary of `rows`, which are all of one workload; None if there are none."""
    good = [row for row in rows if has_figures(row)]
    errors = [row["error"] for row in rows if "error" in row]
    if not rows or not good:
        return Summary(name, 0, errors[-1]) if rows else None
    together = figures(good)
    return Summary(
        name=name,
        runs=together.runs,
        error=errors[-1] if errors else "",
        launches=good[-1]["launches"],
        eager_us=median_of(good, "program_iteration_us"),
        whole_us=statistics.median(row["whole_us"] for row in good),
        mean_error=together.mean_error,
        worst_error=together.worst_error,
        half_width=together.half_width,
        widest=together.widest,
        covered=together.covered,
        isolated=median(percents_above(good, "isolated_sum_us", "whole_us")),
        above_first=max(percents_above(good, "whole_us", "undisturbed_whole_us"), key=abs, default=None),
        half_of_places=median_of([row["half_of_places"] for row in good if row.get("half_of_places")], "mean_error_percent"),
        different=max(len(row["different"]) for row in good),
        audited=sum(row.get("audit", {}).get("equal") is True for row in good),
        kernels_apart=median_of(good, "timeline_difference_percent"),
        between_starts=between_starts(good),
        held=median_of(good, "paused_s"),
        seconds=statistics.median(row["seconds"] for row in good),
    )


def summaries(rows, names):
    """Returns one Summary for each of `names` that has rows, in their order."""
    found = (summary(name, [row for row in rows if row["workload"] == name]) for name in names)
    return [each for each in found if each is not None]


def terminal_table(found):
    """Returns the table for a terminal."""
    lines = [f"{'workload':<22} {'runs':>4} {'launches':>8} {'eager us':>9} {'whole us':>9} {'error %, mean':>13} {'worst':>6}"
             f" {'+-%':>5} {'covered':>8} {'/first %':>8} {'half %':>6} {'isolated %':>11} {'bits differ':>11} {'held s':>6} {'s':>5}"]
    for one in found:
        if one.runs == 0:
            lines.append(f"{one.name:<22} {one.runs:>4} {one.error[:120]}")
            continue
        lines.append(f"{one.name:<22} {one.runs:>4} {one.launches:>8} {number(one.eager_us, '.0f'):>9} {one.whole_us:>9.1f}"
                     f" {one.mean_error:>13.2f} {one.worst_error:>+6.2f} {one.half_width:>5.2f} {one.covered:>8}"
                     f" {number(one.above_first, '+.2f'):>8} {number(one.half_of_places, '.2f'):>6} {number(one.isolated, '+.1f'):>11}"
                     f" {one.different:>11} {number(one.held, '.1f'):>6} {one.seconds:>5.0f}")
    return "\n".join(lines)


def machine_line(rows):
    """Returns all GPUs, drivers, CUDA versions and other versions that occur in the rows."""
    def all_of(values):
        return ", ".join(sorted({str(value) for value in values if value}))

    devices = [row["device"] for row in rows if "device" in row]
    machines = [row["machine"] for row in rows if "machine" in row]
    cuda = [f"{v // 1000}.{v % 1000 // 10}" for v in (device.get("cuda_driver_version", 0) for device in devices) if v]
    said = {
        "": all_of(device.get("name") for device in devices),
        "driver ": all_of(machine.get("driver") for machine in machines),
        "CUDA ": all_of(cuda),
        "torch ": all_of(machine.get("torch") for machine in machines),
        "transformers ": all_of(machine.get("transformers") for machine in machines),
        "kjoule ": all_of(machine.get("kjoule") for machine in machines),
    }
    return "; ".join(word + value for word, value in said.items() if value)


LEGEND = ("Error: of the sum of kernels in context, against the whole. Covered: runs whose own 95 % interval holds the whole. First: the "
          "whole against one iteration before any other graph was opened, in percent, where they differ most. Half: each kernel at half of its "
          "places, predicted from the other half, mean error in percent. Isolated: the sum of kernels in isolation, against the whole. Bits: launches "
          "that replayed to other bits than recorded, most in a run. Audited: runs "
          "in which CUPTI's activity records are just the recorded launches. Kernels: their times in context against CUPTI's inside the played "
          "whole, share-weighted. Starts: the mean errors of two machine starts, in percentage points. Held: from holding the program to the answer.")


def program_line(one, title):
    return (f"| {title} | {one.runs} | {one.launches} | {number(one.eager_us, '.0f')} | {one.whole_us:.1f}"
            f" | {one.mean_error:.2f} % / {one.worst_error:+.2f} % | {one.covered} of {one.runs}"
            f" | {one.half_width:.2f} % / {one.widest:.2f} % | {number(one.above_first, '+.2f')} | {number(one.half_of_places, '.2f')}"
            f" | {number(one.isolated, '+.1f')} % | {one.different} | {one.audited} of {one.runs}"
            f" | {number(one.kernels_apart, '.1f')} % | {number(one.between_starts, '.2f')} | {number(one.held, '.1f')} | {one.seconds:.0f} |")


def line_of_all(good):
    runs = sum(one.runs for one in good)
    mean = sum(one.mean_error * one.runs for one in good) / runs
    worst = max((one.worst_error for one in good), key=abs)
    widest = max(one.widest for one in good)
    return (f"| all | {runs} | | | | {mean:.2f} % / {worst:+.2f} % | {sum(one.covered for one in good)} of {runs}"
            f" | {statistics.median(one.half_width for one in good):.2f} % / {widest:.2f} % | | | | | {sum(one.audited for one in good)} of {runs} | | | | |")


def program_table(found, titles):
    """Returns the lines of the table of one half."""
    good = [one for one in found if one.runs]
    return [
        "| workload | runs | launches | eager us | whole us | error, mean / worst | covered | half-width, median / widest | first | half | isolated | bits | "
        "audited | kernels | starts | held, s | s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *(program_line(one, titles[one.name]) for one in good),
        *([line_of_all(good)] if good else []),
    ]


def document(rows, halves):
    """Returns the report on these halves as Markdown; refused programs are only listed."""
    names = {name for half in halves for name in half.titles | half.titles_of_energy()}
    counted = [row for row in rows if row["workload"] in names]
    lines = ["# Sum against whole on a GPU", "", f"Written by `tests/gpu/run --report` from its rows. {machine_line(counted)}.", "", LEGEND]
    wrong = []
    for half in halves:
        either = half.titles | half.titles_of_energy()
        found = summaries(rows, either)
        lines += [*([] if len(halves) == 1 else ["", f"## The {half.name} half"]), "",
                  *program_table([one for one in found if one.name in half.titles], half.titles)]
        wrong += [f"- {either[one.name]}: {one.error}" for one in found if one.error]
    kept = [row["bytes_a_launch"] for row in counted if row.get("bytes_a_launch")]
    if kept:
        lines += ["", f"Host memory kept for a launch besides its arguments and the host ends of copies: at most {max(kept):.0f} B."]
    lines += halves_document(rows, halves)
    for half in halves:
        heading = "## Energy" if len(halves) == 1 else f"## Energy, {half.name} half"
        lines += energy_document(energy_summaries(rows, half.titles_of_energy()), half.titles_of_energy(), heading)
    return "\n".join([*lines, *(["", "What was wrong:", "", *dict.fromkeys(wrong)] if wrong else [])]) + "\n"
