"""The tables that tests/gpu/collectives makes of its rows, and the sizes that it predicts from the other rows."""
import contextlib
import io
import unittest
import unittest.mock

from .helpers import FolderCase
from .scripts import GPU, modules_of_scripts, script

with modules_of_scripts():
    import collective_tables
    import row_files

collectives = script("collectives")
ROWS = row_files.MEASUREMENTS / "collectives.jsonl"


def row(**other):
    return {"by": "kjoule", "operation": "all_reduce", "precision": "bf16", "in_place": True, "nodes": 1, "gpus_per_node": 4, "bytes": 16, "elements": 8,
            "time_us": 10.0, "time_low_us": 9.8, "time_high_us": 10.2, "graph": True, "gpu": "NVIDIA H200", "stand_in": False, "machine": {"start": "a"}, **other}


class CollectiveTables(FolderCase):
    def test_the_tables_that_kjoule_brings_are_the_rows(self):
        collective_tables.write_tables(self.folder, row_files.read_rows(ROWS))
        shipped = {path.name: path.read_text() for path in (GPU.parent.parent / "data/regressors/H200/nccl").glob("*.csv")}
        self.assertEqual({path.name: path.read_text() for path in self.folder.glob("*.csv")}, shipped)
        self.assertEqual(len(shipped), 8)

    def setUp(self):
        super().setUp()
        self.few = unittest.mock.patch.object(collective_tables, "FEWEST", 1)  # tables of the tests may have few sizes

    def test_the_newest_row_of_a_size_is_kept_with_the_energy_of_one_gpu(self):
        with self.few:
            tables = collective_tables.tables_of([row(time_us=12.0), row(elements=16, time_us=20.0), row(time_us=11.0, joules=0.008)])
        self.assertEqual({stem: collective_tables.table_text(table) for stem, table in tables.items()},
                         {"NVIDIAH200_allreduce_bf16_1_4": "shape,nodes,GPUsPerNode,dur(us),energy(J)\n8,1,4,11.000,0.002\n16,1,4,20.000,\n"})

    def test_operations_have_the_names_and_sizes_of_the_tables(self):
        with self.few:
            tables = collective_tables.tables_of([row(operation="all_gather"), row(operation="send_receive", in_place=False), row(nodes=2),
                                                  row(in_place=False), row(stand_in=True), row(by="torch.distributed")])
        self.assertEqual({stem: list(table) for stem, table in tables.items()},
                         {"NVIDIAH200_allgather_bf16_1_4": [2], "NVIDIAH200_p2p_bf16_1_4": [8], "NVIDIAH200_allreduce_bf16_2_4": [8]})

    def test_uncertain_times_and_those_without_a_graph_are_not_in_tables(self):
        good = [row(elements=8 << i) for i in range(11)]
        table, = collective_tables.tables_of([*good, row(elements=4, graph=False), row(elements=6, time_high_us=11.0)]).values()
        self.assertEqual(list(table), [8 << i for i in range(11)])
        self.assertEqual(collective_tables.tables_of(good[1:]), {})  # too few for a prediction

    def test_sizes_between_those_of_a_sweep_that_doubles_are_predicted(self):
        """Times and energies lie on a line, but one of the sizes between takes 10 % longer."""
        rows = [row(elements=1024 << i, bytes=2048 << i, time_us=10 + (1024 << i) / 1000, joules=1e-3 * (1 + (1024 << i) / 1e4)) for i in range(14)]
        rows += [row(elements=1536 << i, bytes=3072 << i, time_us=(10 + (1536 << i) / 1000) * (1.1 if i == 5 else 1), joules=1e-3 * (1 + (1536 << i) / 1e4))
                 for i in range(13)]
        for one in rows:
            one["time_low_us"], one["time_high_us"] = 0.99 * one["time_us"], 1.01 * one["time_us"]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            collective_tables.print_left_out(rows)
        between, _, after = printed.getvalue().partition("each size from all others")
        self.assertIn("times of 13 sizes: median error 0.0%, mean 0.7%, largest 9.1%; 12 within 5%", between)
        self.assertIn("energies of 13 sizes: median error 0.0%, mean 0.0%, largest 0.0%; 13 within 8%", between)
        self.assertIn("times of 25 sizes: ", after)

    def test_times_of_other_programs_are_compared_with_those_of_the_same_start(self):
        rows = [row(precision="fp16", bytes=16 << 20, bus_bytes_per_s=3e11, machine={"start": start}, time_us=us) for start, us in [("a", 70.0), ("b", 90.0)]]
        rows += [{**one, "bytes": 4096, "time_us": one["time_us"] / 10} for one in rows]
        other = {"by": "nccl-tests", "precision": "fp16", "machine": {"start": "a"}}
        printed = (" 4096 2048 half sum -1 6.37 0.64 0.64 N/A 6.30 0.65 0.65 N/A\n 16777216 8388608 half sum -1 73.19 229.24 229.24 N/A 74.53 225.10 225.10 N/A\n"
                   "# Avg bus bandwidth    : 114.201\n")
        rows += [{**one, **other} for one in collectives.nccl_tests_rows("all_reduce", True, printed)]
        with contextlib.redirect_stdout(io.StringIO()) as told:
            collectives.print_rows(rows)
        self.assertEqual(told.getvalue(), "all_reduce      by kjoule and nccl-tests, as graphs: bus bandwidths of 1 sizes from 16 MiB differ by 33.3% in the median, "
                         "+33.3% at most; times of 1 smaller sizes by +0.70 us (+0.70 to +0.70)\n")

    def test_sizes_that_are_left_out_are_predicted(self):
        """The sizes lie on a line, but one in the middle takes twice as long. Half of its size is predicted from it, as a third of the way."""
        rows = [row(elements=1024 << i, bytes=2048 << i, time_us=(10 + (1024 << i) / 1000) * (2 if i == 7 else 1)) for i in range(14)]
        for one in rows:
            one["time_low_us"], one["time_high_us"] = 0.99 * one["time_us"], 1.01 * one["time_us"]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            collective_tables.print_left_out(rows)
        lines = printed.getvalue().partition("each size from all others\n")[2].splitlines()
        self.assertRegex(lines[0], r"NVIDIAH200_allreduce_bf16_1_4 +12 sizes: median error 0.0%, largest \+62.3% at 128 KiB")
        self.assertRegex(lines[1], "times of 12 sizes: median error 0.0%, .*largest 62.3%; 9 within 5%")


if __name__ == "__main__":
    unittest.main()
