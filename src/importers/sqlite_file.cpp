#include "importers/sqlite_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {

namespace {

constexpr const char* kExportAgain = "export it again (nsys export --type sqlite)";
constexpr int kLongestText = 1 << 20;  ///< size limit of one value, in bytes

/// Returns the path as a URI.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char one : std::filesystem::absolute(path).string())
    uri += one == '%' || one == '?' || one == '#' ? fmt::format("%{:02X}", static_cast<unsigned char>(one))
                                                  : std::string(1, one);
  return uri;
}

/// Size and time of the last change of a file; both are 0 if there is no such file.
struct FileState {
  uintmax_t size = 0;
  std::filesystem::file_time_type changed{};

  explicit FileState(const std::filesystem::path& file) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) return;
    size = std::filesystem::file_size(file, none);
    changed = std::filesystem::last_write_time(file, none);
  }
  bool operator==(const FileState&) const = default;
};

/// Throws Error if a program ended while it wrote the database: then the database is inconsistent until its
/// journal is undone, which SQLite does only where it may write.
void refuse_journal(const std::filesystem::path& file) {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const std::filesystem::path journal = file.string() + "-journal";
  if (FileState(journal).size > 0 && read_beginning(journal, kMagic.size()) == kMagic)
    throw Error(fmt::format("{}: a program ended while it wrote this database, and {} must be applied to it",
                            file.string(), journal.string()),
                kExportAgain);
}

/// Copies the database and its write-ahead log into a temporary folder. Throws Error if they change
/// meanwhile, or if there is no room for them.
std::unique_ptr<TemporaryFolder> copy_with_log(const std::filesystem::path& file,
                                               const std::filesystem::path& log) {
  const FileState file_before(file), log_before(log);
  auto folder = std::make_unique<TemporaryFolder>();
  std::error_code failed;
  std::filesystem::copy_file(log, *folder / "database-wal", failed);
  if (!failed) std::filesystem::copy_file(file, *folder / "database", failed);
  if (failed)
    throw Error(
        fmt::format("{}: its latest rows are in {}, and no copy of both could be made to read them: {}",
                    file.string(), log.string(), std::generic_category().message(failed.value())),
        "set TMPDIR to a folder with more room, or " + std::string(kExportAgain));
  if (FileState(file) != file_before || FileState(log) != log_before)
    throw Error(file.string() + ": another program is writing this database", "wait until it has ended");
  return folder;
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
  refuse_journal(file);
  const std::filesystem::path log = name_ + "-wal";
  if (FileState(log).size > 0) copy_ = copy_with_log(file, log);
  // SQLite looks for no log or journal next to an immutable file. It may write to the copy.
  const std::string uri = copy_ ? uri_of(*copy_ / "database") : uri_of(file) + "?immutable=1";
  const int access = copy_ ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int opened =
      sqlite3_open_v2(uri.c_str(), &database_, access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
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

std::vector<std::string> SqliteFile::tables() const {
  std::vector<std::string> names;
  query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
        [&](const SqliteRow& row) { names.push_back(row.text(0).value_or("")); });
  return names;
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
