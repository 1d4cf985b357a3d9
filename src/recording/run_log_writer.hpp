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

/// Limits on the disk space of a log.
struct LogBounds {
  uint64_t most_bytes = uint64_t{4} << 30;        ///< largest size of the three files together
  uint64_t least_free_bytes = uint64_t{1} << 30;  ///< bytes of the file system that the log leaves free
};

/// Writes the log of a run while the program runs: the program's threads add records, and a thread of the
/// writer writes them. At most 256 MiB of records wait in memory; further records are dropped and counted.
/// When the log reaches one of its bounds, or a write fails, the log is cut: all later records are dropped
/// and counted, and the last row of names.jsonl contains the reason (LogEnd::cut). Thread-safe.
class RunLogWriter {
 public:
  /// Creates the files of the log and begins to write. Throws Error if the files cannot be created.
  explicit RunLogWriter(const std::filesystem::path& folder, LogBounds bounds = {});
  /// Writes the waiting records, but not the last row (LogEnd), which marks a complete log.
  ~RunLogWriter();
  RunLogWriter(const RunLogWriter&) = delete;
  RunLogWriter& operator=(const RunLogWriter&) = delete;

  void add(const HostCall& call);
  void add(const DeviceOperation& operation);
  void add(const LoggedDevice& device);
  void add(const LoggedProcess& process);
  void add(const LoggedClocks& clocks);
  /// Returns the number of the name with this key (any value that is equal for equal names). For a new key,
  /// calls `describe` and writes the name that it returns, with a new number. Returns 0 if the log is cut.
  uint32_t number_of_call(uint64_t key, const std::function<LoggedName()>& describe);
  uint32_t number_of_operation(uint64_t key, const std::function<LoggedName()>& describe);
  /// Adds `count` to the number of dropped operations: operations that CUPTI dropped.
  void add_dropped_operations(uint64_t count);
  /// Waits until all records that were added so far are in the files.
  void flush();
  /// Writes all waiting records and the last row (LogEnd). Records that are added later are ignored.
  void finish();

 private:
  /// The records of one file that wait to be written, and the number of its dropped records.
  template <typename Record>
  struct Channel {
    std::vector<Record> waiting;
    uint64_t dropped = 0;
  };

  /// Names and records that are written together.
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
  /// Returns all waiting names and records, and removes them from the queues.
  Piece take_waiting() KJOULE_REQUIRES(mutex_);
  /// Cuts the log and counts the records of `piece`, which was not written, as dropped.
  void cut(std::string why, const Piece& piece) KJOULE_REQUIRES(mutex_);
  /// Writes a piece, names before the records that refer to them, and removes the written records from the
  /// piece. Returns the reason if the log must be cut; otherwise an empty text.
  std::string write(Piece& piece) KJOULE_EXCLUDES(mutex_);
  /// Returns a text on the bound that the log would violate with a further piece of this size; an empty text
  /// if it would violate none.
  std::string excess(uint64_t piece_bytes) const;

  const std::filesystem::path folder_;
  const LogBounds bounds_;
  AppendedFile calls_file_, operations_file_,
      names_file_;  ///< only the writing thread uses them while it runs
  Mutex mutex_;
  std::condition_variable changed_, written_;
  uint64_t turns_ KJOULE_GUARDED_BY(mutex_) = 0;  ///< number of pieces that the writing thread has written
  bool stopped_ KJOULE_GUARDED_BY(mutex_) = false;
  std::string cut_ KJOULE_GUARDED_BY(mutex_);  ///< the reason if the log is cut; otherwise empty
  Channel<HostCall> calls_ KJOULE_GUARDED_BY(mutex_);
  Channel<DeviceOperation> operations_ KJOULE_GUARDED_BY(mutex_);
  std::string waiting_names_ KJOULE_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, uint32_t> call_numbers_ KJOULE_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, uint32_t> operation_numbers_ KJOULE_GUARDED_BY(mutex_);
  std::thread thread_;  ///< the last member: it uses all others
};

}  // namespace kjoule
