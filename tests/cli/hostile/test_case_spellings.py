"""Unusual spellings of one small kernel table, which are all read with the same numbers."""
import gzip
import json
import unittest

from .cases import KERNELS, Case, HostileCases

ROWS = [{"name": "gemm", "count": 2, "mean_us": 5}, {"name": "add", "count": 1, "mean_us": 3}]
SPELLINGS: dict[str, str | bytes] = {
    "as it is": KERNELS, "CRLF": KERNELS.replace("\n", "\r\n"), "byte-order mark": "\ufeff" + KERNELS, "compressed": gzip.compress(KERNELS.encode()), "blank lines": KERNELS + "\n\n",
    "no end of the last line": KERNELS[:-1], "quotes": KERNELS.replace("gemm", '"gemm"').replace(",2,", ',"2",'), "columns in another order": "mean_us,name,count\n5,gemm,2\n3,add,1\n",
    "nanoseconds": "name,count,mean_ns\ngemm,2,5000\nadd,1,3000\n", "milliseconds": "name,count,mean_ms\ngemm,2,0.005\nadd,1,0.003\n", "exponents": KERNELS.replace(",5,", ",5e0,").replace(",3,", ",0.3e1,"),
    "totals": "name,count,total_us\ngemm,2,10\nadd,1,3\n", "more columns": "name,count,mean_us,colour\ngemm,2,5,red\nadd,1,3,\n",
    "JSON": json.dumps(ROWS), "JSONL": "\n".join(map(json.dumps, ROWS)), "JSONL with CRLF": "\r\n".join(map(json.dumps, ROWS)) + "\r\n", "numbers as texts": json.dumps([{**row, "count": str(row["count"])} for row in ROWS]),
    "null fields": json.dumps([{**row, "grid": None, "tier": None} for row in ROWS]),
}


class Spellings(HostileCases):
    def test_tables_of_the_same_kernels(self) -> None:
        for name, content in SPELLINGS.items():
            with self.subTest(name):
                done = self.run_case(Case("kernels table --iterations 1 --json", "", {"table": content}))
                self.assertEqual(done.returncode, 0, done.stderr)
                found = [(kernel["name"], kernel["count"], kernel["mean_us"]) for kernel in json.loads(done.stdout)["kernels"]]
                self.assertCountEqual(found, [(row["name"], row["count"], row["mean_us"]) for row in ROWS])
                self.assertEqual(self.changed, set())


if __name__ == "__main__":
    unittest.main()
