"""tests/gpu/facts keeps what programs answer before they die or hang; the questions themselves need a GPU."""
import json
import subprocess
import sys

from .helpers import FolderCase
from .test_commands import ROOT

SCRIPT = ROOT / "tests/gpu/facts"
PROGRAM = """#!/bin/bash
case "$1" in
  "") printf 'answers\\ndies, later\\nhangs\\nfails\\nsays nothing\\n' ;;
  answers) printf 'free\\tworks\\nread\\tfault: CUDA_ERROR_ILLEGAL_ADDRESS\\n' ;;
  "dies, later") printf 'free\\tworks\\nread\\thalf'; kill -SEGV $$ ;;
  hangs) printf 'free\\tworks\\n'; exec sleep 60 ;;
  fails) echo 'first' >&2; echo 'no library' >&2; exit 127 ;;
esac
"""
ENDED = "how the process ended"


class Facts(FolderCase):
    def setUp(self):
        super().setUp()
        for question in ["expandable", "managed_memory"]:
            program = self.folder / question
            program.write_text(PROGRAM)
            program.chmod(0o755)

    def asked(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, "--programs", self.folder, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=60)

    def rows(self, *arguments):
        path = self.folder / "rows.jsonl"
        done = self.asked("--rows", path, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        self.assertEqual({tuple(row) for row in rows}, {("gpu", "driver", "question", "case", "what", "answer")})
        return rows

    def test_every_end_of_a_process_is_an_answer(self):
        self.assertEqual([(row["case"], row["what"], row["answer"]) for row in self.rows("expandable", "--time-limit", "5")],
                         [("answers", "free", "works"), ("answers", "read", "fault: CUDA_ERROR_ILLEGAL_ADDRESS"),
                          ("dies, later", "free", "works"), ("dies, later", "read", "half"), ("dies, later", ENDED, "SIGSEGV"),
                          ("hangs", "free", "works"), ("hangs", ENDED, "not within 5 s; it was killed"),
                          ("fails", ENDED, "exit code 127: no library"), ("says nothing", ENDED, "without an answer")])

    def test_after_the_budget_no_case_is_begun_and_those_that_take_times_come_first(self):
        rows = self.rows("expandable", "managed_memory", "--budget", "0")
        self.assertEqual({(row["what"], row["answer"]) for row in rows}, {(ENDED, "it was not begun: 0 s had passed")})
        self.assertEqual(list(dict.fromkeys(row["question"] for row in rows)), ["managed_memory", "expandable"])

    def test_a_program_that_is_missing_is_an_answer_and_an_unknown_question_is_refused(self):
        self.assertIn("it does not start: No such file or directory", self.asked("waiting_calls").stdout)
        self.assertEqual(self.asked("other").returncode, 2)
