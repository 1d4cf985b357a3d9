#include "recording/run_log_writer.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>

#include "base/json/dump_json.hpp"
#include "base/json/json_fields.hpp"
#include "base/process/quiet_thread.hpp"
#include "base/write_error.hpp"

namespace kjoule {
namespace {

constexpr size_t kPiece_bytes = size_t{1} << 20;          // so many waiting bytes wake the writing thread
constexpr size_t kMostWaiting_bytes = size_t{128} << 20;  // for each of the two binary files
constexpr const char* kOtherPlace = "; set TMPDIR to another folder";
constexpr auto kLongestWait = std::chrono::seconds(1);  // between writes; a killed program loses no more

template <typename Record>
void write_head(AppendedFile& file, const std::array<char, 8>& magic) {
  const LogHead head{magic, kRunLogVersion, sizeof(Record)};
  file.append(std::span(&head, 1));
}

std::string gibibytes(uint64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g GiB", static_cast<double>(bytes) / (uint64_t{1} << 30));
  return text.data();
}

}  // namespace

uint64_t RunLogWriter::Piece::bytes() const {
  return names.size() + calls.size() * sizeof(HostCall) + operations.size() * sizeof(DeviceOperation);
}

RunLogWriter::RunLogWriter(const std::filesystem::path& folder, LogBounds bounds)
    : folder_(folder),
      bounds_(bounds),
      calls_file_(folder / kCallsFile, AppendedFile::Contents::remove),
      operations_file_(folder / kOperationsFile, AppendedFile::Contents::remove),
      names_file_(folder / kNamesFile, AppendedFile::Contents::remove) {
  write_head<HostCall>(calls_file_, kCallsMagic);
  write_head<DeviceOperation>(operations_file_, kOperationsMagic);
  // The thread blocks signals, including SIGXFSZ for a file beyond its size limit (ulimit -f), so that such a
  // write fails as on a full disk.
  thread_ = start_quiet_thread([this] { write_until_stopped(); });
}

RunLogWriter::~RunLogWriter() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

template <typename Record>
void RunLogWriter::append(const Record& record, Channel<Record>& channel) {
  if (stopped_) return;
  if (!cut_.empty() || channel.waiting.size() * sizeof(Record) >= kMostWaiting_bytes) {
    ++channel.dropped;
    return;
  }
  channel.waiting.push_back(record);
  if (channel.waiting.size() == kPiece_bytes / sizeof(Record)) changed_.notify_all();
}

void RunLogWriter::add(const HostCall& call) {
  const MutexLock lock(mutex_);
  append(call, calls_);
}

void RunLogWriter::add(const DeviceOperation& operation) {
  const MutexLock lock(mutex_);
  append(operation, operations_);
}

void RunLogWriter::add(const LoggedDevice& device) {
  const MutexLock lock(mutex_);
  if (cut_.empty()) waiting_names_ += write_fields(device).dump() + "\n";
}

void RunLogWriter::add(const LoggedProcess& process) {
  const MutexLock lock(mutex_);
  if (cut_.empty()) waiting_names_ += write_fields(process).dump() + "\n";
}

void RunLogWriter::add(const LoggedClocks& clocks) {
  const MutexLock lock(mutex_);
  if (cut_.empty()) waiting_names_ += write_fields(clocks).dump() + "\n";
}

void RunLogWriter::add_dropped_operations(uint64_t count) {
  const MutexLock lock(mutex_);
  operations_.dropped += count;
}

uint32_t RunLogWriter::number_of(uint64_t key, bool of_call, std::unordered_map<uint64_t, uint32_t>& numbers,
                                 const std::function<LoggedName()>& describe) {
  if (!cut_.empty()) return 0;
  const auto [at, is_new] = numbers.emplace(key, static_cast<uint32_t>(numbers.size()));
  if (is_new) {
    LoggedName name = describe();
    name.of_call = of_call;
    name.number = at->second;
    waiting_names_ += dump_json(write_fields(name)) + "\n";
  }
  return at->second;
}

uint32_t RunLogWriter::number_of_call(uint64_t key, const std::function<LoggedName()>& describe) {
  const MutexLock lock(mutex_);
  return number_of(key, true, call_numbers_, describe);
}

uint32_t RunLogWriter::number_of_operation(uint64_t key, const std::function<LoggedName()>& describe) {
  const MutexLock lock(mutex_);
  return number_of(key, false, operation_numbers_, describe);
}

void RunLogWriter::flush() {
  constexpr auto kLook = std::chrono::milliseconds(1);
  MutexLock lock(mutex_);
  const uint64_t wanted = turns_ + 2;  // a piece in progress may lack the last records
  while (!stopped_ && turns_ < wanted) {
    changed_.notify_all();
    written_.wait_for(lock.to_wait(), kLook);
  }
}

void RunLogWriter::finish() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  changed_.notify_all();
  thread_.join();
  const MutexLock lock(mutex_);
  const LogEnd end{true, calls_.dropped, operations_.dropped, cut_};
  names_file_.append(write_fields(end).dump() + "\n");
}

void RunLogWriter::write_until_stopped() {
  MutexLock lock(mutex_);
  for (bool is_last = false; !is_last;) {
    if (!stopped_) changed_.wait_for(lock.to_wait(), kLongestWait);
    is_last = stopped_;
    Piece piece = take_waiting();  // empty if the log is cut
    lock.unlock();
    std::string why = write(piece);
    lock.lock();
    if (!why.empty()) cut(std::move(why), piece);
    ++turns_;
    written_.notify_all();
  }
}

RunLogWriter::Piece RunLogWriter::take_waiting() {
  return {std::exchange(waiting_names_, {}), std::exchange(calls_.waiting, {}),
          std::exchange(operations_.waiting, {})};
}

void RunLogWriter::cut(std::string why, const Piece& piece) {
  cut_ = std::move(why);
  calls_.dropped += piece.calls.size() + std::exchange(calls_.waiting, {}).size();
  operations_.dropped += piece.operations.size() + std::exchange(operations_.waiting, {}).size();
  waiting_names_.clear();
}

std::string RunLogWriter::write(Piece& piece) {
  if (piece.bytes() == 0) return {};
  if (std::string why = excess(piece.bytes()); !why.empty()) return why;
  try {
    names_file_.append(piece.names);
    calls_file_.append(std::span<const HostCall>(piece.calls));
    piece.calls.clear();
    operations_file_.append(std::span<const DeviceOperation>(piece.operations));
    piece.operations.clear();
  } catch (const WriteError& error) {
    return std::string(error.what()) + kOtherPlace;
  }
  return {};
}

std::string RunLogWriter::excess(uint64_t piece_bytes) const {
  if (names_file_.bytes() + calls_file_.bytes() + operations_file_.bytes() + piece_bytes > bounds_.most_bytes)
    return "the log has reached its largest size of " + gibibytes(bounds_.most_bytes);
  std::error_code unknown;
  const uint64_t free_bytes = std::filesystem::space(folder_, unknown).available;
  if (!unknown && free_bytes < bounds_.least_free_bytes)
    return "less than " + gibibytes(bounds_.least_free_bytes) + " is free in " + folder_.string() +
           kOtherPlace;
  return {};
}

}  // namespace kjoule
