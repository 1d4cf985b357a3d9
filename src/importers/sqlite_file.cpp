#include "importers/sqlite_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr const char* kExportAgain = "export it again (nsys export --type sqlite)";
constexpr int kLongestText = 1 << 20;  ///< size limit of one value, in bytes

/// Returns the path as a URI that declares the file immutable, so that SQLite looks for no journal.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char one : std::filesystem::absolute(path).string())
    uri += one == '%' || one == '?' || one == '#' ? fmt::format("%{:02X}", static_cast<unsigned char>(one))
                                                  : std::string(1, one);
  return uri + "?immutable=1";
}

using Statement = std::unique_ptr<sqlite3_stmt, decltype([](sqlite3_stmt* one) { sqlite3_finalize(one); })>;

}  // namespace

std::optional<int64_t> SqliteRow::whole(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return {};
  return sqlite3_column_int64(statement_, column);
}

std::optional<std::string> SqliteRow::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return {};
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

SqliteFile::SqliteFile(const std::filesystem::path& file) : name_(file.string()) {
  const int opened = sqlite3_open_v2(immutable_uri(name_).c_str(), &database_,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  if (opened != SQLITE_OK) {
    const std::string why = database_ == nullptr ? "no memory" : sqlite3_errmsg(database_);
    sqlite3_close(database_);
    throw Error(fmt::format("{}: cannot be read: {}", name_, why), kExportAgain);
  }
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, kLongestText);
}

SqliteFile::~SqliteFile() {
  sqlite3_close(database_);
}

void SqliteFile::fail() const {
  throw Error(fmt::format("{}: is damaged: {}", name_, sqlite3_errmsg(database_)), kExportAgain);
}

std::set<std::string> SqliteFile::columns(const std::string& table) const {
  std::set<std::string> names;
  query(fmt::format(
            "SELECT c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' "
            "AND t.name = '{}'",
            table),
        [&](const SqliteRow& row) { names.insert(row.text(0).value_or("")); });
  return names;
}

void SqliteFile::query(const std::string& sql, const std::function<void(const SqliteRow&)>& take) const {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) fail();
  const Statement statement(prepared);
  int step = 0;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW) take(SqliteRow(prepared));
  if (step != SQLITE_DONE) fail();
}

}  // namespace kjoule
