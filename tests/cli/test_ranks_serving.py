"""A tensor-parallel server that kjoule starts itself: time per token on each rank, on the stand-in driver."""
import json
import pathlib

from .test_ranks import Ranks


class Serving(Ranks):
    def test_time_per_token_of_each_rank(self):
        """Rank 1 launches another number of kernels in each iteration, as for requests of different lengths; rank 0 has the loop."""
        report, _ = self.measured("--wanders", "1", options=["--items", "8"])
        for rank in report["ranks"]:
            own = json.loads((pathlib.Path(rank["results"]) / "comparison_report.json").read_text())
            self.assertEqual(own["run"]["items"], 8)
            self.assertAlmostEqual(own["per_item"]["whole_us"], rank["whole_us"] / 8, places=6)
            self.assertAlmostEqual(own["per_item"]["sum_us"], rank["sum_us"] / 8, places=6)
