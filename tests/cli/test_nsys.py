"""kjoule import and kjoule kernels of what Nsight Systems exports."""
import json
import sqlite3
import unittest

from .test_commands import InAFolder

KERNEL_COLUMNS = ["start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName", "shortName", "gridX", "gridY",
                  "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory"]
PROCESS = 0x1000A2F << 24
NAMES = {1: "void gemm<128>(float*)", 2: "gemm", 3: "add(float*)", 4: "add", 5: "cudaLaunchKernel_v7000", 6: "step"}


class Databases(InAFolder):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "run.sqlite"
        self.database = sqlite3.connect(self.file)
        self.addCleanup(self.database.close)
        run = self.database.execute
        run("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
        self.database.executemany("INSERT INTO StringIds VALUES (?, ?)", NAMES.items())
        run(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({', '.join(name + ' INTEGER' for name in KERNEL_COLUMNS)})")
        run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
            "globalPid INTEGER, bytes INTEGER, copyKind INTEGER)")
        run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER)")
        run("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, textId INTEGER, globalTid INTEGER)")
        self.correlation = 0

    def launch(self, ns, us, name, short, grid, device=0):
        self.correlation += 1
        self.database.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({', '.join('?' * len(KERNEL_COLUMNS))})",
                              (ns, ns + us * 1000, device, 1, 7, self.correlation, PROCESS, name, short, grid, 1, 1, 256, 1, 1, 1024, 512))
        self.call(ns)

    def copy(self, ns, us):
        self.correlation += 1
        self.database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 7, ?, ?, 4096, 1)", (ns, ns + us * 1000, self.correlation, PROCESS))
        self.call(ns)

    def call(self, ns):
        self.database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 5)", (ns - 900, ns - 500, PROCESS + 42, self.correlation))

    def iterations(self, number, device=0):
        for i in range(number):
            begin = (i + 1) * 1_000_000
            self.copy(begin + 1000, 3)
            self.launch(begin + 5000, 20, 1, 2, 80, device)
            self.launch(begin + 30000, 2, 3, 4, 16, device)
            self.launch(begin + 40000, 2, 3, 4, 16, device)
            self.database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, NULL, 6, ?)", (begin, begin + 50000, PROCESS + 42))
        self.database.commit()

    def kernels(self, *options):
        return json.loads(self.succeed("kernels", self.file, "--json", *options))

    def test_kernels_have_counts_times_and_shapes(self):
        self.iterations(5)
        report = self.kernels("--annotation", "step")
        self.assertEqual(report["summary"]["iterations"], 5)
        kernels = {kernel["name"]: kernel for kernel in report["kernels"]}
        self.assertEqual({name: kernel["count"] for name, kernel in kernels.items()}, {"Memcpy HtoD": 1, NAMES[1]: 1, NAMES[3]: 2})
        gemm = kernels[NAMES[1]]
        self.assertEqual((gemm["grid"], gemm["block"], gemm["shared_bytes"], gemm["mean_us"]), ([80, 1, 1], [256, 1, 1], 1536, 20))
        self.assertEqual(kernels["Memcpy HtoD"]["bytes"], 4096)

    def test_iterations_are_found_by_repetition(self):
        self.iterations(8)
        self.assertEqual(self.kernels()["summary"]["iterations"], 8)

    def test_an_import_keeps_what_was_read(self):
        self.iterations(3)
        self.succeed("import", self.file, "-o", self.results, "--annotation", "step")
        self.assertEqual(json.loads((self.results / "kernels.jsonl").read_text().splitlines()[0])["source_format"], "Nsight Systems database")

    def test_several_gpus_have_kernels_of_their_own(self):
        self.iterations(8)
        for i in range(8):
            self.launch((i + 1) * 1_000_000 + 2000, 20, 1, 2, 80, device=1)
        self.database.commit()
        report = self.kernels("--iterations", 8)
        self.assertEqual(report["summary"]["gpus"], [0, 1])
        self.assertEqual(sorted((kernel["gpu"], kernel["name"], kernel["count"]) for kernel in report["kernels"]),
                         [(0, "Memcpy HtoD", 1), (0, NAMES[3], 2), (0, NAMES[1], 1), (1, NAMES[1], 1)])
        self.assertEqual({kernel["gpu"] for kernel in self.kernels("--gpu", 1, "--iterations", 8)["kernels"]}, {1})

    def test_what_is_no_report_of_nsys_is_refused(self):
        self.database.execute("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL")
        self.database.commit()
        self.fail_with("no table CUPTI_ACTIVITY_KIND_KERNEL", "kernels", self.file)
        self.database.execute("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT load_extension('/tmp/nothing') AS start")
        self.database.commit()
        self.fail_with("no table CUPTI_ACTIVITY_KIND_KERNEL", "kernels", self.file)

    def test_a_damaged_database_is_refused(self):
        self.iterations(50)
        whole = self.file.read_bytes()
        for cut in [20, 100, 5000, len(whole) // 2]:
            self.file.write_bytes(whole[:cut])
            self.fail_with("run.sqlite", "kernels", self.file)
        self.file.write_bytes(whole[:4096] + bytes(range(256)) * 16 + whole[8192:])
        self.fail_with("run.sqlite", "kernels", self.file)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["run.sqlite"])

    def test_times_that_cannot_be_are_left_out(self):
        self.iterations(3)
        self.launch(5_000_000, -3, 1, 2, 80)
        self.database.commit()
        report = self.kernels("--annotation", "step")
        self.assertEqual(sum(kernel["launches"] for kernel in report["kernels"]), 12)
        self.assertIn("1 record is ignored, because times are missing or out of order", report["summary"]["warnings"])


if __name__ == "__main__":
    unittest.main()
