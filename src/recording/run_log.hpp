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
//   operations.bin  device operations in the order in which CUPTI reported them
//   names.jsonl     the names to which the records refer by number, and the run's other facts
// Each binary file begins with a LogHead; then records of its size follow, in the byte order of the machine.

/// What the host called.
enum class HostCallKind : uint16_t {
  launch,
  graph,
  synchronise,
  allocate,
  free,
  range_begin,
  range_end,
  copy_end,  ///< the end of a call that launched a copy; it has the copy's correlation
};

/// One call of the host.
struct HostCall {
  int64_t time_ns = 0;  ///< host time at which the call began
  /// Of a launch: hash of the parameters that point into allocated memory. Of an allocation: its bytes.
  uint64_t value = 0;
  uint32_t name = 0;         ///< number of the name of the launch (by shape hash) or range
  uint32_t correlation = 0;  ///< CUPTI's number, which the launch's device operations have, too
  uint32_t operations = 0;   ///< device operations: 1 for a launch, the number of nodes for a graph
  uint32_t stream = 0;
  uint32_t thread = 0;
  HostCallKind kind = HostCallKind::launch;
  uint16_t device = 0;
};
static_assert(sizeof(HostCall) == 40);

enum class OperationKind : uint16_t {
  kernel,
  copy,  ///< within the device, or between devices
  set,
  transfer,         ///< a copy between the device and the host's page-locked memory
  staged_transfer,  ///< one between the device and pageable memory, by way of memory of the driver
};

/// One operation of the device, as CUPTI reports it.
struct DeviceOperation {
  int64_t begin_ns = 0;  ///< device times, on CUPTI's clock
  int64_t end_ns = 0;
  uint64_t bytes = 0;  ///< of copies and memsets
  uint32_t name = 0;   ///< number of the kernel, or of the kind of copy
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

constexpr uint32_t kRunLogVersion = 4;
constexpr std::array<char, 8> kCallsMagic{'k', 'j', 'c', 'a', 'l', 'l', 's', 0};
constexpr std::array<char, 8> kOperationsMagic{'k', 'j', 'o', 'p', 'e', 'r', 's', 0};
constexpr const char* kCallsFile = "calls.bin";
constexpr const char* kOperationsFile = "operations.bin";
constexpr const char* kNamesFile = "names.jsonl";

/// What a number in a record means: one row of names.jsonl.
struct LoggedName {
  bool of_call = false;  ///< whether it is a number of calls.bin, not of operations.bin
  uint32_t number = 0;
  std::string name;               ///< of the kernel, the copy or the range
  std::vector<uint32_t> grid{};   ///< blocks, 3 numbers; empty for other operations
  std::vector<uint32_t> block{};  ///< threads per block, 3 numbers
  uint32_t shared_bytes = 0;      ///< per block
  LaunchIdentity identity{};      ///< of a launch
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

/// A GPU that the process sees: one row of names.jsonl.
struct LoggedDevice {
  uint32_t number = 0;  ///< as the process counts its devices, and its records name them
  std::string uuid;     ///< as NVML writes it: "GPU-" and 36 characters
};
template <class Fields>
void describe(Fields& fields, LoggedDevice& device) {
  fields("device", device.number);
  fields("uuid", device.uuid);
}

/// The same moment on both clocks of the log: a row of names.jsonl for each second of the run.
struct LoggedClocks {
  int64_t host_ns = 0;    ///< HostCall's clock
  int64_t device_ns = 0;  ///< DeviceOperation's clock
};
template <class Fields>
void describe(Fields& fields, LoggedClocks& clocks) {
  fields("host_ns", clocks.host_ns);
  fields("device_ns", clocks.device_ns);
}

/// The last row of names.jsonl, written when the program ends.
struct LogEnd {
  bool end = true;
  uint64_t dropped_calls = 0;  ///< records that did not fit into the memory for waiting ones, or on the disk
  uint64_t dropped_operations = 0;
  std::string cut{};  ///< why records after some moment are missing; empty if none was dropped for the disk
};
template <class Fields>
void describe(Fields& fields, LogEnd& row) {
  fields("end", row.end);
  fields("dropped_calls", row.dropped_calls);
  fields("dropped_operations", row.dropped_operations);
  fields.unless_empty("cut", row.cut);
}

/// A log that was read.
struct RunLog {
  std::vector<HostCall> calls;
  std::vector<DeviceOperation> operations;              ///< sorted by begin
  std::vector<LoggedName> call_names, operation_names;  ///< by number
  std::vector<LoggedDevice> devices;
  std::vector<LoggedClocks> clocks;  ///< in order of time
  std::optional<LogEnd> end;         ///< nothing if the program was killed before everything was written
};

/// Reads the log in a folder. An incomplete last record, which a killed program leaves, is omitted. Throws
/// Error for a missing or foreign file, another version, and records whose numbers have no name.
RunLog read_run_log(const std::filesystem::path& folder);

}  // namespace kjoule
