#pragma once
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/files/appended_file.hpp"
#include "base/json/json_fields.hpp"
#include "run/row_seal.hpp"

namespace kjoule {

/// Version of the rows' format. Rows have checksums (RowSeal) since version 6, and the present names since
/// version 7. Files of earlier versions can be read, but not resumed.
constexpr int kRowsVersion = 7;

/// A struct that is stored as a row; R::kKind is the value of the row's field "kind".
template <class R>
concept Row = Described<R> && requires {
  R::kKind;
};

/// Returns a row as it is stored: its fields and its kind.
template <Row R>
nlohmann::json stored_row(const R& row) {
  nlohmann::json json = write_fields(row);
  json["kind"] = R::kKind;
  return json;
}

/// The rows of a results folder, in order. Reading a row throws Error with the name of the field if the row
/// is damaged.
class RowList {
 public:
  RowList() = default;
  explicit RowList(std::vector<nlohmann::json> rows) : rows_(std::move(rows)) {}

  bool empty() const { return rows_.empty(); }
  const std::vector<nlohmann::json>& list() const { return rows_; }
  /// Returns the first row, which describes the run. There must be a row.
  const nlohmann::json& header() const { return rows_.at(0); }
  void append(nlohmann::json row) { rows_.push_back(std::move(row)); }

  template <Row R>
  bool has() const {
    return std::any_of(rows_.begin(), rows_.end(), is<R>);
  }
  template <Row R>
  size_t count() const {
    return static_cast<size_t>(std::count_if(rows_.begin(), rows_.end(), is<R>));
  }
  /// Returns the first row of kind R; nothing if there is none.
  template <Row R>
  std::optional<R> first() const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), is<R>);
    return found == rows_.end() ? std::nullopt : std::optional(read<R>(*found));
  }
  template <Row R>
  std::optional<R> last() const {
    const auto found = std::find_if(rows_.rbegin(), rows_.rend(), is<R>);
    return found == rows_.rend() ? std::nullopt : std::optional(read<R>(*found));
  }
  template <Row R>
  std::vector<R> all() const {
    std::vector<R> found;
    for (const nlohmann::json& row : rows_)
      if (is<R>(row)) found.push_back(read<R>(row));
    return found;
  }
  /// Returns the rows of a kind that has no struct, because they are copied into reports unchanged.
  std::vector<nlohmann::json> descriptions(const std::string& kind) const;
  /// Returns the latest "end_ns" of all rows; 0 if no row has one.
  int64_t latest_end_ns() const;

  bool operator==(const RowList&) const = default;

 private:
  template <Row R>
  static bool is(const nlohmann::json& row) {
    return row.at("kind") == R::kKind;
  }
  template <Row R>
  static R read(const nlohmann::json& row) {
    try {
      return read_fields<R>(row, R::kKind);
    } catch (const Error& error) {
      throw Error(std::string("results.jsonl: a row is damaged: ") + error.what(),
                  "repeat the command without --resume");
    }
  }

  std::vector<nlohmann::json> rows_;
};

/// Throws the Error that a row is damaged. `line` is its line number in the file, from 1; `why` is the
/// reason.
[[noreturn]] void refuse_row(const std::filesystem::path& file, size_t line, const std::string& why);

/// The file results.jsonl, with one JSON object per line. Each row is written completely and at once, so that
/// a killed run keeps every completed row.
class ResultRows {
 public:
  /// Creates an empty file. Throws WriteError if the folder is not writable.
  static ResultRows create(const std::filesystem::path& path);
  /// Opens the file of an interrupted run. An incomplete last line is removed from the file. Throws Error,
  /// with the line number, if any other line is damaged, or is not the line that kjoule wrote at this place
  /// of the file.
  static ResultRows resume(const std::filesystem::path& path);
  /// Returns the complete rows of a file, which another kjoule process may be writing. Throws Error like
  /// resume().
  static RowList read(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const RowList& rows() const { return rows_; }
  /// Appends a row to the file and to rows(). Infinite numbers and NaN are written as null. Throws WriteError
  /// if the row cannot be written completely; the file then ends with the previous row.
  void append(const nlohmann::json& row);

 private:
  ResultRows(std::filesystem::path path, AppendedFile file, std::vector<nlohmann::json> rows, RowSeal seal);
  std::filesystem::path path_;
  RowList rows_;
  RowSeal seal_;
  AppendedFile file_;
};

/// Throws Error if `folder` is a file, or a folder with files but without results.jsonl. kjoule did not make
/// such a file or folder, and does not rename it.
void refuse_folder_of_others(const std::filesystem::path& folder);

/// Creates `folder` for a new run. An older folder that is not empty is first renamed to
/// FOLDER-YYYYMMDD-HHMMSS. Returns its new name, or an empty path if no folder was renamed. Throws Error like
/// refuse_folder_of_others().
std::filesystem::path start_folder(const std::filesystem::path& folder, const std::string& time_suffix);

}  // namespace kjoule
