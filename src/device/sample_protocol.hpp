#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/replayed_direction.hpp"
#include "device/sweep.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// A request of kjoule to kjoule-torch to time one operator with one shape.
struct SampleRequest {
  std::string operator_name;
  /// An ATen operator to time instead of an operator of sampled_operators(): `call` contains its arguments,
  /// `warmup_call` those of the warm-up.
  std::optional<OperatorCall> call, warmup_call;
  std::string precision;  ///< "fp16", "bf16", "fp32"
  SampleShape shape, warmup_shape;
  int64_t warmup_passes = 0;   ///< untimed passes of the warm-up shape
  int64_t active = 0;          ///< highest number of timed passes
  bool wants_backward = true;  ///< whether the backward of an ATen operator is timed
  /// File in which the profiler's trace of one additional pass is stored; empty: no trace.
  std::string trace;
};

/// The outcome of a sample.
enum class SampleStatus {
  measured,
  invalid,    ///< the operator has no such shape
  too_large,  ///< the sample does not fit into the device's memory
  refused,    ///< the operator does not support this precision or this device
  too_fast,   ///< measured, but faster than the device's roofs allow
  error
};
/// Returns the status in words: "measured", "too large", ...
std::string status_name(SampleStatus status);
/// Returns the status of that name. Throws Error for an unknown name.
SampleStatus status_named(const std::string& name);

/// The timed passes of one direction of an operator, and its FLOPs and bytes.
struct SampledDirection {
  std::vector<double> passes_us;      ///< duration of each timed pass, in order
  std::optional<double> flops;        ///< FLOPs of one pass, if known
  std::optional<double> least_bytes;  ///< least number of bytes that one pass reads and writes, if known
  /// Result of the replay as a graph; nothing unless energy was requested.
  std::optional<ReplayedDirection> replay{};
  bool operator==(const SampledDirection&) const = default;
};

/// The result of a SampleRequest.
struct SampleAnswer {
  SampleStatus status = SampleStatus::error;
  std::string why{};  ///< the reason for any status except `measured`
  /// The directions by name: "forward" and "backward", or "step".
  std::map<std::string, SampledDirection> directions{};
  std::optional<int64_t> peak_memory_bytes{};  ///< most bytes allocated on the device at the same time
  /// Number of kernels in one pass of all directions; nothing if not counted.
  std::optional<int64_t> kernels{};
};

/// Returns a number for a direction of the request with index `request`. When the work is recorded, the NVTX
/// range around the direction's work has this number.
size_t sampled_call(size_t request, const std::string& direction);
/// The numbers of sampled_call() per request: one each for "forward", "backward" and "step", even if the
/// operator does not have all three.
inline constexpr size_t kSampledCalls = 3;

/// The device on which kjoule-torch times samples, and the version of torch.
struct SamplingDevice {
  std::string name;  ///< name that the driver reports: "NVIDIA H200"
  std::string torch;
  int threads = 0;                      ///< number of libtorch's threads on the CPU
  std::string time;                     ///< description of the time that is measured, for reports
  std::optional<int64_t> free_bytes{};  ///< free memory of the GPU; empty on the CPU
  std::string uuid{};                   ///< UUID of the GPU; empty on the CPU
};

template <class Fields>
void describe(Fields& fields, SampleRequest& request) {
  fields("operator", request.operator_name);
  fields("call", request.call);
  fields("warmup_call", request.warmup_call);
  fields("precision", request.precision);
  fields("shape", request.shape);
  fields("warmup_shape", request.warmup_shape);
  fields("warmup_passes", request.warmup_passes);
  fields("active", request.active);
  fields("wants_backward", request.wants_backward);
  fields("trace", request.trace);
}
/// Converts a direction to and from a message. The message does not contain `replay`, which kjoule adds to
/// the answer.
template <class Fields>
void describe(Fields& fields, SampledDirection& direction) {
  fields("passes_us", direction.passes_us);
  fields("flops", direction.flops);
  fields("least_bytes", direction.least_bytes);
}
template <class Fields>
void describe(Fields& fields, SampleAnswer& answer) {
  fields.as("status", answer.status, status_name, status_named);
  fields.unless_empty("why", answer.why);
  fields.unless_empty("directions", answer.directions);
  fields("peak_memory_bytes", answer.peak_memory_bytes);
  fields("kernels", answer.kernels);
}
template <class Fields>
void describe(Fields& fields, SamplingDevice& device) {
  fields("device", device.name);
  fields("torch", device.torch);
  fields("threads", device.threads);
  fields("time", device.time);
  fields("free_bytes", device.free_bytes);
  fields.unless_empty("uuid", device.uuid);
}

}  // namespace kjoule
