"""The tables that tests/gpu/collectives makes of its rows, and the sizes that it predicts from the other rows."""
import contextlib
import io
import unittest

from .helpers import FolderCase
from .scripts import GPU, modules_of_scripts, script

with modules_of_scripts():
    import collective_tables
    import row_files

collectives = script("collectives")
ROWS = row_files.MEASUREMENTS / "collectives.jsonl"


def row(**other):
    return {"by": "kjoule", "operation": "all_reduce", "precision": "bf16", "in_place": True, "nodes": 1, "gpus_per_node": 4, "bytes": 16, "elements": 8,
            "time_us": 10.0, "gpu": "NVIDIA H200", "stand_in": False, **other}


class CollectiveTables(FolderCase):
    def test_the_tables_that_kjoule_brings_are_the_rows(self):
        collective_tables.write_tables(self.folder, row_files.read_rows(ROWS))
        shipped = {path.name: path.read_text() for path in (GPU.parent.parent / "data/regressors/H200/nccl").glob("*.csv")}
        self.assertEqual({path.name: path.read_text() for path in self.folder.glob("*.csv")}, shipped)
        self.assertEqual(len(shipped), 8)

    def test_the_newest_row_of_a_size_is_kept_with_the_energy_of_one_gpu(self):
        tables = collective_tables.tables_of([row(time_us=12.0), row(elements=16, time_us=20.0), row(time_us=11.0, joules=0.008)])
        self.assertEqual({stem: collective_tables.table_text(table) for stem, table in tables.items()},
                         {"NVIDIAH200_allreduce_bf16_1_4": "shape,nodes,GPUsPerNode,dur(us),energy(J)\n8,1,4,11.000,0.002\n16,1,4,20.000,\n"})

    def test_operations_have_the_names_and_sizes_of_the_tables(self):
        tables = collective_tables.tables_of([row(operation="all_gather"), row(operation="send_receive", in_place=False), row(nodes=2),
                                              row(in_place=False), row(stand_in=True), row(by="torch.distributed")])
        self.assertEqual({stem: list(table) for stem, table in tables.items()},
                         {"NVIDIAH200_allgather_bf16_1_4": [2], "NVIDIAH200_p2p_bf16_1_4": [8], "NVIDIAH200_allreduce_bf16_2_4": [8]})

    def test_sizes_that_are_left_out_are_predicted(self):
        """The sizes lie on a line, but one in the middle takes twice as long. Half of its size is predicted from it, as a third of the way."""
        rows = [row(elements=1024 << i, bytes=2048 << i, time_us=(10 + (1024 << i) / 1000) * (2 if i == 7 else 1)) for i in range(14)]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            collective_tables.print_left_out(rows)
        first, last = printed.getvalue().splitlines()
        self.assertRegex(first, r"NVIDIAH200_allreduce_bf16_1_4 +12 sizes: median error 0.0%, largest \+62.3% at 2\^17 bytes")
        self.assertRegex(last, "12 sizes that were left out: median error 0.0%, .*largest 62.3%; 9 within 5 %")


if __name__ == "__main__":
    unittest.main()
