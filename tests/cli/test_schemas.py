"""The reports that kjoule writes have the form that docs/reference/schemas describes."""
import copy
import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import jsonschema
import referencing

from .helpers import TINY, run_command
from .test_commands import KJOULE, ON_CPU, ROOT, InAFolder, run
from .driver import ENERGY_COUNTER, PROGRAM, STAND_INS
from .test_energy import EnergyCase, kernel
from .trained_models import share_trained_models

SCHEMAS = ROOT / "docs/reference/schemas"
REPORTS = ["comparison_report", "energy_report", "full_model_timing", "gpu_energy_report", "isolated_kernels_timing", "layers"]
MAY_BE_ABSENT = {"replayed", "isolated", "energy", "energy_above_idle_joules", "energy_missing", "iterations_missing", "kernel_time", "log_cut", "missing", "note", "ranks", "replayed_on", "replayed_from_signatures"}
EXAMPLE = "llemma_7b_4_2_2_P"


@functools.cache
def documents():
    """Returns all schemas by the names of their files."""
    return {path.name: json.loads(path.read_text()) for path in SCHEMAS.glob("*.schema.json")}


@functools.cache
def validator(name):
    """Returns what validates against that schema, whose references lead to its neighbours."""
    registry = referencing.Registry().with_resources((name, referencing.Resource.from_contents(schema)) for name, schema in documents().items())
    return jsonschema.Draft202012Validator({"$ref": f"{name}.schema.json"}, registry=registry)


def explanation(error):
    """Returns the error with those of the alternatives that it may hide."""
    return "\n".join([f"{error.json_path}: {error.message[:300]}", *("  " + line for part in error.context for line in explanation(part).splitlines())])


class SchemaCase(InAFolder):
    def assert_valid(self, name, report):
        self.assertEqual([explanation(error) for error in validator(name).iter_errors(report)], [], name)

    def assert_refused(self, name, report):
        self.assertFalse(validator(name).is_valid(report), name)

    def check(self, name, report):
        """Checks that the schema accepts the report, but not without one of its keys, nor with one that it does not describe."""
        self.assert_valid(name, report)
        for key in set(report) - MAY_BE_ABSENT:
            self.assert_refused(name, {other: value for other, value in report.items() if other != key})
        self.assert_refused(name, {**report, "undocumented": 1})

    def rows(self, folder):
        return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]

    def check_folder(self, folder):
        """Checks each report and each row of a results folder; returns the reports by name, and the kinds of rows."""
        reports = {}
        for name in REPORTS:
            path = folder / f"{name}.json"
            if path.exists():
                reports[name] = json.loads(path.read_text())
                self.check(name, reports[name])
        rows = self.rows(folder)
        self.assertIn(rows[0]["kind"], ["run", "several", "first_runs"])
        for row in rows:
            self.assert_valid("results_row", row)
        for row in {row["kind"]: row for row in rows}.values():
            self.assert_refused("results_row", {**row, "undocumented": 1})
            self.assert_refused("results_row", {key: value for key, value in row.items() if key != "kind"})
        return reports, {row["kind"] for row in rows}


def properties(schema, place=""):
    """Yields place and schema of each property, however deep."""
    if isinstance(schema, list):
        for part in schema:
            yield from properties(part, place)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                for name, field in value.items():
                    yield f"{place}.{name}", field
                    yield from properties(field, f"{place}.{name}")
            elif key not in ("const", "enum", "if", "required", "dependentRequired"):
                yield from properties(value, f"{place}/{key}" if key == "$defs" else place)


def is_number(field):
    """Whether the field is a number or an interval, a list of them, or may be one."""
    types = field.get("type", [])
    parts = [*field.get("anyOf", []), *field.get("oneOf", []), *([field["items"]] if isinstance(field.get("items"), dict) else [])]
    return bool({"number", "integer"} & {*([types] if isinstance(types, str) else types)}) or "interval" in field.get("$ref", "") or any(map(is_number, parts))


class Schemas(unittest.TestCase):
    def test_each_is_a_schema_and_says_what_it_describes(self):
        for name, schema in documents().items():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                self.assertTrue(schema["title"] and schema["description"])

    def test_each_field_is_described_and_each_number_has_a_unit(self):
        for name, schema in documents().items():
            fields = list(properties(schema))
            self.assertNotEqual(fields, [])
            for place, field in fields:
                with self.subTest(name, field=place):
                    self.assertIn("description", field)
                    self.assertEqual(bool(re.search(r" Unit: .+\.$", field["description"])), is_number(field), field)

    def test_each_object_with_known_fields_is_closed_or_is_extended(self):
        extended = {place for schema in documents().values() for place in re.findall(r"#/\$defs/(\w+)", json.dumps(schema))}
        for name, schema in documents().items():
            for number, part in enumerate(objects(schema)):
                closed = part.get("additionalProperties") is False or part.get("unevaluatedProperties") is False
                named = any(part is schema.get("$defs", {}).get(key) for key in extended)
                with self.subTest(name, number=number, fields=list(part["properties"])[:4]):
                    self.assertTrue(closed or named or "allOf" in part, part)

    def test_the_reference_names_each_schema(self):
        page = (ROOT / "docs/reference/formats.md").read_text()
        self.assertEqual(set(re.findall(r"\(schemas/([\w.]+)\)", page)), set(documents()))


def objects(schema):
    """Yields each part of a schema that lists fields."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict) and "required" in schema and "if" not in schema:
        if not set(schema["properties"]) <= {"kind"}:
            yield schema
    for part in parts:
        yield from objects(part)


class OnTheSimulatedDevice(SchemaCase):
    def compared(self, spec, *options):
        self.succeed("compare", "--device", f"simulated:seed=5{spec}", *options, "-o", self.results)
        reports, kinds = self.check_folder(self.results)
        self.assertEqual(set(reports), {"comparison_report", "full_model_timing", "isolated_kernels_timing"})
        return reports["comparison_report"], kinds

    def test_a_comparison_with_energy(self):
        report, kinds = self.compared("")
        self.assertIn("whole_joules", report["energy"])
        self.assertIn("energy", report["top_kernels"][0])
        self.assertEqual(kinds, {"run", "program_iterations", "recording", "verification", "timeline", "isolated", "plan", "round", "control", "requested", "stopped", "energy_plan", "energy_idle",
                                 "energy_block", "energy_stopped"})
        self.assertEqual(self.rows(self.results)[0]["version"], 7)

    def test_whatever_a_row_or_an_object_within_a_report_has(self):
        """Removing a key anywhere is refused unless its schema says that it may be absent; an undocumented one always is."""
        report, _ = self.compared("")
        for number in ["sum_us", "sum_error_percent"]:
            self.assert_refused("comparison_report", {**report, number: str(report[number])})
        for path in [["energy"], ["energy", "meters", 0], ["timeline"], ["timeline", "audit"], ["control"], ["top_kernels", 0], ["top_kernels", 0, "energy"],
                     ["tier_breakdown"], ["tier_breakdown", "tier2_cublas"], ["verification"], ["quantities", 0], ["half_of_places"], ["run"], ["run", "device"], ["run", "program", "asked"]]:
            changed = copy.deepcopy(report)
            place = functools.reduce(lambda part, key: part[key], path, changed)
            place["undocumented"] = 1
            self.assert_refused("comparison_report", changed)
            del place["undocumented"], place[next(iter(place))]
            self.assert_refused("comparison_report", changed)
        for row in {row["kind"]: row for row in self.rows(self.results)}.values():
            for key in set(row) - {"by", "missing", "notes", "mean_w", "whole_clock_hz", "sum_clock_hz", "paused_ns", "end_ns"}:
                self.assert_refused("results_row", {other: value for other, value in row.items() if other != key})

    def test_comparisons_that_find_something(self):
        for spec, options in [("", ["--no-energy"]), (",meter=none", []), (",meter=frozen", []), (",noise=0.5", ["--time-limit", "0.001"]), (",distortion=0.1", ["--no-energy"]),
                              (",nonadditive=0.3", ["--no-energy", "--starts", "2"]), (",power_limit=300", []), (",launches=4", ["--no-energy", "--top", "2"])]:
            with self.subTest(spec):
                self.compared(spec, *options)

    def test_an_operation_that_the_timeline_lacks(self):
        report, _ = self.compared(",lost_record=3", "--no-energy")
        self.assertFalse(report["timeline"]["audit"]["equal"])

    def test_a_launch_that_fails(self):
        for launch in [1, 9]:  # the first one of its kernel, which is repeated back to back, and another one
            report, kinds = self.compared(f",fail={launch}")
            self.assertEqual(len(report["missing_kernels"]), 1)
            self.assertIn("excluded", kinds)
            failed = [one for one in self.report("isolated_kernels_timing.json")["kernels"] if "error" in one]
            self.assertEqual(len(failed), int(launch == 1))

    def test_launches_that_are_timed_one_by_one(self):
        report, _ = self.compared(",edges=clean")
        self.assertIsNone(report["timeline"])
        self.assertEqual({row["times"] for row in self.rows(self.results) if row["kind"] == "round"}, {"clocked"})

    def test_the_whole_and_the_kernels_alone(self):
        for command in ["full", "isolated"]:
            printed = json.loads(self.succeed(command, "--device", "simulated:seed=5", "-o", self.results, "--json"))
            reports, _ = self.check_folder(self.results)
            self.assertEqual([printed], list(reports.values()))


class OfPrograms(SchemaCase):
    def test_a_program(self):
        """The injected library is a stand-in that serves a simulated device."""
        shutil.copy(KJOULE, self.folder)
        shutil.copy(ROOT / "build/tests/fakes/injection/libkjoule_inject.so", self.folder)
        program = [sys.executable, pathlib.Path(__file__).with_name("cuda_program.py"), "init", "launch"]
        done = subprocess.run([self.folder / "kjoule", "compare", "--runs", "5", "--no-energy", "-o", self.results, "--", *program], capture_output=True, text=True,
                              check=False, env={**os.environ, "TEST_DEVICE": "seed=5", "TMPDIR": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        reports, _ = self.check_folder(self.results)
        self.assertEqual(reports["comparison_report"]["run"]["program"]["asked"]["program"][0], str(program[0]))


class OnTheStandIn(SchemaCase):
    @unittest.skipIf(not PROGRAM.exists(), "built without CUDA's headers")
    def test_a_whole_run(self):
        done = subprocess.run([KJOULE, "kernels", "--json", "--", PROGRAM, "--iterations", "50"], capture_output=True, text=True, check=True,
                              env={**os.environ, "LD_LIBRARY_PATH": str(STAND_INS)})
        self.check("run_report", json.loads(done.stdout[done.stdout.index("{"):]))

    @unittest.skipIf(not PROGRAM.exists(), "built without CUDA's headers")
    def test_a_run_whose_phases_were_replayed(self):
        subprocess.run([KJOULE, "compare", "--no-energy", "--time-limit", "5", "-o", self.results, "--", PROGRAM, "--iterations", "20", "--then", "15"],
                       capture_output=True, check=True, stdin=subprocess.DEVNULL, env={**os.environ, "LD_LIBRARY_PATH": str(STAND_INS)})
        report = json.loads((self.results / "run_report.json").read_text())
        self.check("run_report", report)
        self.assertTrue(report["replayed"]["phases"])
        self.assertTrue(report["replayed"]["not_replayed"])
        self.check_folder(self.results / "phase_1")

    @unittest.skipIf(not PROGRAM.exists(), "built without CUDA's headers")
    def test_the_energy_of_a_whole_run(self):
        done = subprocess.run([KJOULE, "kernels", "--json", "--", PROGRAM, "--iterations", "50", "--sleep-us", "42000"], capture_output=True, text=True, check=True,
                              env={**os.environ, "LD_LIBRARY_PATH": str(STAND_INS), **ENERGY_COUNTER})
        report = json.loads(done.stdout[done.stdout.index("{"):])
        self.check("run_report", report)
        for key in report["energy"]:
            self.assert_refused("run_report", {**report, "energy": {other: value for other, value in report["energy"].items() if other != key}})


    @unittest.skipIf(not PROGRAM.exists(), "built without CUDA's headers")
    def test_a_second_start(self):
        for program in [["--iterations", "20"], ["--growing", "--iterations", "20"]]:
            subprocess.run([KJOULE, "compare", "--no-energy", "-o", self.results, "--", PROGRAM, *program], capture_output=True, text=True, check=True,
                           stdin=subprocess.DEVNULL, env={**os.environ, "LD_LIBRARY_PATH": str(STAND_INS)})
            reports, kinds = self.check_folder(self.results / "phase_1")
            self.assertIn("part", kinds)
            self.assertIsNotNone(reports["comparison_report"]["part"])
            shutil.rmtree(self.results)


class OnTheCpu(SchemaCase):
    def test_a_model_and_its_recording_replayed_from_signatures(self):
        model, recording = self.folder / "model.pt", self.folder / "recording.jsonl"
        code, _, error = run_command("bloom", "-o", model, *TINY, "--layers", "1", "--seq-len", "8")
        self.assertEqual(code, 0, error)
        self.succeed("record", "--model", model, "--threads", "1", "-o", recording)
        self.succeed("compare", "--model", model, "--threads", "1", "--runs", "5", "--time-limit", "0.5", "--precision", "20%", "--kernels", recording, "-o", self.results)
        reports, kinds = self.check_folder(self.results)
        self.assertIn("load", kinds)
        self.assertIn("isolated_sum_us", reports["comparison_report"]["replayed_from_signatures"])
        reports, _ = self.check_folder(self.results / "replay")
        replayed = reports["isolated_kernels_timing"]
        self.assertEqual(replayed["source_format"], "kjoule recording")
        for key in ["replayed", "recorded_time_us", "signature"]:
            self.assert_refused("isolated_kernels_timing", {**replayed, "kernels": [{other: value for other, value in replayed["kernels"][0].items() if other != key}]})
        self.assert_refused("isolated_kernels_timing", {**replayed, "kernels": [{**replayed["kernels"][0], "undocumented": 1}]})

    def test_a_table_of_which_some_can_be_replayed(self):
        table = self.folder / "table.jsonl"
        rows = [{"name": "gemm", "count": 3, "operator": "aten::mm", "input_dims": [[8, 8], [8, 8]], "input_types": ["float", "float"], "mean_us": 2, "tier": 2},
                {"name": "triton_poi_fused_0", "count": 2, "mean_us": 1}]
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run("isolated", "--kernels", table, "--threads", "1", *ON_CPU, "-o", self.results)
        reports, _ = self.check_folder(self.results)
        replayed = reports["isolated_kernels_timing"]
        self.assertIsNone(replayed["iterations"])
        self.assertIn("not replayable", {one["replayed"] for one in replayed["kernels"]})
        self.assertEqual(len(replayed["not_replayable"]), 1)

    def test_a_network(self):
        network = self.folder / "own.yaml"
        network.write_text("name: own\nsizes: {batch: 2}\nlayers:\n  - {name: a, kind: relu, shape: [batch, 100]}\n  - {name: b, kind: matmul, M: 4, K: 8, N: 16}\n")
        quick = ["--threads", "1", "--runs", "3", "--warmup", "1", "--time-limit", "0.3", *ON_CPU]
        self.succeed("layers", network, *quick, "--batch", "1,2", "--buffers", "context,rotate", "--unroll", "4", "--iters", "4", "-o", self.results)
        self.assertEqual(self.check_folder(self.results), ({}, {"several"}))
        for name in ["own_N1", "own_N2"]:
            layers = self.check_folder(self.results / name)[0]["layers"]
            self.assertIn("rotate", layers["isolated"])
        kinds = set().union(*(self.check_folder(path.parent)[1] for path in self.results.glob("*/*/results.jsonl")))
        self.assertLessEqual({"isolated_work", "roof", "first_run"}, kinds)
        for part in ["latency_ms", "isolated"]:
            self.assertIn(part, layers["layers"][0])
        without = {key: value for key, value in layers["layers"][0].items() if key != "latency_ms"}
        self.assert_refused("layers", {**layers, "layers": [without]})
        self.assert_refused("layers", {**layers, "layers": [{**layers["layers"][0], "undocumented": 1}]})


class OfLogs(SchemaCase, EnergyCase):
    def test_the_whole_and_its_kernels(self):
        self.isolated([kernel(n, 62 + 9 * n, 8) for n in range(8)])
        for idle in [[], ["--idle", "100"]]:
            self.succeed(*self.energy(*idle, timing=self.results))
            report, kernels = self.report("energy_report.json"), self.report("gpu_energy_report.json")
            self.check("energy_report", report)
            self.check("gpu_energy_report", kernels)
            self.assertEqual("energy_above_idle_joules" in report, bool(idle))
            for part in ["source", "energy_joules", "power_watts"]:
                self.assert_refused("energy_report", {**report, part: {**report[part], "undocumented": 1}})
            for part in ["full_model", "isolated_kernels", "comparison"]:
                self.assert_refused("gpu_energy_report", {**kernels, part: {**kernels[part], "undocumented": 1}})
            self.assert_refused("gpu_energy_report", {**kernels, "per_kernel": [{**kernels["per_kernel"][0], "undocumented": 1}]})

    def test_what_the_log_lacks_and_what_was_not_played(self):
        log = self.write("short.csv", "".join(line + "\n" for line in self.log.read_text().splitlines()[:130]))
        self.isolated([kernel(0, 62, 8), {"name": "failed", "tier": "unknown", "invocation_count": 1, "error": "it threw"}, kernel(1, 140, 8)])
        self.incomplete("the whole has no energy", *self.energy(log=log))
        self.assertIn("missing", self.report("energy_report.json"))
        self.check_reports()
        self.incomplete("kernels have no energy", *self.energy(timing=self.results))
        self.check_reports()
        gaps = self.write("gaps.csv", "".join(line + "\n" for number, line in enumerate(self.log.read_text().splitlines()) if not 90 < number < 110))
        self.incomplete("silent for 20.000 s", *self.energy(log=gaps))
        self.assertNotEqual(self.report("energy_report.json")["gaps"], [])
        self.check_reports()

    def check_reports(self):
        for path in self.results.glob("*energy_report.json"):
            self.assert_valid(path.stem, json.loads(path.read_text()))


class Predictions(SchemaCase):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "sampled"
        self.data.mkdir()

    def test_an_operator_with_and_without_energy(self):
        rows = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500},{1e-3 + 4e-6 * r * c}" for r, c in itertools.product(range(64, 1025, 64), (128, 256, 512))]
        (self.data / "G_mine_fp16.csv").write_text("\n".join(["rows,columns,F_dur(us),B_dur(us),F_energy(J)", *rows]) + "\n")
        for direction, rows, has_energy in [("forward", 500, True), ("backward", 4096, False)]:
            told = json.loads(self.succeed("predict", "operator", "G", "mine", "fp16", direction, rows, 400, "--data", self.data, "--json"))
            self.assertEqual(told["energy_model"] is not None, has_energy)
            self.check("predict_operator", told)
        self.assert_refused("predict_operator", {**told, "energy_model": {"undocumented": 1}})

    def test_a_step_with_energy_at_a_power_limit(self):
        config = self.folder / "step.yml"
        config.write_text(re.sub("power_limit: .*", "power_limit: 300", self.succeed("predict", "show-example", "gpt2_medium_H200")))
        share_trained_models(self)
        told = json.loads(self.succeed("predict", "step", config, "--json"))
        self.check("predict_step", told)
        self.assertGreater(told["stages"][0]["power_limited"]["unlimited_w"], 300)
        self.assertGreater(told["total_joules"], 0)

    def test_a_step_by_the_guides_own_models(self):
        told = json.loads(self.succeed("predict", "step", EXAMPLE, "--reference", "--json"))
        self.check("predict_step", told)
        for part in ["terms", "stages"]:
            self.assert_refused("predict_step", {**told, part: [{**told[part][0], "undocumented": 1}]})
            self.assert_refused("predict_step", {**told, part: [dict(list(told[part][0].items())[1:])]})


if __name__ == "__main__":
    unittest.main()
