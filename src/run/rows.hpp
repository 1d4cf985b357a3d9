#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fields.hpp"

namespace kjoule {

/// A described struct that is stored as a row of its own kind: R::kKind is the row's "kind".
template <class R>
concept Row = Described<R> && requires {
  R::kKind;
};

/// The rows of a run's folder, in order.
class RowList {
 public:
  RowList() = default;
  explicit RowList(std::vector<nlohmann::json> rows) : rows_(std::move(rows)) {}

  bool empty() const { return rows_.empty(); }
  /// The first row, which says what was measured.
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
  /// Each of these throws Error naming the field of a damaged row.
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
  /// Rows of that kind without a struct: descriptions that are copied into reports as they are.
  std::vector<nlohmann::json> descriptions(const std::string& kind) const;
  /// The latest "end_ns" of all rows; 0 where none has one.
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
      throw Error(std::string("a row is damaged: ") + error.what(), "measure again without --resume");
    }
  }

  std::vector<nlohmann::json> rows_;
};

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
  const RowList& rows() const { return rows_; }
  /// In the file and in rows() alike, a number that is infinite or NaN is null.
  void append(const nlohmann::json& row);

 private:
  ResultRows(std::filesystem::path path, std::vector<nlohmann::json> rows);
  std::filesystem::path path_;
  RowList rows_;
  std::ofstream file_;
};

/// Throws Error for a file, and for a folder with files that are no results: kjoule does not move these.
void refuse_folder_of_others(const std::filesystem::path& folder);

/// Makes `folder` for a new run; an older one that is not empty is moved aside to FOLDER-YYYYMMDD-HHMMSS
/// first, and its new name is returned (empty when there was none). Refuses like the above.
std::filesystem::path start_folder(const std::filesystem::path& folder, const std::string& time_suffix);

}  // namespace kjoule
