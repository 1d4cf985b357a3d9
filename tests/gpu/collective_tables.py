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
HAS_IN_PLACE = {"all_reduce", "all_gather", "reduce_scatter", "broadcast"}


def is_in_tables(row):
    return row["by"] == "kjoule" and not row["stand_in"] and (row["in_place"] or row["operation"] not in HAS_IN_PLACE)


def tables_of(rows):
    """Returns the rows of each table by size: {"NVIDIAH200_allreduce_fp16_1_2": {2048: row}}. The newest row of a size is kept."""
    tables = {}
    for row in filter(is_in_tables, rows):
        stem = (f"{row['gpu'].replace(' ', '')}_{TABLE_NAMES[row['operation']]}_{row['precision']}_{row['nodes']}_{row['gpus_per_node']}")
        ranks = row["nodes"] * row["gpus_per_node"]
        shape = row["elements"] // (ranks if row["operation"] in STATES_PART else 1)
        tables.setdefault(stem, {})[shape] = row
    return tables


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


def left_out(rows):
    """Yields (table, bytes, error, whether the interval contains the time) of each inner size, predicted from the other rows of its table."""
    for stem, table in tables_of(rows).items():
        for shape in sorted(table)[1:-1]:
            with tempfile.TemporaryDirectory() as folder:
                others = {other: row for other, row in table.items() if other != shape}
                (pathlib.Path(folder) / f"{stem}.csv").write_text(table_text(others), encoding="utf-8")
                predicted = predict(folder, stem, shape, table[shape])
            low, high = predicted["interval_90_us"]
            measured = table[shape]["time_us"]
            yield stem, table[shape]["bytes"], predicted["predicted_us"] / measured - 1, low <= measured <= high


def print_left_out(rows):
    found = list(left_out(rows))
    for stem in dict.fromkeys(stem for stem, *_ in found):
        errors = {size: error for of, size, error, _ in found if of == stem}
        worst = max(errors, key=lambda size: abs(errors[size]))
        print(f"{stem:<36}{len(errors):>3} sizes: median error {statistics.median(map(abs, errors.values())):.1%}, "
              f"largest {errors[worst]:+.1%} at 2^{math.log2(worst):g} bytes")
    errors = [abs(error) for _, _, error, _ in found]
    inside = sum(is_inside for *_, is_inside in found)
    print(f"{len(errors)} sizes that were left out: median error {statistics.median(errors):.1%}, mean {statistics.mean(errors):.1%}, "
          f"largest {max(errors):.1%}; {sum(error <= 0.05 for error in errors)} within 5 %; {inside} inside their intervals ({inside / len(errors):.0%})")
