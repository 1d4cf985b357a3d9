#pragma once
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kjoule {

/// results.jsonl: one JSON object a line, each written whole and at once, so that a killed run keeps every
/// finished row.
class ResultRows {
 public:
  /// A new file; Error when the folder is not writable.
  static ResultRows create(const std::filesystem::path& path);
  /// An older run's file. A last line that was cut off is dropped from the file; a damaged line before it is
  /// an Error naming its number.
  static ResultRows resume(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<nlohmann::json>& rows() const { return rows_; }
  /// In the file and in rows() alike, a number that is infinite or none is null.
  void append(const nlohmann::json& row);

 private:
  ResultRows(std::filesystem::path path, std::vector<nlohmann::json> rows);
  std::filesystem::path path_;
  std::vector<nlohmann::json> rows_;
  std::ofstream file_;
};

/// The first row of that kind; null where there is none.
const nlohmann::json* find_row(const std::vector<nlohmann::json>& rows, const std::string& kind);

/// The last row of that kind; null where there is none.
const nlohmann::json* find_last_row(const std::vector<nlohmann::json>& rows, const std::string& kind);

/// What the rows of that kind say, in their order.
template <class What>
std::vector<What> read_rows(const std::vector<nlohmann::json>& rows, const std::string& kind,
                            What (*read)(const nlohmann::json&)) {
  std::vector<What> all;
  for (const auto& row : rows)
    if (row.at("kind") == kind) all.push_back(read(row));
  return all;
}

/// Throws Error for a file, and for a folder with other things than results: they are not ours to move.
void refuse_folder_of_others(const std::filesystem::path& folder);

/// Makes `folder` for a new run; an older one that is not empty is moved aside to FOLDER-YYYYMMDD-HHMMSS
/// first, and its new name is returned (empty when there was none). Refuses like the above.
std::filesystem::path start_folder(const std::filesystem::path& folder, const std::string& time_suffix);

}  // namespace kjoule
