#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "recording/launch_identity.hpp"

namespace kjoule {

// The log of a program's run: a folder with three files that the injected library writes while the program
// runs.
//   calls.bin       host calls in the order in which they were made
// operations.bin  operations of the device, in the order in which CUPTI reported them
// names.jsonl     the names to which the records refer by number, and the run's other facts Each binary file
// begins with a LogHead. The records follow, each of LogHead::record_bytes bytes, in the machine's byte
// order.

/// The type of a host call.
enum class HostCallKind : uint16_t {
  launch,
  graph,
  synchronise,
  allocate,
  free,
  range_begin,
  range_end,
  copy_end,  ///< the end of a call that launched a copy; has the correlation of the call
};

/// One call of the host.
struct HostCall {
  int64_t time_ns = 0;  ///< host time at which the call began
  /// For a launch, a hash of the parameters that point into allocated memory. For an allocation, its size in
  /// bytes.
  uint64_t value = 0;
  uint32_t name = 0;  ///< LoggedName::number of the launch (one number per shape hash) or of the NVTX range
  /// CUPTI's id of the call; DeviceOperation::correlation of each operation of a launch is equal to it.
  uint32_t correlation = 0;
  /// Number of device operations: 1 for a launch, the number of nodes for a graph.
  uint32_t operations = 0;
  uint32_t stream = 0;
  uint32_t thread = 0;
  HostCallKind kind = HostCallKind::launch;
  uint16_t device = 0;
};
static_assert(sizeof(HostCall) == 40);

enum class OperationKind : uint16_t {
  kernel,
  copy,  ///< a copy within the device, or between devices
  set,
  transfer,         ///< a copy between the device and the host's page-locked memory
  staged_transfer,  ///< a copy between the device and pageable memory, through pinned memory of the driver
};

/// One operation of the device, as CUPTI reports it.
struct DeviceOperation {
  int64_t begin_ns = 0;  ///< begin_ns, end_ns: times on CUPTI's clock of the device
  int64_t end_ns = 0;
  uint64_t bytes = 0;  ///< size of a copy or memset
  uint32_t name = 0;   ///< LoggedName::number of the kernel, or of the kind of copy
  uint32_t correlation = 0;
  uint32_t stream = 0;
  OperationKind kind = OperationKind::kernel;
  uint16_t device = 0;
};
static_assert(sizeof(DeviceOperation) == 40);

/// The beginning of a binary file of the log.
struct LogHead {
  std::array<char, 8> magic{};  ///< "kjcalls" or "kjopers", and a zero
  uint32_t version = 0;
  uint32_t record_bytes = 0;
};
static_assert(sizeof(LogHead) == 16);

constexpr uint32_t kRunLogVersion = 5;
constexpr std::array<char, 8> kCallsMagic{'k', 'j', 'c', 'a', 'l', 'l', 's', 0};
constexpr std::array<char, 8> kOperationsMagic{'k', 'j', 'o', 'p', 'e', 'r', 's', 0};
constexpr const char* kCallsFile = "calls.bin";
constexpr const char* kOperationsFile = "operations.bin";
constexpr const char* kNamesFile = "names.jsonl";

/// A name to which records refer by number: one row of names.jsonl.
struct LoggedName {
  bool of_call = false;  ///< true if the number is used in calls.bin, false if in operations.bin
  uint32_t number = 0;
  std::string name;               ///< name of the kernel, kind of the copy, or name of the NVTX range
  std::vector<uint32_t> grid{};   ///< numbers of blocks in x, y and z; empty if the name is not a kernel's
  std::vector<uint32_t> block{};  ///< threads per block in x, y and z; empty if the name is not a kernel's
  uint32_t shared_bytes = 0;      ///< bytes of shared memory per block
  LaunchIdentity identity{};      ///< hashes of the launch; 0 if the name is not a launch's
};
template <class Fields>
void describe(Fields& fields, LoggedName& name) {
  fields("of_call", name.of_call);
  fields("number", name.number);
  fields("name", name.name);
  fields("grid", name.grid);
  fields("block", name.block);
  fields.unless_empty("shared_bytes", name.shared_bytes);
  fields("identity", name.identity);
}

/// A GPU that is visible to the process: one row of names.jsonl.
struct LoggedDevice {
  /// CUDA's number of the GPU in the process, as in HostCall::device and DeviceOperation::device.
  uint32_t number = 0;
  std::string uuid;  ///< as NVML writes it: "GPU-" and 36 characters
};
template <class Fields>
void describe(Fields& fields, LoggedDevice& device) {
  fields("device", device.number);
  fields("uuid", device.uuid);
}

/// The process whose log this is: one row of names.jsonl.
struct LoggedProcess {
  int process = 0;          ///< process id
  std::optional<int> rank;  ///< rank of the process in its program, if the program's launcher states it
};
template <class Fields>
void describe(Fields& fields, LoggedProcess& process) {
  fields("process", process.process);
  fields("rank", process.rank);
}

/// Simultaneous readings of both clocks of the log: names.jsonl has such a row for each second of the run.
struct LoggedClocks {
  int64_t host_ns = 0;    ///< time on the clock of HostCall
  int64_t device_ns = 0;  ///< time on the clock of DeviceOperation
};
template <class Fields>
void describe(Fields& fields, LoggedClocks& clocks) {
  fields("host_ns", clocks.host_ns);
  fields("device_ns", clocks.device_ns);
}

/// The last row of names.jsonl, written when the program ends.
struct LogEnd {
  bool end = true;
  /// Numbers of records that are missing in the files, because the memory for waiting records or the disk was
  /// full.
  uint64_t dropped_calls = 0;
  uint64_t dropped_operations = 0;
  /// The reason if the log was cut before the program ended (RunLogWriter); otherwise empty.
  std::string cut{};
};
template <class Fields>
void describe(Fields& fields, LogEnd& row) {
  fields("end", row.end);
  fields("dropped_calls", row.dropped_calls);
  fields("dropped_operations", row.dropped_operations);
  fields.unless_empty("cut", row.cut);
}

/// The contents of a log.
struct RunLog {
  std::vector<HostCall> calls;
  std::vector<DeviceOperation> operations;              ///< sorted by begin time
  std::vector<LoggedName> call_names, operation_names;  ///< by number
  std::vector<LoggedDevice> devices;
  LoggedProcess process;
  std::vector<LoggedClocks> clocks;  ///< in order of time
  std::optional<LogEnd> end;         ///< nothing if the program was killed before everything was written
};

/// Reads the log in a folder. An incomplete last record, as a killed program leaves it, is omitted. Throws
/// Error if a file is missing, is not a file of a log, or has another version than kRunLogVersion, or if a
/// record's number has no name.
RunLog read_run_log(const std::filesystem::path& folder);

/// Removes the launches and the operations of all other devices from the log.
void keep_device(int device, RunLog& log);

}  // namespace kjoule
