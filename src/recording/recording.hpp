#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// The position of a launch within its iteration, from 0.
using LaunchIndex = uint32_t;

/// The origin of a kernel's code.
enum class Tier { cuda_runtime = 1, vendor_library = 2, framework = 3, unknown = 0 };

/// Returns the tier's key in reports: tier1_cuda_runtime, tier2_cublas, tier3_libtorch or unknown.
const char* tier_key(Tier tier);

/// Key in Launch::detail. Its value is true if an argument of the kernel is an address in page-locked memory
/// of the host.
constexpr const char* kUsesHostMemory = "uses_host_memory";

/// One device operation as the program issued it.
struct Launch {
  std::string name;  ///< kernel or operator overload, e.g. "aten::linear"
  Tier tier = Tier::unknown;
  /// Identifies the kernel: launches with equal signatures are the same kernel. On a CPU, the signature
  /// contains operator, shapes, strides, types and scalars. On a GPU, it contains name, grid, block, shared
  /// bytes and a hash of attributes and arguments. It contains neither ids nor streams.
  std::string signature;
  /// All other recorded properties, such as arguments with value and storage ids, outputs and write sets. See
  /// docs/reference/formats.md.
  nlohmann::json detail;
};

/// Numbers of launches at both ends of a recording that are replayed, but not measured. Both are 0 for an
/// iteration. In a window that is not an iteration, the first and last measured launches are so replayed
/// between the same launches as in the program.
struct WindowEdges {
  size_t lead = 0;  ///< number of launches before the measured launches
  size_t tail = 0;  ///< number of launches after the measured launches

  /// Returns whether the window is an iteration, which can be repeated without restoring memory.
  bool is_closed() const { return lead == 0 && tail == 0; }
  bool operator==(const WindowEdges&) const = default;
};

/// The launches of one replay window in order, with the program and device on which they were recorded. The
/// usual window is one iteration of a loop.
struct Recording {
  static constexpr int version = 1;
  /// Model file with its hash, metadata and inputs, or the specification of a simulated program.
  nlohmann::json program;
  nlohmann::json device;  ///< name of the device, number of threads, versions of driver and libraries
  std::vector<Launch> launches;
  WindowEdges edges{};

  /// Returns the measured launches: all launches except lead and tail.
  std::span<const Launch> measured() const {
    return std::span(launches).subspan(edges.lead, launches.size() - edges.lead - edges.tail);
  }
};

// Conversion to and from messages (base/json/json_fields). recording.cpp defines the file format.
template <class Fields>
void describe(Fields& fields, Launch& launch) {
  fields("name", launch.name);
  fields.as(
      "tier", launch.tier, [](Tier tier) { return static_cast<int>(tier); },
      [](int tier) { return static_cast<Tier>(tier); });
  fields("signature", launch.signature);
  fields("detail", launch.detail);
}
template <class Fields>
void describe(Fields& fields, WindowEdges& edges) {
  fields("lead", edges.lead);
  fields("tail", edges.tail);
}
template <class Fields>
void describe(Fields& fields, Recording& recording) {
  fields("program", recording.program);
  fields("device", recording.device);
  fields("launches", recording.launches);
  fields("edges", recording.edges);
}

/// All launches with one signature.
struct Kernel {
  std::string name;
  Tier tier = Tier::unknown;
  std::string signature;
  /// Positions of the kernel's launches in the recording, ascending. Their number is the kernel's count per
  /// iteration.
  std::vector<LaunchIndex> places;
  /// Bytes that one launch copies or sets; nothing unless the kernel is a copy or memset.
  std::optional<uint64_t> bytes_moved{};
};

/// The kernels of a window in order of first occurrence. Every measured launch belongs to exactly one kernel.
struct KernelTable {
  static constexpr uint32_t kNone = UINT32_MAX;  ///< value in kernel_of for a launch that is not measured

  std::vector<Kernel> kernels;
  std::vector<uint32_t> kernel_of;  ///< for each launch, its kernel's index in `kernels`, or kNone

  /// Returns the kernel of a launch; nothing if the launch is not measured.
  std::optional<uint32_t> kernel_at(LaunchIndex launch) const {
    const uint32_t kernel = kernel_of.at(launch);
    return kernel == kNone ? std::nullopt : std::optional(kernel);
  }
};

KernelTable kernel_table(const Recording& recording);
/// Returns all launches of `kernels`, which are indices in the table, in the order of the iteration.
std::vector<LaunchIndex> launches_of(const KernelTable& table, const std::vector<uint32_t>& kernels);

/// Compares the signatures of the measured launches of two recordings in order. Returns the index of the
/// first measured launch at which they differ, or -1 if all signatures are equal.
int64_t first_difference(const Recording& a, const Recording& b);

/// Returns the identity of a recording: a hash of the signatures of its measured launches in order, as 16
/// hexadecimal digits.
std::string fingerprint(const Recording& recording);

/// Returns a recording as JSONL: a header line, then one line for each launch.
std::string recording_text(const Recording& recording);
/// Writes recording_text() to a file, which is replaced only after everything was written.
void write_recording(const std::string& path, const Recording& recording);
/// Returns whether the first line of the file is the header of a recording, of this or any other version.
bool is_recording(const std::string& path);
/// Reads a recording. Throws Error that names file and line if a field or a launch is missing, or if this
/// kjoule does not support the file's version.
Recording read_recording(const std::string& path);
/// Like read_recording(), but reads `text`, the contents of the file `path`.
Recording recording_from(std::string_view text, const std::string& path);

}  // namespace kjoule
