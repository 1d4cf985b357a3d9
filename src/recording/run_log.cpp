#include "recording/run_log.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json/json_fields.hpp"
#include "base/json/parse_json.hpp"

namespace kjoule {
namespace {

constexpr const char* kObserveAgain = "repeat the command that wrote this log";

template <typename Record>
std::vector<Record> read_records(const std::filesystem::path& path, const std::array<char, 8>& magic) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Error(path.string() + " cannot be read", kObserveAgain);
  const auto bytes = static_cast<size_t>(file.tellg());
  LogHead head;
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!file || head.magic != magic)
    throw Error(path.string() + ": this file is not a kjoule log of a program's run", kObserveAgain);
  if (head.version != kRunLogVersion || head.record_bytes != sizeof(Record))
    throw Error(path.string() + ": was written by another version of kjoule", kObserveAgain);
  std::vector<Record> records((bytes - sizeof head) / sizeof(Record));
  file.read(reinterpret_cast<char*>(records.data()),
            static_cast<std::streamsize>(records.size() * sizeof(Record)));
  if (!file) throw Error(path.string() + " cannot be read", kObserveAgain);
  return records;
}

/// Stores a name at its number, which must follow the last one. Throws Error if it does not.
void store(LoggedName name, std::vector<LoggedName>& names, const std::string& place) {
  if (name.number != names.size())
    throw Error(place + ": the \"number\" of this row is not the previous one + 1", kObserveAgain);
  for (const auto* sizes : {&name.grid, &name.block})
    if (!sizes->empty() && sizes->size() != 3)
      throw Error(place + ": \"grid\" or \"block\" does not have 3 numbers", kObserveAgain);
  names.push_back(std::move(name));
}

void read_names(const std::filesystem::path& path, RunLog& log) {
  std::ifstream file(path);
  if (!file) throw Error(path.string() + " cannot be read", kObserveAgain);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string place = path.string() + ", line " + std::to_string(number);
    const nlohmann::json json = parse_json(line, place);
    if (json.is_discarded() && file.eof()) return;  // a killed program's incomplete last line
    if (!json.is_object()) throw Error(place + ": this line is not a JSON object", kObserveAgain);
    if (json.contains("end")) {
      log.end = read_fields<LogEnd>(json, place);
      continue;
    }
    if (json.contains("uuid")) {
      log.devices.push_back(read_fields<LoggedDevice>(json, place));
      continue;
    }
    if (json.contains("process")) {
      log.process = read_fields<LoggedProcess>(json, place);
      continue;
    }
    if (json.contains("host_ns")) {
      log.clocks.push_back(read_fields<LoggedClocks>(json, place));
      continue;
    }
    auto name = read_fields<LoggedName>(json, place);
    auto& names = name.of_call ? log.call_names : log.operation_names;
    store(std::move(name), names, place);
  }
}

/// Removes the first record whose number has no name and all later ones. A killed program leaves such records
/// in an incomplete log; in a complete one, throws Error.
template <typename Record>
void keep_named(std::vector<Record>& records, size_t names, bool complete, const char* file) {
  const auto unnamed = std::find_if(records.begin(), records.end(),
                                    [&](const Record& record) { return record.name >= names; });
  if (unnamed == records.end()) return;
  if (complete)
    throw Error(std::string(file) + ": a record refers to a name that " + kNamesFile + " lacks",
                kObserveAgain);
  records.erase(unnamed, records.end());
}

}  // namespace

RunLog read_run_log(const std::filesystem::path& folder) {
  RunLog log;
  read_names(folder / kNamesFile, log);
  log.calls = read_records<HostCall>(folder / kCallsFile, kCallsMagic);
  log.operations = read_records<DeviceOperation>(folder / kOperationsFile, kOperationsMagic);
  keep_named(log.calls, log.call_names.size(), log.end.has_value(), kCallsFile);
  keep_named(log.operations, log.operation_names.size(), log.end.has_value(), kOperationsFile);
  std::ranges::stable_sort(log.operations, {}, &DeviceOperation::begin_ns);
  return log;
}

void keep_device(int device, RunLog& log) {
  std::erase_if(log.operations, [&](const DeviceOperation& one) { return one.device != device; });
  std::erase_if(log.calls, [&](const HostCall& one) {
    const bool launches = one.kind == HostCallKind::launch || one.kind == HostCallKind::graph;
    return launches && one.device != device;
  });
}

}  // namespace kjoule
