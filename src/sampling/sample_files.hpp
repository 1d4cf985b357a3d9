#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file_lock.hpp"
#include "device/sample_row.hpp"

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
  bool holds(const SampleShape& shape) const { return in_csv_.contains(shape) || rows_.contains(shape); }
  /// Its latest row in the JSONL; null where there is none.
  const SampleRow* row(const SampleShape& shape) const;
  /// Throws Error when what has been sampled, errors aside, is of another definition than `wanted`, which
  /// `file` holds.
  void must_be_of(const nlohmann::json& wanted, const std::string& file) const;
  /// Which run writes the rows that follow: a line {"run": ..} in the JSONL.
  void begin_run(const nlohmann::ordered_json& run);
  /// Stands for an earlier row of that shape, whose line in the CSV stays. Both lines are with the operating
  /// system when it returns. Throws Error when they cannot be written.
  void add(const SampleRow& row);

  const std::filesystem::path& csv() const { return csv_path_; }
  const std::filesystem::path& jsonl() const { return jsonl_path_; }

 private:
  void read_jsonl();
  std::set<SampleShape> read_csv(const std::string& header);
  void add_to_csv(const SampleRow& row);
  static void append(std::ofstream& file, const std::filesystem::path& path, const std::string& line);

  std::filesystem::path csv_path_, jsonl_path_;
  std::vector<std::string> parameters_;
  std::unique_ptr<FileLock> lock_;
  std::set<SampleShape> in_csv_;
  nlohmann::json definition_;              ///< of the latest run
  std::map<SampleShape, SampleRow> rows_;  ///< of the JSONL, the latest of each shape
  std::ofstream csv_, jsonl_;
};

}  // namespace kjoule
