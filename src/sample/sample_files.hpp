#pragma once
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file_lock.hpp"
#include "sample/sample_row.hpp"

namespace kjoule {

/// The two files of one part of a sweep, NAME.csv and NAME.jsonl, which grow by a row as it is measured. What
/// a killed run left is continued: a last line that is torn is dropped, a row that came into the JSONL only
/// is put into the CSV.
class SampleFiles {
 public:
  /// Throws Error when another kjoule writes them, they cannot be written, a line that is not the last is
  /// broken, or the CSV has other columns.
  SampleFiles(const std::filesystem::path& folder, const std::string& name,
              std::vector<std::string> parameters, const std::vector<std::string>& time_columns);

  /// The shape has a row, measured or not.
  bool holds(const SampleShape& shape) const { return held_.contains(shape); }
  /// Which run writes the rows that follow: a line {"run": ..} in the JSONL.
  void begin_run(const nlohmann::ordered_json& run);
  /// Both lines are with the operating system when it returns. Throws Error when they cannot be written.
  void add(const SampleRow& row);

  const std::filesystem::path& csv() const { return csv_path_; }
  const std::filesystem::path& jsonl() const { return jsonl_path_; }

 private:
  std::vector<SampleRow> read_jsonl();
  std::set<SampleShape> read_csv(const std::string& header);
  static void append(std::ofstream& file, const std::filesystem::path& path, const std::string& line);

  std::filesystem::path csv_path_, jsonl_path_;
  std::vector<std::string> parameters_;
  std::unique_ptr<FileLock> lock_;
  std::set<SampleShape> held_;
  std::ofstream csv_, jsonl_;
};

}  // namespace kjoule
