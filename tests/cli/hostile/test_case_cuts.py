"""Files that were cut off, at each tenth of their length, are refused."""
import pathlib
import re
import unittest

from .cases import Case, HostileCases, material

TENTHS = range(1, 10)


def cuts(command: str, name: str, file: str, path: str = "") -> list[Case]:
    """Returns a case for each tenth of a material (or of the file `path` in its folder), which the command reads as `file`."""
    whole = pathlib.Path(material(name), path).read_bytes()
    return [Case(command, f"{re.escape(pathlib.Path(file).name)}(:[0-9]+)?: ", {file: whole[: len(whole) * tenth // 10]}) for tenth in TENTHS]


class Cuts(HostileCases):
    def test_traces(self) -> None:
        self.check(cuts("kernels t.json", "trace", "t.json") + cuts("kernels t.json.gz", "gz", "t.json.gz") + cuts("kernels run.sqlite", "sqlite", "run.sqlite"))

    def test_recordings_and_imported_tables(self) -> None:
        self.check(cuts("kernels recording.jsonl", "recording", "recording.jsonl") + cuts("kernels kernels.jsonl", "kernels", "kernels.jsonl"))

    def test_results(self) -> None:
        self.check(cuts("diff b.json {base}", "base", "b.json") + cuts("energy --power-log {power} --timing t.json -o out", "isolated", "t.json"))

    def test_sampled_tables(self) -> None:
        self.check(cuts("train data", "data", "data/G_mine_fp16.csv", "G_mine_fp16.csv"))

    def test_training_configurations(self) -> None:
        self.check(cuts("predict step t.yml", "training", "t.yml")[:-1])  # the last tenth is a comment


if __name__ == "__main__":
    unittest.main()
