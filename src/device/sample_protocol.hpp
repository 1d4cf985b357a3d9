#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/played_direction.hpp"
#include "device/sweep.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// What kjoule asks kjoule-torch to time: one operator at one shape.
struct SampleRequest {
  std::string operator_name;
  std::optional<OperatorCall> call, warmup_call;  ///< an ATen operator, instead of one that has a name
  std::string precision;                          ///< "fp16", "bf16", "fp32"
  SampleShape shape, warmup_shape;
  int64_t warmup_passes = 0;   ///< of the warm-up shape, not timed
  int64_t active = 0;          ///< timed passes, at the most
  bool wants_backward = true;  ///< of an ATen operator
  std::string trace;           ///< a file for the profiler's trace of one more pass; empty for none
};

/// What became of a sample.
enum class SampleStatus {
  measured,
  invalid,    ///< the operator has no such shape
  too_large,  ///< for the device's memory
  refused,    ///< the operator cannot be had in this precision, or on this device
  too_fast,   ///< measured, but faster than the device can be
  error
};
/// "measured", "too large", ...
std::string status_name(SampleStatus status);
/// Throws Error for what is none.
SampleStatus status_named(const std::string& name);

/// One direction of an operator.
struct SampledDirection {
  std::vector<double> passes_us;            ///< each timed pass, in the order of measuring, us
  std::optional<double> flops;              ///< of one pass; nothing where it is not known
  std::optional<double> least_bytes;        ///< that one pass must move at the least
  std::optional<PlayedDirection> played{};  ///< where its energy was asked for
  bool operator==(const SampledDirection&) const = default;
};

struct SampleAnswer {
  SampleStatus status = SampleStatus::error;
  std::string why{};  ///< for all but measured
  /// "forward" and "backward", or "step".
  std::map<std::string, SampledDirection> directions{};
  std::optional<int64_t> peak_memory_bytes{};  ///< allocated on the device, together
  std::optional<int64_t> kernels{};            ///< of one pass, all directions; where they were counted
};

/// A number for each direction of each request: that of the range around its work where it is recorded.
size_t sampled_call(size_t request, const std::string& direction);
/// How many of them a request takes, whether it has those directions or not.
inline constexpr size_t kSampledCalls = 3;

/// Where and with what kjoule-torch runs.
struct SamplingDevice {
  std::string name;  ///< as the driver calls it: "NVIDIA H200"
  std::string torch;
  int threads = 0;                      ///< of libtorch on the CPU
  std::string time;                     ///< what a time is, in words
  std::optional<int64_t> free_bytes{};  ///< of the GPU's memory; none on the CPU
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
/// `played` is not part of an answer: kjoule adds it.
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
}

}  // namespace kjoule
