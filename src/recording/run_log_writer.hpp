#pragma once
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "recording/run_log.hpp"

namespace kjoule {

/// Writes the log of a run while the program runs: the program's threads add records, and a thread of the
/// writer writes them. At most 256 MiB of records wait; further ones are dropped and counted. Thread-safe.
class RunLogWriter {
 public:
  /// Creates the files of the log and begins to write. Throws Error if they cannot be created.
  explicit RunLogWriter(const std::filesystem::path& folder);
  /// Writes what waits, without the last row that says that the log is complete.
  ~RunLogWriter();
  RunLogWriter(const RunLogWriter&) = delete;
  RunLogWriter& operator=(const RunLogWriter&) = delete;

  void add(const HostCall& call);
  void add(const DeviceOperation& operation);
  void add(const LoggedDevice& device);
  /// Returns the number of the call or operation with this key. `describe` gives its name, when the key is
  /// new; its own number is set here.
  uint32_t number_of_call(uint64_t key, const std::function<LoggedName()>& describe);
  uint32_t number_of_operation(uint64_t key, const std::function<LoggedName()>& describe);
  /// Adds operations that the profiler itself dropped.
  void add_dropped_operations(uint64_t count);
  /// Writes everything and the last row. Later records are ignored.
  void finish();

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  /// Records of one file that wait, and the file.
  template <typename Record>
  struct Channel {
    File file;
    std::vector<Record> waiting;
    uint64_t dropped = 0;
  };

  template <typename Record>
  void append(const Record& record, Channel<Record>& channel);
  uint32_t number_of(uint64_t key, bool of_call, std::unordered_map<uint64_t, uint32_t>& numbers,
                     const std::function<LoggedName()>& describe);
  void write_until_stopped();
  /// Writes the records that wait. Names are written before the records that refer to them.
  void write_waiting(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  Channel<HostCall> calls_;
  Channel<DeviceOperation> operations_;
  File names_file_;
  std::string waiting_names_;
  std::unordered_map<uint64_t, uint32_t> call_numbers_, operation_numbers_;
  std::thread thread_;  ///< the last member: it uses all others
};

}  // namespace kjoule
