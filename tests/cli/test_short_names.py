"""Short names of kernels: those of all real kernels in the repository, and --full-names."""
import functools
import gzip
import json
import pathlib
import re
import sys

from .test_commands import InAFolder

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "measurements"))
import row_files  # noqa: E402
LONGEST = 60
ADD = ("void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul> >"
       "(int, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul>)")
GEMMS = [f"nvjet_sm90_tst_64x64_64x13_{cluster}_bz_NNT" for cluster in ("1x2_h", "2x1_v")]


def names_in(value):
    """Yields the names of the kernels in a row of a measurement, however deep."""
    if isinstance(value, dict):
        kernels = value.get("kernels")
        for kernel in kernels if isinstance(kernels, list) else []:
            if isinstance(kernel.get("name"), str):
                yield kernel["name"]
        for key in ("names_alone", "names_like_trace"):
            yield from (pair[0] for pair in (value.get(key) or {}).get("other", []))
        for part in value.values():
            yield from names_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from names_in(part)


@functools.cache
def real_names():
    """The names of real kernels by the file of the repository that has them."""
    files = {row_files.plain(path) for path in ROOT.glob("measurements/**/*.jsonl*")}
    tables = {file.name: set(names_in(row_files.read_rows(file))) for file in files}
    with gzip.open(ROOT / "tests/cli/data/gpt2_train_step_h200.json.gz") as file:
        events = json.load(file)["traceEvents"]
    tables["gpt2"] = {event["name"] for event in events if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")}
    lines = (ROOT / "src/recording/kernel_rules_test.tsv").read_text().splitlines()[1:]
    tables["kernel_rules_test.tsv"] = {line.split("\t")[-1] for line in lines}
    return {table: sorted(names) for table, names in tables.items() if names}


class ShortNames(InAFolder):
    def table_of(self, names):
        """A kernel table with these names."""
        path = self.folder / "table.jsonl"
        path.write_text("".join(json.dumps({"name": name, "count": 1, "grid": [1, 1, 1], "block": [32, 1, 1]}) + "\n" for name in names))
        return path

    def short_names_of(self, names):
        """Operators beside kernels would be ignored, because their times contain those of the kernels."""
        of_cpu = [name for name in names if name.startswith("aten::")]
        listed = [json.loads(line) for part in (of_cpu, [name for name in names if name not in of_cpu]) if part
                  for line in self.succeed("kernels", self.table_of(part), "--jsonl").splitlines()]
        self.assertEqual(len(listed), len(names))
        return {kernel["name"]: kernel["short_name"] for kernel in listed}

    def check(self, names):
        """Checks the short names of a table. Mangled and demangled names of one kernel are not in one table."""
        short_names = self.short_names_of(names)
        self.assertEqual(len(set(short_names.values())), len(names))
        for full, short in short_names.items():
            self.assertLessEqual(len(short.encode()), LONGEST, full)
            self.assertFalse(re.search(r"_Z[0-9N]|anonymous|::\{lambda|<|(?<!-)>", short), f"{short} of {full}")
            self.assertTrue(short, full)
        return short_names

    def test_all_real_names_are_short_distinct_and_readable(self):
        every = set().union(*real_names().values())
        self.assertGreaterEqual(len(every), 500)
        self.check(sorted(every))

    def test_names_are_distinct_within_each_table(self):
        for table in ("gpt2", "replay.jsonl", "NVIDIAH200_moe_bf16_271_2.jsonl", "NVIDIAH200_linear_bf16_17_2.jsonl"):
            with self.subTest(table):
                self.check(real_names()[table])

    def test_few_real_names_need_a_number(self):
        short_names = self.check(sorted(set().union(*real_names().values())))
        numbered = [short for short in short_names.values() if re.search(r" #\d+$", short)]
        self.assertLessEqual(len(numbered), 10, numbered)

    def test_tables_show_short_names_and_full_ones_on_request(self):
        table = self.table_of([ADD, *GEMMS])
        for options in ([], ["--by", "name"]):
            with self.subTest(options):
                text = self.succeed("kernels", table, *options)
                self.assertIn("add half x8 (elementwise)", text)
                self.assertIn("nvjet GEMM 64x64x64 bf16 NNT [1x2]", text)
                self.assertNotIn("at::native", text)
                full = self.succeed("kernels", table, *options, "--full-names")
                self.assertIn(ADD, full)
                self.assertNotIn("elementwise)", full)

    def test_json_and_csv_have_both_names(self):
        as_json, rows = self.printed_in_each_form("kernels", self.table_of([ADD, *GEMMS]))
        expected = {ADD: "add half x8 (elementwise)", GEMMS[0]: "nvjet GEMM 64x64x64 bf16 NNT [1x2]", GEMMS[1]: "nvjet GEMM 64x64x64 bf16 NNT [2x1]"}
        self.assertEqual({kernel["name"]: kernel["short_name"] for kernel in json.loads(as_json)["kernels"]}, expected)
        self.assertEqual({row["name"]: row["short_name"] for row in rows}, expected)
        self.assertEqual(list(rows[0])[-1], "short_name")

    def test_printed_tables_can_be_imported_again(self):
        table = self.table_of([ADD, *GEMMS])
        for option, name in (("--csv", "again.csv"), ("--jsonl", "again.jsonl")):
            again = self.folder / name
            again.write_text(self.succeed("kernels", table, option))
            self.assertEqual(self.succeed("kernels", again, "--csv"), self.succeed("kernels", table, "--csv"))

    def test_a_recordings_kernels_keep_what_follows_the_name(self):
        path = self.folder / "recording.jsonl"
        header = {"format": "kjoule-recording", "version": 1, "program": {}, "device": {}, "launches": 1}
        launch = {"name": ADD, "tier": 0, "signature": f"{ADD}, grid 12x1x1", "detail": {}}
        path.write_text(json.dumps(header) + "\n" + json.dumps(launch) + "\n")
        self.assertIn("add half x8 (elementwise), grid 12x1x1", self.succeed("kernels", path))
        self.assertIn(f"{ADD}, grid 12x1x1", self.succeed("kernels", path, "--full-names"))
        self.assertIn("add half x8 (elementwise)", self.succeed("kernels", path, "--jsonl"))

    def test_names_of_hostile_tables_are_short_and_printable(self):
        names = ["\x1b[2J" + "x" * 200, "\u202eevil", "f<" * 5000, "void f<" + "a," * 3000 + ">()", "(" * 2000, "*" * 300, "${x}", "\u00e4" * 100]
        short_names = self.short_names_of(names)
        self.assertEqual(len(set(short_names.values())), len(names))
        self.assertTrue(all(len(short.encode()) <= LONGEST for short in short_names.values()))
        self.assertNotIn("\x1b", self.succeed("kernels", self.table_of(names)))
