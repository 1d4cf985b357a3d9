#include "run/finished_run.hpp"

#include "base/error.hpp"
#include "run/row_check.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

RowList read_rows_of(const Recording& recording, const std::filesystem::path& file) {
  RowList rows = ResultRows::read(file);
  check_rows(rows, file);
  const auto recorded = rows.first<RecordedIteration>();
  if (recorded && (recorded->fingerprint != fingerprint(recording) ||
                   recorded->kernels != kernel_table(recording).kernels.size()))
    throw Error(
        file.string() + ": contains results that do not belong to the recording.jsonl in the same folder",
        "give the path of recording.jsonl instead of the folder to list only the recording");
  return rows;
}

FinishedRun read_finished_run(const std::filesystem::path& folder) {
  FinishedRun run;
  run.recording = read_recording((folder / "recording.jsonl").string());
  run.rows = read_rows_of(run.recording, folder / "results.jsonl");
  return run;
}

}  // namespace kjoule
