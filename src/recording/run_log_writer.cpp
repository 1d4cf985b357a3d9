#include "recording/run_log_writer.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/json_fields.hpp"

namespace kjoule {
namespace {

constexpr size_t kPiece_bytes = size_t{1} << 20;          // as many are written at once
constexpr size_t kMostWaiting_bytes = size_t{128} << 20;  // of each of the two files
constexpr auto kLongestWait = std::chrono::seconds(1);  // so much is lost at most when the program is killed

std::FILE* create(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr)
    throw Error(path.string() + " cannot be written: " + std::strerror(errno),
                "choose another folder with -o");
  return file;
}

template <typename Record>
void write_head(std::FILE* file, const std::array<char, 8>& magic) {
  const LogHead head{magic, kRunLogVersion, sizeof(Record)};
  std::fwrite(&head, sizeof head, 1, file);
}

template <typename Record>
void write(std::FILE* file, const std::vector<Record>& records) {
  std::fwrite(records.data(), sizeof(Record), records.size(), file);
  std::fflush(file);
}

}  // namespace

RunLogWriter::RunLogWriter(const std::filesystem::path& folder)
    : calls_{{create(folder / kCallsFile), &std::fclose}, {}},
      operations_{{create(folder / kOperationsFile), &std::fclose}, {}},
      names_file_(create(folder / kNamesFile), &std::fclose) {
  write_head<HostCall>(calls_.file.get(), kCallsMagic);
  write_head<DeviceOperation>(operations_.file.get(), kOperationsMagic);
  thread_ = std::thread([this] { write_until_stopped(); });
}

RunLogWriter::~RunLogWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

template <typename Record>
void RunLogWriter::append(const Record& record, Channel<Record>& channel) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  if (channel.waiting.size() * sizeof(Record) >= kMostWaiting_bytes) {
    ++channel.dropped;
    return;
  }
  channel.waiting.push_back(record);
  if (channel.waiting.size() == kPiece_bytes / sizeof(Record)) changed_.notify_all();
}

void RunLogWriter::add(const HostCall& call) {
  append(call, calls_);
}

void RunLogWriter::add(const DeviceOperation& operation) {
  append(operation, operations_);
}

void RunLogWriter::add(const LoggedDevice& device) {
  const std::lock_guard lock(mutex_);
  waiting_names_ += write_fields(device).dump() + "\n";
}

void RunLogWriter::add_dropped_operations(uint64_t count) {
  const std::lock_guard lock(mutex_);
  operations_.dropped += count;
}

uint32_t RunLogWriter::number_of(uint64_t key, bool of_call, std::unordered_map<uint64_t, uint32_t>& numbers,
                                 const std::function<LoggedName()>& describe) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = numbers.emplace(key, static_cast<uint32_t>(numbers.size()));
  if (is_new) {
    LoggedName name = describe();
    name.of_call = of_call;
    name.number = at->second;
    waiting_names_ +=
        write_fields(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return at->second;
}

uint32_t RunLogWriter::number_of_call(uint64_t key, const std::function<LoggedName()>& describe) {
  return number_of(key, true, call_numbers_, describe);
}

uint32_t RunLogWriter::number_of_operation(uint64_t key, const std::function<LoggedName()>& describe) {
  return number_of(key, false, operation_numbers_, describe);
}

void RunLogWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  changed_.notify_all();
  thread_.join();
  const LogEnd end{true, calls_.dropped, operations_.dropped};
  const std::string row = write_fields(end).dump() + "\n";
  std::fwrite(row.data(), 1, row.size(), names_file_.get());
  std::fflush(names_file_.get());
}

void RunLogWriter::write_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    changed_.wait_for(lock, kLongestWait);
    write_waiting(lock);
  }
  write_waiting(lock);
}

void RunLogWriter::write_waiting(std::unique_lock<std::mutex>& lock) {
  const std::string names = std::exchange(waiting_names_, {});
  const std::vector<HostCall> calls = std::exchange(calls_.waiting, {});
  const std::vector<DeviceOperation> operations = std::exchange(operations_.waiting, {});
  lock.unlock();
  std::fwrite(names.data(), 1, names.size(), names_file_.get());
  std::fflush(names_file_.get());
  write(calls_.file.get(), calls);
  write(operations_.file.get(), operations);
  lock.lock();
}

}  // namespace kjoule
