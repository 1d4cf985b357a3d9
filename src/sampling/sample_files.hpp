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

/// How a process gets the files of a part for itself.
enum class Ownership {
  /// The files are locked; a process that finds them locked is refused.
  lock,
  /// The JSONL is replaced by a copy of itself, and the CSV by the rows of this copy, by atomic renames. What
  /// an earlier process of the part still writes, for example on a node that was lost and returned, goes to
  /// the old files, which have no name any more. This also holds on shared file systems without locks.
  take_over
};

/// The two files of one part of a sweep, NAME.csv and NAME.jsonl. Each row is appended when it is complete.
/// The files of a killed run can be continued: an incomplete last line is removed, and a row that is only in
/// the JSONL is added to the CSV.
class SampleFiles {
 public:
  /// Opens or creates the files. Throws Error if they are locked by another kjoule process and are not to be
  /// taken over, if they cannot be written, if a line other than the last is damaged, or if the CSV has other
  /// columns than these.
  SampleFiles(const std::filesystem::path& folder, const std::string& name,
              std::vector<std::string> parameters, const std::vector<std::string>& time_columns,
              Ownership ownership = Ownership::lock);

  /// Returns whether the shape has a row, measured or not.
  bool contains(const SampleShape& shape) const {
    return shapes_in_csv_.contains(shape) || rows_.contains(shape);
  }
  /// Returns the latest row of the shape in the JSONL; null if there is none.
  const SampleRow* row(const SampleShape& shape) const;
  /// Throws Error if the files contain samples whose status is not error and whose definition differs from
  /// `wanted`, the definition of the configuration `file`.
  void check_definition(const nlohmann::json& wanted, const std::string& file) const;
  /// Appends a line {"run": ..} to the JSONL, which describes the run that writes the following rows.
  void begin_run(const nlohmann::ordered_json& run);
  /// Appends a row to the JSONL and, if it is measured and the CSV has no row of its shape, to the CSV. In
  /// the JSONL, the latest row of a shape replaces earlier ones. When add() returns, both lines have been
  /// passed to the operating system. Throws WriteError if they cannot be written; incomplete lines are
  /// removed again. Throws Error if another process has taken over the files.
  void add(const SampleRow& row);

  const std::filesystem::path& csv() const { return csv_path_; }
  const std::filesystem::path& jsonl() const { return jsonl_path_; }

 private:
  void read_jsonl();
  void replace_csv(const std::string& header);
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
