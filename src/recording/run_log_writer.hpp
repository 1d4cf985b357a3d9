#pragma once
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/files/appended_file.hpp"
#include "base/process/mutex.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// How much of a disk a log may take.
struct LogBounds {
  uint64_t most_bytes = uint64_t{4} << 30;        ///< of the three files together
  uint64_t least_free_bytes = uint64_t{1} << 30;  ///< left to others on the file system
};

/// Writes the log of a run while the program runs: the program's threads add records, and a thread of the
/// writer writes them. At most 256 MiB of records wait; further ones are dropped and counted. The log is cut
/// when it reaches a bound, or when the disk does not take it: all later records are dropped and counted, and
/// the last row says why. Thread-safe.
class RunLogWriter {
 public:
  /// Creates the files of the log and begins to write. Throws Error if they cannot be created.
  explicit RunLogWriter(const std::filesystem::path& folder, LogBounds bounds = {});
  /// Writes what waits, without the last row that says that the log is complete.
  ~RunLogWriter();
  RunLogWriter(const RunLogWriter&) = delete;
  RunLogWriter& operator=(const RunLogWriter&) = delete;

  void add(const HostCall& call);
  void add(const DeviceOperation& operation);
  void add(const LoggedDevice& device);
  void add(const LoggedClocks& clocks);
  /// Returns the number of the call or operation with this key. `describe` gives its name, when the key is
  /// new; its own number is set here. Of a log that is cut the number is 0.
  uint32_t number_of_call(uint64_t key, const std::function<LoggedName()>& describe);
  uint32_t number_of_operation(uint64_t key, const std::function<LoggedName()>& describe);
  /// Adds operations that the profiler itself dropped.
  void add_dropped_operations(uint64_t count);
  /// Waits until all records that were added before are in the files.
  void flush();
  /// Writes everything and the last row. Later records are ignored.
  void finish();

 private:
  /// Records of one file.
  template <typename Record>
  struct Channel {
    std::vector<Record> waiting;
    uint64_t dropped = 0;
  };

  /// What is written at once.
  struct Piece {
    std::string names;
    std::vector<HostCall> calls;
    std::vector<DeviceOperation> operations;
    uint64_t bytes() const;
  };

  template <typename Record>
  void append(const Record& record, Channel<Record>& channel) KJOULE_REQUIRES(mutex_);
  uint32_t number_of(uint64_t key, bool of_call, std::unordered_map<uint64_t, uint32_t>& numbers,
                     const std::function<LoggedName()>& describe) KJOULE_REQUIRES(mutex_);
  void write_until_stopped();
  /// Takes the records that wait.
  Piece take_waiting() KJOULE_REQUIRES(mutex_);
  /// Cuts the log, of which this piece was not written.
  void cut(std::string why, const Piece& piece) KJOULE_REQUIRES(mutex_);
  /// Writes a piece and removes from it what was written: names before the records that refer to them.
  /// Returns why the log must be cut; otherwise an empty text.
  std::string write(Piece& piece) KJOULE_EXCLUDES(mutex_);
  /// Returns why a piece of this size is too much for the disk; an empty text if it is not.
  std::string excess(uint64_t piece_bytes) const;

  const std::filesystem::path folder_;
  const LogBounds bounds_;
  AppendedFile calls_file_, operations_file_, names_file_;  ///< of the writing thread, while there is one
  Mutex mutex_;
  std::condition_variable changed_, written_;
  uint64_t turns_ KJOULE_GUARDED_BY(mutex_) = 0;  ///< of the writing thread
  bool stopped_ KJOULE_GUARDED_BY(mutex_) = false;
  std::string cut_ KJOULE_GUARDED_BY(mutex_);  ///< why the log is cut; empty if it is not
  Channel<HostCall> calls_ KJOULE_GUARDED_BY(mutex_);
  Channel<DeviceOperation> operations_ KJOULE_GUARDED_BY(mutex_);
  std::string waiting_names_ KJOULE_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, uint32_t> call_numbers_ KJOULE_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, uint32_t> operation_numbers_ KJOULE_GUARDED_BY(mutex_);
  std::thread thread_;  ///< the last member: it uses all others
};

}  // namespace kjoule
