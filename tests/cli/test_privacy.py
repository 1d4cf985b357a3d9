"""What docs/guide/privacy.md says that recordings, results and pages contain of a program, and what they do not."""
import json
import re
import socket
import subprocess

from .driver import KJOULE, PROGRAM, Driver

SECRET = "hunter2-of-the-environment"
ARGUMENT = "token-in-an-argument"


class Privacy(Driver):
    def setUp(self):
        super().setUp()
        script = self.folder / "run.sh"
        self.environment.update(SECRET_OF_THE_PROGRAM=SECRET, FAKE_CUDA_SEED="1")
        script.write_text("#!/bin/sh\nexec \"$PROGRAM_OF_THE_TEST\" --iterations 300000\n")
        script.chmod(0o755)
        self.script = script

    def measured(self, *arguments):
        """Measures the program by a script, and returns {name of a file: its text} for all files that kjoule wrote."""
        page, baseline = self.folder / "page.html", self.folder / "base.json"
        environment = {**self.environment, "PROGRAM_OF_THE_TEST": str(PROGRAM)}
        words = [KJOULE, "compare", "--no-energy", "--time-limit", "0.3", "--loop-seconds", self.LOOP_SECONDS, "-o", self.results, "--html", page, "--", self.script, *arguments]
        for command in [words, [KJOULE, "baseline", self.results, "-o", baseline]]:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
        return {path.name: path.read_text() for path in [*self.results.rglob("*"), page, baseline] if path.is_file()}

    def test_what_the_page_on_privacy_says(self):
        files = self.measured(ARGUMENT)
        self.assertLessEqual({"recording.jsonl", "results.jsonl", "comparison_report.json", "page.html", "base.json"}, set(files))
        for name in ["recording.jsonl", "results.jsonl", "page.html"]:
            self.assertIn(ARGUMENT, files[name], name)
        for name, text in files.items():
            self.assertNotIn(SECRET, text, name)
            self.assertNotIn("SECRET_OF_THE_PROGRAM", text, name)
            if len(socket.gethostname()) > 4:
                self.assertNotIn(socket.gethostname(), text, name)
        kernels = [json.loads(line)["detail"] for line in files["recording.jsonl"].splitlines()[1:]]
        self.assertTrue(any(re.fullmatch("[0-9a-f]+", kernel.get("arguments", "")) for kernel in kernels))
        for name in ["page.html", "base.json", "summary.csv"]:
            self.assertNotIn('"arguments"', files[name], name)
            self.assertIn("mix", files[name], name)
        self.assertIn("GPU-00010203-0405", files["base.json"])

    def test_a_script_hides_the_arguments(self):
        for name, text in self.measured().items():
            self.assertNotIn("--iterations", text.replace("KJOULE_ITERATIONS", ""), name)

