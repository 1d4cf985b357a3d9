"""The timeline of the recorded iteration: its audit, its figures and its files, on the simulated device."""
import json
import unittest
import xml.etree.ElementTree

from .driver import unwrapped
from .helpers import TINY, run_command
from .test_commands import ON_CPU, SIMULATED, STEADY, InAFolder, run
from .test_import import TraceBuilder


class Timelines(InAFolder):
    def test_the_device_ran_what_was_recorded(self):
        text = self.succeed("compare", *STEADY, "-v", "-o", self.results)
        report = self.report()
        launches = report["verification"]["launches"]
        self.assertIn(f"audit: {launches} launches were recorded, and the profiler (CUPTI) reports {launches} activities: no difference", unwrapped(text))
        self.assertRegex(unwrapped(text), "GPU clock: [0-9]+ MHz while the whole was measured, [0-9]+ MHz while kernels were measured")
        timeline = report["timeline"]
        self.assertEqual((timeline["audit"]["equal"], timeline["audit"]["differences"]), (True, []))
        iteration = timeline["iteration"]
        self.assertAlmostEqual(iteration["busy_us"], iteration["work_us"] - iteration["overlap_us"], 6)
        self.assertAlmostEqual(iteration["span_us"], iteration["busy_us"] + iteration["idle_us"], 6)
        self.assertAlmostEqual(iteration["span_us"] / report["program_iteration_us"], 1, delta=0.1)
        self.assertAlmostEqual(timeline["replayed_whole_us"] / report["whole_us"], 1, delta=0.1)
        self.assertLess(report["timeline_difference_percent"], 5)
        self.assertTrue(all(kernel["timeline_total_us"] > 0 for kernel in report["top_kernels"]))

    def test_a_lost_record_is_a_finding(self):
        text = self.succeed("compare", "--device", "simulated:seed=5,lost_record=9", "-v", "-o", self.results)
        self.assertRegex(unwrapped(text), "- audit: stream 7: launch 9 .* is missing in the device's list")
        finding, = self.report()["findings"]
        self.assertIn("the recording differs from the device's own list of activities in 1 place", finding)
        self.assertIn(f"- finding: {finding}", unwrapped(text))
        printed = run("compare", "--device", "simulated:seed=5,lost_record=9", "-o", self.results, "--csv")
        self.assertEqual(printed.returncode, 0)
        self.assertIn(f"warning: {finding}", printed.stderr)
        audit = self.report()["timeline"]["audit"]
        self.assertEqual((audit["equal"], audit["differences_found"]), (False, 1))
        self.assertEqual(audit["launches"], audit["activities"] + 1)

    def test_a_device_without_timeline_is_not_audited(self):
        text = self.succeed("compare", "--device", "simulated:seed=5,edges=clean", "-o", self.results)
        self.assertNotIn("audit", text)
        self.assertIsNone(self.report()["timeline"])
        self.assertIsNone(self.report()["whole_clock_mhz"])

    def test_the_timeline_is_kept_by_a_resumed_run(self):
        timeline = self.folder / "late.json"
        self.succeed("compare", *SIMULATED, "-o", self.results)
        rows = (self.results / "results.jsonl").read_text()
        row, = [line for line in rows.splitlines() if json.loads(line)["kind"] == "timeline"]
        report = (self.results / "comparison_report.json").read_text()
        for kept in [rows, rows[:rows.index(row) + len(row) + 1], rows[:rows.index(row) + 20]]:
            (self.results / "results.jsonl").write_text(kept)
            self.succeed("compare", *SIMULATED, "--resume", self.results, "--timeline", timeline)
            self.assertEqual((self.results / "results.jsonl").read_text(), rows)
            self.assertEqual((self.results / "comparison_report.json").read_text(), report)
            self.assertEqual(len(json.loads(row)["observation"]["iteration"]), len(self.launches_of(timeline)))

    @staticmethod
    def launches_of(path):
        return [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]

    def test_timeline_files_show_every_launch(self):
        trace, picture = self.folder / "t.json", self.folder / "t.svg"
        self.succeed("compare", *SIMULATED, "-o", self.results, "--timeline", trace, "--timeline", picture)
        recorded = [json.loads(line) for line in (self.results / "recording.jsonl").read_text().splitlines()[1:]]
        drawn = sorted(self.launches_of(trace), key=lambda event: event["ts"])
        self.assertEqual([event["name"] for event in drawn], [launch["name"] for launch in recorded])
        kernels = {}  # numbered by first occurrence
        self.assertEqual([event["args"]["kernel"] for event in drawn],
                         [kernels.setdefault(launch["signature"], len(kernels)) for launch in recorded])
        svg = xml.etree.ElementTree.parse(picture).getroot()
        self.assertTrue(svg.tag.endswith("svg"))
        self.assertIn(f"{len(recorded)} launches of {len(kernels)} kernels", picture.read_text())
        recording = self.folder / "recording.jsonl"
        again = self.folder / "again.json"
        self.succeed("record", "--device", "simulated:seed=5", "-o", recording, "--timeline", again)
        self.assertEqual(len(self.launches_of(again)), len(recorded))

    def test_a_timeline_that_cannot_be_written_is_refused_first(self):
        for command in [["compare", *SIMULATED, "-o", self.results], ["record", "--device", "simulated:seed=5"]]:
            self.fail_with("ends neither with .json nor with .svg", *command, "--timeline", self.folder / "t.png")
            self.fail_with("no such folder; create the folder", *command, "--timeline", self.folder / "none" / "t.svg")
        self.assertEqual(list(self.folder.iterdir()), [])
        logo = self.folder / "logo.svg"
        logo.write_text(foreign := '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>\n')
        self.fail_with("is not a timeline of kjoule, and was not replaced", "compare", *SIMULATED, "-o", self.results, "--timeline", logo)
        self.assertEqual(logo.read_text(), foreign)
        self.fail_with("cannot write a timeline on this device", "compare", "--device", "simulated:seed=5,edges=clean", "-o", self.results,
                       "--timeline", self.folder / "t.svg")

    def test_operators_on_the_cpu(self):
        model, trace, picture = self.folder / "model.pt", self.folder / "t.json", self.folder / "t.svg"
        code, _, error = run_command("bloom", "-o", model, *TINY, "--seq-len", "8")
        self.assertEqual(code, 0, error)
        self.fail_with("cannot write a timeline on this device", "record", "--model", self.folder / "none.pt", *ON_CPU, "--timeline", trace)
        self.assertEqual(list(self.folder.iterdir()), [model], "the option is refused before the model is opened")
        text = ["compare", "--model", model, "--threads", "1", "--runs", "3", "--time-limit", "1", "--precision", "20%", "--full-names", *ON_CPU]
        self.succeed(*text, "-o", self.results, "--timeline", trace, "--timeline", picture)
        recorded = [json.loads(line) for line in (self.results / "recording.jsonl").read_text().splitlines()[1:]]
        drawn = self.launches_of(trace)
        self.assertEqual([event["name"] for event in drawn], [launch["name"] for launch in recorded])
        for before, after in zip(drawn, drawn[1:]):
            self.assertAlmostEqual(before["ts"] + before["dur"], after["ts"], 6)
        self.assertTrue(all(event["dur"] > 0 for event in drawn))
        report = self.report()
        self.assertAlmostEqual(sum(event["dur"] for event in drawn) / report["sum_us"], 1, delta=0.02)
        self.assertIsNone(report["timeline"], "the CPU has no profiler of its own")
        self.assertIn(f"{len(recorded)} launches of", picture.read_text())

    def test_kernels_draws_the_timeline_of_a_trace(self):
        trace, drawn, picture = self.folder / "trace.json", self.folder / "t.json", self.folder / "t.svg"
        trace.write_text(json.dumps(TraceBuilder(3).as_dict()))
        listed = self.succeed("kernels", trace)
        self.assertEqual(self.succeed("kernels", trace, "--timeline", drawn, "--timeline", picture), listed)
        self.assertEqual([(event["name"].split()[0], event["dur"]) for event in self.launches_of(drawn)], [("nvjet_hsh_64x8_TNT", 2.125)] * 2 + [("Memcpy", 2.125)])
        self.assertIn("3 launches of 2 kernels", picture.read_text())
        imported = self.folder / "of_import.json"
        self.succeed("import", trace, "-o", self.folder / "imported", "--timeline", imported)
        self.assertEqual(imported.read_text(), drawn.read_text())
        table = self.folder / "table.jsonl"
        table.write_text('{"name": "k", "count": 2}\n')
        other, model = self.folder / "other.json", self.folder / "none.pt"
        for told, *command in [("no timeline can be drawn", table, "--model", model, "--timeline", other), ("this file is an input of the command", trace, "--timeline", trace),
                               ("ends neither with .json nor with .svg", self.folder / "none.json", "--timeline", self.folder / "t.png"),
                               ("no timeline can be drawn", self.folder / "imported", "--timeline", other)]:
            self.fail_with(told, "kernels", *command)
        self.assertFalse(other.exists())


if __name__ == "__main__":
    unittest.main()
