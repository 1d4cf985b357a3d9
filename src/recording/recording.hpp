#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_fields.hpp"

namespace kjoule {

/// Position of a launch within its iteration, from 0.
using LaunchIndex = uint32_t;

/// Where a kernel's code comes from.
enum class Tier { cuda_runtime = 1, vendor_library = 2, framework = 3, unknown = 0 };

/// The report's name of a tier: tier1_cuda_runtime, tier2_cublas, tier3_libtorch, unknown.
const char* tier_key(Tier tier);

/// One device operation as the program issued it.
struct Launch {
  std::string name;  ///< kernel or operator overload, e.g. "aten::linear"
  Tier tier = Tier::unknown;
  /// What makes two launches the same kernel: operator, shapes, strides, dtypes, scalars; never ids or
  /// streams.
  std::string signature;
  /// Everything else worth keeping: arguments with value and storage ids, outputs, what it writes. See
  /// docs/reference/formats.md.
  nlohmann::json detail;
};

/// One iteration of a program, in order, and where it was recorded.
struct Recording {
  static constexpr int version = 1;
  nlohmann::json program;  ///< model file, its hash and metadata, inputs; or the simulated program's spec
  nlohmann::json device;   ///< name, threads, versions
  std::vector<Launch> launches;
};

// Conversion to and from messages (base/json_fields); the file format is recording.cpp's.
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
void describe(Fields& fields, Recording& recording) {
  fields("program", recording.program);
  fields("device", recording.device);
  fields("launches", recording.launches);
}

/// Launches of one signature.
struct Kernel {
  std::string name;
  Tier tier = Tier::unknown;
  std::string signature;
  std::vector<LaunchIndex> places;  ///< where it occurs, ascending; its count is their number
};

/// Kernels in order of first occurrence. Every launch is in exactly one.
struct KernelTable {
  std::vector<Kernel> kernels;
  std::vector<uint32_t> kernel_of;  ///< for each launch
};

KernelTable kernel_table(const Recording& recording);

/// First launch at which two recordings of one program differ in signature; -1 when they are the same.
int64_t first_difference(const Recording& a, const Recording& b);

/// Identity of a recording: hash of its signatures in order, 16 hex digits.
std::string fingerprint(const Recording& recording);

/// recording.jsonl: a header line, then a line for each launch. Written atomically.
void write_recording(const std::string& path, const Recording& recording);
/// Whether a file says at its begin that it is a recording of any version.
bool is_recording(const std::string& path);
/// Throws Error naming file and line for anything that is missing, truncated or of another version.
Recording read_recording(const std::string& path);
/// The same of a file's text.
Recording recording_from(const std::string& text, const std::string& path);

}  // namespace kjoule
