#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace kjoule {

/// The current row of a query.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  /// Return the value of a column, given by its index in the query; nothing if it is NULL or has another
  /// type.
  std::optional<int64_t> whole(int column) const;
  std::optional<std::string> text(int column) const;

 private:
  sqlite3_stmt* statement_;
};

class TemporaryFolder;

/// An SQLite database that is opened for reading only. Functions and triggers in its schema are not executed,
/// and no files are written next to it. If a write-ahead log (FILE-wal) is next to it, which contains its
/// latest rows, a temporary copy of both is read.
class SqliteFile {
 public:
  /// Throws Error if the file cannot be opened, if another program is writing it, or if a program was killed
  /// while it wrote it (FILE-journal).
  explicit SqliteFile(const std::filesystem::path& file);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Returns the names of all tables. Views do not count as tables.
  std::vector<std::string> tables() const;
  /// Returns the names of a table's columns; empty if there is no such table. Views do not count as tables.
  std::set<std::string> columns(const std::string& table) const;
  /// Calls `take` with each row of a query. Throws Error if the file is damaged.
  void query(const std::string& sql, const std::function<void(const SqliteRow&)>& take) const;

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::unique_ptr<TemporaryFolder> copy_;  ///< of a database with a write-ahead log
  sqlite3* database_ = nullptr;
};

}  // namespace kjoule
