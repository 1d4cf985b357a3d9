"""Files of sweeps and of predictions that were changed or cut off: samples, their tables, trained models, and the options that name them."""
from __future__ import annotations

import copy
import gzip
import json
from typing import Any

from .cases import SAMPLES, Case, HostileCases

PART = "GPU_gelu_fp32_1_1"
DATA = f"o/sampling_data/{PART}"
HEADER = {"run": {"kjoule": "0.1.0", "operator": "gelu", "samples": 4, "samples_of_sweep": 4, "node": "vm",
                  "definition": {"active": 6, "columns": ["mp", "b", "l", "dim", "F_dur(us)", "B_dur(us)"], "operator": "gelu", "threads": 1, "wait + warmup": 2}}}
SHAPES = [{"mp": 1, "b": 1, "l": length, "dim": dim} for length in (8, 16) for dim in (8, 16)]
PASSES = [[10.0 + number, 11.0 + number, 12.5 + number] for number in range(4)]
ROWS: list[dict[str, Any]] = [
    {"sample": number + 1, "shape": shape, "status": "measured", "peak_memory_bytes": None, "kernels": None,
     "directions": {name: {"median_us": passes[1] * scale, "passes_us": [one * scale for one in passes], "flops": None, "least_bytes": 64.0}
                    for name, scale in (("forward", 1), ("backward", 2))}}
    for number, (shape, passes) in enumerate(zip(SHAPES, PASSES))]
TABLE = "mp,b,l,dim,F_dur(us),B_dur(us)\n" + "".join(",".join(map(str, shape.values())) + f",{passes[1]:.3f},{2 * passes[1]:.3f}\n" for shape, passes in zip(SHAPES, PASSES))


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def with_row(value: Any, *path: str) -> str:
    """Returns the JSONL with a value at a place of the second line, or without the place if the value is None."""
    row = place = copy.deepcopy(ROWS[0])
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return lines(HEADER, row, *ROWS[1:])


def with_header(**changed: Any) -> str:
    return lines({"run": {**HEADER["run"], **changed}}, *ROWS)


GOOD = lines(HEADER, *ROWS)
DAMAGED_LINES = [(text, f"{line}: this line is not a sample that kjoule wrote{names}") for text, line, names in [
    (lines({}), 1, ""), (lines([]), 1, ""), (lines(None), 1, ""), ("x\n", 1, ""), ("\x00" * 99 + "\n", 1, ""), ("\n" + GOOD, 1, ""),
    (lines({"run": [1]}, *ROWS), 1, ": run is not an object"), (lines({"run": None}, *ROWS), 1, ": run is not an object"),
    (lines({"run": {"definition": 3}}, *ROWS), 1, ": definition is not an object"),
    (with_header(samples=-4), 1, ": samples is not a whole number"), (with_header(samples="4"), 1, ": samples is not a whole number"), (with_header(samples=4.5), 1, ": samples is not"),
    (with_header(samples_of_sweep=10**18), 1, ": samples_of_sweep is not a whole number from 0 to 1000000000"), (with_header(samples_of_sweep=[4]), 1, ": samples_of_sweep is not"),
    (with_row("x", "sample"), 2, ""), (with_row(99, "sample"), 2, ": sample is 99, but the sweep has 4 samples"), (with_row(-1, "sample"), 2, ""), (with_row("good", "status"), 2, ""), (with_row(None, "shape"), 2, ""),
    (with_row({"mp": 1}, "shape"), 2, ""), (with_row("x", "shape", "l"), 2, ""), (with_row(-8, "shape", "l"), 2, ": l is -8, below 0"), (with_row(5, "directions"), 2, ""),
    (with_row([], "directions", "forward", "passes_us"), 2, ": passes_us is empty"), (with_row([-1.0], "directions", "forward", "passes_us"), 2, ": passes_us is -1 us"),
    (with_row([1e300], "directions", "forward", "passes_us"), 2, r": passes_us is 1e\+300 us"), (with_row([0.0], "directions", "forward", "passes_us"), 2, ": passes_us is 0 us"),
    (with_row(["11"], "directions", "forward", "passes_us"), 2, ""), (with_row(12.0, "directions", "forward", "median_us"), 2, ": median_us is not 11 us, the median of passes_us"),
    (with_row("11", "directions", "forward", "median_us"), 2, ": median_us is not 11 us"), (with_row(1e300, "directions", "backward", "median_us"), 2, ": median_us is not 22 us"),
]]
STATUS = [Case("sample status o", rf"{PART}\.jsonl:{names}", {f"{DATA}.jsonl": text, f"{DATA}.csv": TABLE}) for text, names in DAMAGED_LINES] + [
    Case("sample status o", rf"{PART}\.jsonl:1: ", {f"{DATA}.jsonl": gzip.compress(GOOD.encode(), mtime=0) + b"\n", f"{DATA}.csv": TABLE}),
    Case("sample status o", rf"{PART}\.jsonl:1: this line", {f"{DATA}.jsonl": with_header(node=7), f"{DATA}.csv": TABLE}),
    Case("sample status o", "nesting limit", {f"{DATA}.jsonl": '{"run":' + "[" * 100_000 + "\n", f"{DATA}.csv": TABLE}),
    Case("sample status o", "o/sampling_data: contains no samples", {f"{DATA}.csv": TABLE}), Case("sample status o", "o/sampling_data: contains no samples", {"o/sampling_data/x.jsonl": GOOD}),
    Case("sample status o", "o/sampling_data: contains no samples", {"o": None}), Case("sample status o", "o/sampling_data: contains no samples", {"o/sampling_data": "x"}),
    Case("sample status o", "o: is not a folder", {"o": "x"}), Case("sample status nothing", "nothing: no such folder"), Case("sample status o", "is a folder", {f"{DATA}.jsonl/x": ""}),
    *(Case("sample status o", "contains no samples", {f"o/sampling_data/{name}.jsonl": GOOD}) for name in ["GPU_gelu_fp32_0_0", "GPU_gelu_fp32_1_2", f"GPU_gelu_fp32_{'9' * 20}_1", "gelu"]),
]

MERGE = [Case(f"sample merge {PART}.csv -o m.csv", names, {f"{PART}.csv": TABLE, f"{PART}.jsonl": text}) for text, names in DAMAGED_LINES] + [
    Case(f"sample merge {PART}.csv -o m.csv", rf"{PART}\.csv.*{names}", {f"{PART}.csv": table}) for table, names in [
        ("", "empty"), ("a,b\n", "columns are not sizes"), ("F_dur(us)\n", "columns are not sizes"), (TABLE[:30], "ends within this line"), (TABLE[:-3], ":5: the file ends within this line"),
        (TABLE.replace("mp,b,", "mp,mp,"), "two columns have the same name"), (TABLE.replace("B_dur", "F_dur"), "two columns have the same name"), (TABLE.replace("11.000", "x"), ":2: x is not a number"),
        (TABLE.replace("11.000", "-5"), r":2: F_dur\(us\) is -5, which is not a time"), (TABLE.replace("11.000", "0"), r":2: F_dur\(us\) is 0, which is not a time"),
        (TABLE.replace("11.000", "1e300"), r":2: F_dur\(us\) is 1e300, which is not a time"), (TABLE.replace("11.000", "inf"), ":2: inf is not a number"),
        (TABLE.replace("1,1,8,8,", "1,1,8,8.5,"), ":2: dim is 8.5, which is not a size"), (TABLE.replace("1,1,8,8,", "1,1,8,-8,"), ":2: dim is -8, which is not a size"),
        (TABLE.replace("1,1,8,8,", "1,1,8,1e300,"), ":2: dim is 1e300, which is not a size"), (TABLE.replace("1,1,8,8,", f"1,1,8,{'9' * 20},"), ":2: dim is 9+, which is not a size"),
        (TABLE.replace("1,1,8,8,", "1,1,8,,"), ":2: an empty cell"), (TABLE.replace("1,1,8,8,", "1,1,8,"), ":2: has 5 cells instead of 6"), (TABLE.replace("1,1,8,8,", "1,1,8,8,8,"), ":2: has 7 cells"),
        (TABLE.encode("utf-16"), "columns are not sizes"), ("\x00" * 99, "columns are not sizes"), (gzip.compress(TABLE.encode(), mtime=0), "columns are not sizes"),
    ]] + [
    Case(f"sample merge {PART}.csv -o m.csv", r":2: .* does not contain this row", {f"{PART}.csv": TABLE.replace("11.000", "11.001"), f"{PART}.jsonl": GOOD}),
    Case(f"sample merge {PART}.csv -o m.csv", "the row of the shape 1,1,16,16, which was measured, is missing", {f"{PART}.csv": TABLE[:TABLE.rindex("1,1,16,16")], f"{PART}.jsonl": GOOD}),
    Case(f"sample merge {PART}.csv GPU_gelu_fp16_1_1.csv -o m.csv", "belongs to another sweep", {f"{PART}.csv": TABLE, "GPU_gelu_fp16_1_1.csv": TABLE}),
    Case("sample merge x.csv -o m.csv", "x.csv: this is not the name of a part", {"x.csv": TABLE}), Case("sample merge o -o m.csv", "o: this is not the name of a part", {"o": None}),
    Case("sample merge GPU_gelu_fp32_2_1.csv -o m.csv", "missing parts: 2", {"GPU_gelu_fp32_2_1.csv": TABLE}), Case(f"sample merge {PART}.csv -o m.csv --graph", "no times of CUDA graphs", {f"{PART}.csv": TABLE}),
    Case(f"sample merge {PART}.csv -o {PART}.jsonl", "not a table of kjoule sample merge", {f"{PART}.csv": TABLE, f"{PART}.jsonl": GOOD}), Case(f"sample merge {PART}.csv", "-o is missing", {f"{PART}.csv": TABLE}, code=2),
    Case("sample merge -o m.csv", "parts is missing", code=2),
]

# Each table is refused by the command that trains its models, and by the one that predicts from it.
TABLES = [Case(command, rf"G_mine_fp16\.csv.*{names}", {"data/G_mine_fp16.csv": table}) for table, names in [
    ("", ""), ("rows\n", ""), (SAMPLES[:-4], ""), (SAMPLES.replace("64,128,", "64,,", 1), ":2: columns is ''"), (SAMPLES.replace("64,128,", "64,x,", 1), ":2: columns is 'x'"),
    (SAMPLES.replace("64,128,", "64,-128,", 1), ":2: columns is '-128'"), (SAMPLES.replace("64,128,", "64,1e300,", 1), ":2: columns is '1e300'"), (SAMPLES.replace("64,128,", "64,128.5,", 1), ":2: columns is '128.5'"),
    (SAMPLES.replace("64,128,1", "64,128,nan", 1), ":2: .*nan"), (SAMPLES.replace("64,128,", "64,128,-", 1), ":2: the forward time is '-"), (SAMPLES.replace("64,128,10", "64,128,1e300", 1), ":2: the forward time is '1e300"),
    (SAMPLES.replace("64,128,10.192", "64,128,0", 1), ":2: the forward time is '0'"), (SAMPLES.replace("rows,columns", "rows,rows"), "rows"), (SAMPLES + SAMPLES, "rows"), (SAMPLES.encode("utf-16"), ""),
    ("\n".join(SAMPLES.splitlines()[:5]) + "\n", ""), (SAMPLES.replace("64,128,", "64,128,1,1,", 1), ":2: the row has 6 cells"), (gzip.compress(SAMPLES.encode(), mtime=0), "")]
    for command in ["train data -o models", "predict operator G mine fp16 fwd 64 128 --data data --models models"]] + [
    Case("train data -o models", "data: this folder contains (only parts|no table)", {f"data/{name}": SAMPLES}) for name in
    ["G.csv", "G_mine.csv", "G_mine_fp8.csv", "G__fp16.csv", "G_mine_fp16_1_1.csv", "G_mine_fp16.CSV", "G_mine_fp16.csv.gz"]] + [
    Case(f"predict operator {words} --data {{data}}", names) for words, names in [
        ("G mine fp16 fwd 64", "mine takes 2 numbers, but was given 1"), ("G mine fp16 fwd 64 128 256", "mine takes 2 numbers, but was given 3"), ("G mine fp16 step 64 128", "no step times"),
        ("G mine bf16 fwd 64 128", "no data of mine in bf16"), ("G yours fp16 fwd 64 128", "no data of operator yours"), ("H mine fp16 fwd 64 128", "no data of GPU H"),
        ("G mine fp16 fwd 64.5 128", "64.5"), ("G mine fp16 fwd 0 128", "rows 0"), ("G mine fp16 sideways 64 128", "sideways")]] + [
    Case(f"predict operator {words}", names, code=2) for words, names in [
        ("gelu NVIDIAH200 fp16 fwd 1 2 3 4", "gelu: this operator is in the place of the GPU"), ("NVIDIAH200 fp16 gelu fwd 1 2 3 4", "fp16: this precision is in the place of the operator"),
        ("NVIDIAH200 gelu fwd fp16 1 2 3 4", "fwd: this direction is in the place of the precision"), ("NVIDIAH200 gelu fp16 1 2 3 4", "1: this size is in the place of the direction"),
        ("linear1 fp16 fwd 1 2 3 4", "linear1: this operator is in the place of the GPU"), ("NVIDIAH200 gelu fp16 fwd", "shape is missing"), ("NVIDIAH200 gelu fp16", "direction is missing")]]


class Sweeps(HostileCases):
    def test_status(self) -> None:
        self.check(STATUS)

    def test_merge(self) -> None:
        self.check(MERGE)

    def test_tables_and_predictions(self) -> None:
        self.check(TABLES)

    def test_the_unchanged_files_are_accepted(self) -> None:
        """Otherwise the cases above might be refused for another reason."""
        done = self.run_case(Case("sample status o", "", {f"{DATA}.jsonl": GOOD, f"{DATA}.csv": TABLE}))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("4 of 4 samples", done.stdout)
        done = self.run_case(Case(f"sample merge {PART}.csv -o m.csv", "", {f"{PART}.csv": TABLE, f"{PART}.jsonl": GOOD}))
        self.assertEqual((done.returncode, self.changed), (0, {"m.csv"}), done.stderr)

    def test_a_sweep_without_a_complete_line_is_not_complete(self) -> None:
        for text in ["", GOOD[:50], "\x00" * 99, "[" * 100_000]:
            with self.subTest(text[:20]):
                done = self.run_case(Case("sample status o", "", {f"{DATA}.jsonl": text, f"{DATA}.csv": TABLE}))
                self.assertEqual((done.returncode, done.stderr), (1, ""))
