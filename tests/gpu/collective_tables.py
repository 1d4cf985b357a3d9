"""Tables of collectives, from the rows of `kjoule collectives`: to ship them, and to predict sizes that are left out of them."""
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

from catalogue import KJOULE

TABLE_NAMES = {"all_reduce": "allreduce", "all_gather": "allgather", "reduce_scatter": "reducescatter", "broadcast": "broadcast",
               "all_to_all": "alltoall", "send_receive": "p2p"}
STATES_PART = {"all_gather"}  # the shape in its tables is the elements of one part
WIDEST = 0.05  # half of the interval of a time in a table, as a share of the time
FEWEST = 11  # sizes of a table; fewer are too few for a prediction (src/prediction/collective_model.hpp)
HAS_IN_PLACE = {"all_reduce", "all_gather", "reduce_scatter", "broadcast"}


def is_in_tables(row):
    return (row["by"] == "kjoule" and not row["stand_in"] and row.get("graph", False)
            and (row["in_place"] or row["operation"] not in HAS_IN_PLACE)
            and row["time_high_us"] - row["time_low_us"] <= 2 * WIDEST * row["time_us"])


def tables_of(rows):
    """Returns the rows of each table by size: {"NVIDIAH200_allreduce_fp16_1_2": {2048: row}}. Only times in a CUDA graph are in tables, as
    those of operators; the newest row of a size is kept."""
    tables = {}
    for row in filter(is_in_tables, rows):
        stem = (f"{row['gpu'].replace(' ', '')}_{TABLE_NAMES[row['operation']]}_{row['precision']}_{row['nodes']}_{row['gpus_per_node']}")
        ranks = row["nodes"] * row["gpus_per_node"]
        shape = row["elements"] // (ranks if row["operation"] in STATES_PART else 1)
        tables.setdefault(stem, {})[shape] = row
    return {stem: table for stem, table in tables.items() if len(table) >= FEWEST}


def table_text(table):
    """Returns the CSV of a table, in the columns that `kjoule collectives` writes; the energy is that of one GPU."""
    has_energy = any(row.get("joules") is not None for row in table.values())
    lines = ["shape,nodes,GPUsPerNode,dur(us)" + (",energy(J)" if has_energy else "")]
    for shape, row in sorted(table.items()):
        line = f"{shape},{row['nodes']},{row['gpus_per_node']},{row['time_us']:.3f}"
        joules, ranks = row.get("joules"), row["nodes"] * row["gpus_per_node"]
        lines.append(line + ("" if not has_energy else "," if joules is None else f",{joules / ranks:.6g}"))
    return "\n".join(lines) + "\n"


def write_tables(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    for stem, table in tables_of(rows).items():
        (folder / f"{stem}.csv").write_text(table_text(table), encoding="utf-8")


def predict(folder, stem, shape, row):
    gpu, operation, precision = stem.split("_")[:3]
    command = [KJOULE, "predict", "operator", gpu, operation, precision, "step", shape, row["nodes"], row["gpus_per_node"], "--data", folder, "--json"]
    return json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout)


def apart(stem, table, shape, row):
    """Predicts a size from a table without it. Returns the errors of time and energy (None if there is none), and whether the interval contains
    the time."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / f"{stem}.csv").write_text(table_text(table), encoding="utf-8")
        predicted = predict(folder, stem, shape, row)
    low, high = predicted["interval_90_us"]
    joules, ranks = row.get("joules"), row["nodes"] * row["gpus_per_node"]
    energy = None if joules is None or predicted["predicted_joules"] is None else predicted["predicted_joules"] * ranks / joules - 1
    return predicted["predicted_us"] / row["time_us"] - 1, energy, low <= row["time_us"] <= high


def is_doubled(row):
    """Whether a sweep that begins at 4 KiB and doubles has the size."""
    return (row["bytes"] & (row["bytes"] - 1)) == 0


def left_out(rows):
    """Yields (table, bytes, errors, ...) of each inner size, predicted from the other rows of its table."""
    for stem, table in tables_of(rows).items():
        for shape in sorted(table)[1:-1]:
            others = {other: row for other, row in table.items() if other != shape}
            yield stem, table[shape]["bytes"], *apart(stem, others, shape, table[shape])


def held_out(rows):
    """Yields the same of each size between those of a sweep that doubles, predicted from that sweep."""
    for stem, table in tables_of(rows).items():
        doubled = {shape: row for shape, row in table.items() if is_doubled(row)}
        for shape in sorted(set(table) - set(doubled)):
            yield stem, table[shape]["bytes"], *apart(stem, doubled, shape, table[shape])


def print_errors(what, found, most):
    """Prints the errors of predicted times or energies, for each table and together. `most` is the goal."""
    for stem in dict.fromkeys(stem for stem, *_ in found):
        errors = {size: error for of, size, error in found if of == stem}
        worst = max(errors, key=lambda size: abs(errors[size]))
        print(f"  {stem:<36}{len(errors):>3} sizes: median error {statistics.median(map(abs, errors.values())):.1%}, "
              f"largest {errors[worst]:+.1%} at {worst / 1024:g} KiB")
    errors = [abs(error) for *_, error in found]
    if errors:
        print(f"  {what} of {len(errors)} sizes: median error {statistics.median(errors):.1%}, mean {statistics.mean(errors):.1%}, "
              f"largest {max(errors):.1%}; {sum(error <= most for error in errors)} within {most:.0%}")


def print_left_out(rows):
    for title, found in [("sizes between those of a sweep that doubles", list(held_out(rows))), ("each size from all others", list(left_out(rows)))]:
        print(title)
        print_errors("times", [(stem, size, time) for stem, size, time, _, _ in found], 0.05)
        print_errors("energies", [(stem, size, energy) for stem, size, _, energy, _ in found if energy is not None], 0.08)
        inside = sum(is_inside for *_, is_inside in found)
        print(f"  {inside} of {len(found)} times are inside their intervals ({inside / max(1, len(found)):.0%})")
