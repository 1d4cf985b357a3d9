#pragma once
#include <filesystem>

#include "recording/recording.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// The recording and the rows of a results folder.
struct FinishedRun {
  Recording recording;
  RowList rows;
};

/// Returns the rows of `file` after check_rows(). Throws Error if a row is damaged, or if the rows belong to
/// another recording than `recording`.
RowList read_rows_of(const Recording& recording, const std::filesystem::path& file);

/// Reads recording.jsonl and results.jsonl of a results folder. Throws Error like read_rows_of().
FinishedRun read_finished_run(const std::filesystem::path& folder);

}  // namespace kjoule
