#include "importers/nsys_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace kjoule {

namespace {

constexpr std::string_view kActivities = "CUPTI_ACTIVITY_KIND_";

/// Returns whether `name` is `base` with an optional version: "_V2", "V2", "_2" or "2".
bool is_version_of(std::string_view name, std::string_view base) {
  if (!name.starts_with(base)) return false;
  name.remove_prefix(base.size());
  if (name.empty()) return true;
  if (name.starts_with('_')) name.remove_prefix(1);
  if (name.starts_with('V') || name.starts_with('v')) name.remove_prefix(1);
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns whether a table's name needs no quotes. Names come from the file.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Returns whether the rows of a table may be work of a device. Those of the excluded kinds are calls and
/// waits of the host.
bool may_be_work(std::string_view name) {
  if (name.ends_with("_WORKLOAD")) return true;  // of graphics
  constexpr std::array kOfHost = {"RUNTIME", "DRIVER", "SYNCHRONIZATION",     "OVERHEAD", "OPENACC",
                                  "MARKER",  "NAME",   "EXTERNAL_CORRELATION"};
  return name.starts_with(kActivities) && std::ranges::none_of(kOfHost, [&](const char* kind) {
           return name.find(kind) != std::string_view::npos;
         });
}

}  // namespace

NsysTables::NsysTables(const SqliteFile& database) : database_(database), names_(database.tables()) {
  std::erase_if(names_, [](const std::string& name) { return !is_plain(name); });
}

std::vector<std::string> NsysTables::versions_of(const std::string& name) const {
  std::vector<std::string> versions;
  std::ranges::copy_if(names_, std::back_inserter(versions),
                       [&](const std::string& table) { return is_version_of(table, name); });
  return versions;
}

bool NsysTables::contains(const std::string& name) const {
  return std::ranges::find(names_, name) != names_.end();
}

bool NsysTables::contains_prefix(const std::string& prefix) const {
  return std::ranges::any_of(names_, [&](const std::string& name) { return name.starts_with(prefix); });
}

std::vector<UnreadWork> NsysTables::unread_work(const std::vector<std::string>& read) const {
  std::vector<UnreadWork> unread;
  for (const std::string& name : names_) {
    if (!may_be_work(name) || std::ranges::find(read, name) != read.end()) continue;
    const std::set<std::string> columns = database_.columns(name);
    if (!columns.contains("start") || !columns.contains("end")) continue;
    UnreadWork work{"of the table " + name, 0, {}};
    database_.query(
        fmt::format("SELECT COUNT(*), CAST(TOTAL(\"end\" - \"start\") AS INTEGER) FROM \"{}\"", name),
        [&](const SqliteRow& row) {
          work.number = static_cast<uint64_t>(row.whole(0).value_or(0));
          work.total_us = static_cast<double>(row.whole(1).value_or(0)) / 1e3;
        });
    if (work.number > 0) unread.push_back(work);
  }
  return unread;
}

}  // namespace kjoule
