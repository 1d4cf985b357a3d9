#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files/appended_file.hpp"
#include "base/files/file_lock.hpp"
#include "device/sample_row.hpp"

namespace kjoule {

/// The two files of one part of a sweep, NAME.csv and NAME.jsonl, to which each row is appended when it is
/// complete. The files of a killed run are continued: an incomplete last line is removed, and a row that is
/// only in the JSONL is added to the CSV.
class SampleFiles {
 public:
  /// Opens or creates the files. Throws Error if another kjoule writes them, if they cannot be written, if a
  /// line other than the last is damaged, or if the CSV has other columns.
  SampleFiles(const std::filesystem::path& folder, const std::string& name,
              std::vector<std::string> parameters, const std::vector<std::string>& time_columns);

  /// Returns whether the shape has a row, measured or not.
  bool contains(const SampleShape& shape) const {
    return shapes_in_csv_.contains(shape) || rows_.contains(shape);
  }
  /// Returns the latest row of the shape in the JSONL; null if there is none.
  const SampleRow* row(const SampleShape& shape) const;
  /// Throws Error if the files contain samples (errors aside) and their definition differs from `wanted`, the
  /// definition in the configuration `file`.
  void check_definition(const nlohmann::json& wanted, const std::string& file) const;
  /// Describes the run that writes the following rows, in a line {"run": ..} of the JSONL.
  void begin_run(const nlohmann::ordered_json& run);
  /// Appends a row to the JSONL and, if it is measured and its shape is not there yet, to the CSV. In the
  /// JSONL it replaces an earlier row of its shape. When add() returns, the operating system has both lines.
  /// Throws WriteError if they cannot be written; lines that do not fit are removed again.
  void add(const SampleRow& row);

  const std::filesystem::path& csv() const { return csv_path_; }
  const std::filesystem::path& jsonl() const { return jsonl_path_; }

 private:
  void read_jsonl();
  std::set<SampleShape> read_csv(const std::string& header);
  void add_to_csv(const SampleRow& row);

  std::filesystem::path csv_path_, jsonl_path_;
  std::vector<std::string> parameters_;
  std::unique_ptr<FileLock> lock_;
  std::set<SampleShape> shapes_in_csv_;
  nlohmann::json definition_;                          ///< definition of the latest run
  std::map<SampleShape, SampleRow> rows_;              ///< latest row of each shape in the JSONL
  std::optional<AppendedFile> csv_file_, jsonl_file_;  ///< set by the constructor
};

}  // namespace kjoule
