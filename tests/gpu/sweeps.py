"""The sweeps of the H200's own set: wider and coarser than kjoule's shipped sweeps, and with small shapes."""
import pathlib
import statistics

from catalogue import KJOULE, made
from row_files import unpacked

FEWEST_ROWS = 20  # smallest number of rows on which kjoule trains
SHIPPED = pathlib.Path(__file__).resolve().parent.parent.parent / "data/sampling"
# the range of one number of a shape: from, by, to, and whether `by` is added or multiplied
RANGES = {
    "mp": (1, 2, 2, "mul"), "b": (1, 2, 8, "mul"), "h": (16, 2, 64, "mul"), "kv": (8, 2, 16, "mul"), "l": (512, 2, 4096, "mul"),
    "dim": (1024, 1024, 8192, "add"), "ffn": (2048, 2048, 20480, "add"), "encoders": (4, 4, 24, "add"),
    "rows": (512, 2, 32768, "mul"), "inputs": (1024, 3072, 16384, "add"), "outputs": (1024, 3072, 25600, "add"),
}
# heads of width 64 and 128 occur more often than heads of other widths
OF_ATTENTION = {"dim": (1024, 2, 8192, "mul")}
# of operators that have only the sizes mp, b and l: with the ranges above, they would have 32 shapes
OF_TOKENS = {"l": (512, 512, 4096, "add")}


def ranges(columns):
    """Returns the range of each of an operator's columns; None if kjoule's shipped sweep is used."""
    known = {**RANGES, **(OF_ATTENTION if "h" in columns else {}), **(OF_TOKENS if columns == ["mp", "b", "l"] else {})}
    return [known[column] for column in columns] if all(column in known for column in columns) else None


def size(found):
    """Returns the number of shapes of the sweep."""
    total = 1
    for first, by, last, how in found:
        count, value = 0, first
        while value <= last:
            count, value = count + 1, value * by if how == "mul" else value + by
        total *= count
    return total


def sweep(operator, folder):
    """Writes the operator's configuration to `folder`; returns its path, or its name if kjoule's own sweep is used, and its number of shapes (None: as in that sweep)."""
    lines = (SHIPPED / f"{operator}.yml").read_text().splitlines()
    value = {line.split(":")[0]: line.split(":", 1)[1].strip() for line in lines if ":" in line and not line.startswith("#")}
    columns = [name.strip() for name in value["columns_name"].strip("[]").split(",")][:int(value["first_n_column"])]
    found = ranges(columns)
    if found is None:
        return operator, None
    changed = dict(zip(["starts", "steps", "ends", "operators"], map(list, zip(*found))))
    changed["operators"] = "[" + ", ".join(changed["operators"]) + "]"
    path = folder / f"{operator}.yml"
    path.write_text("".join(f"{key}: {changed.get(key, text)}\n" for key, text in value.items()))
    return path, size(found)


def joined(data, tables):
    """Joins all parts of all sweeps of each operator in `data` into `tables`, times as graphs, except operators with too few rows to train on.

    Files in `data` may be compressed. A shape that several sweeps measured gets the means of its values. Returns the name of the GPU and, for each
    column, the differences of such repeated values, in percent: the noise between runs, which no prediction can be better than.
    """
    with unpacked(data) as plain:
        return joined_plain(plain, tables, data)


def joined_plain(folder, tables, data):
    sweeps = {}
    for part in sorted((folder / "sampling_data").glob("*_*_*_*_*.csv")):
        *name, parts, _ = part.stem.split("_")
        sweeps.setdefault("_".join(name), {}).setdefault(parts, []).append(part)
    if not sweeps:
        raise RuntimeError(f"{data}: no rows there; tests/gpu/sampling set makes them")
    tables.mkdir(parents=True, exist_ok=True)
    noise = {}
    for name, divisions in sweeps.items():
        merged = []
        for number, parts in divisions.items():
            merged.append(folder / f"{name}_{number}.csv")
            made([KJOULE, "sample", "merge", *parts, "-o", merged[-1], "--graph", "--incomplete"])
        rows = rows_of_all(merged, noise)
        if len(rows) > FEWEST_ROWS:
            (tables / f"{name}.csv").write_text("".join(f"{','.join(row)}\n" for row in rows))
    return min(sweeps).split("_")[0], noise


def rows_of_all(files, noise):
    """Returns the header and the rows of tables, sorted by shape; adds the differences of repeated shapes to `noise`.

    Tables of times only lack the columns of energies, whose cells are then empty.
    """
    tables = [[line.split(",") for line in path.read_text().splitlines()] for path in files]
    header = max((table[0] for table in tables), key=len)
    shape = sum("(" not in column for column in header)
    found = {}
    for its_header, *rows in tables:
        if its_header != header[:len(its_header)]:
            raise RuntimeError(f"the columns {its_header} and {header} differ")
        for row in rows:
            found.setdefault(tuple(map(float, row[:shape])), []).append(row + [""] * (len(header) - len(row)))
    for repeated in found.values():
        for column, values in list(zip(header, zip(*repeated)))[shape:]:
            numbers = [float(value) for value in values if value]
            if len(numbers) > 1:
                noise.setdefault(column, []).append(100 * (max(numbers) / min(numbers) - 1))
    return [header, *(mean_row(repeated, shape) for _, repeated in sorted(found.items()))]


def mean_row(repeated, shape):
    """Returns a row whose values after the shape are the means of those of the rows, which have the same shape."""
    if len(repeated) == 1:
        return repeated[0]
    values = [[float(value) for value in values if value] for values in list(zip(*repeated))[shape:]]
    return repeated[0][:shape] + [f"{statistics.fmean(each):.7g}" if each else "" for each in values]
