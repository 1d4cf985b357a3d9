#include "torch/sampling.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <torch/version.h>

#include <algorithm>

#include "base/error.hpp"
#include "device/sample_row.hpp"
#include "torch/device_facts.hpp"
#include "torch/failure.hpp"
#include "torch/placement.hpp"
#include "torch/profile_pass.hpp"
#include "torch/requested_operator.hpp"
#include "torch/stopwatches.hpp"

namespace kjoule::runner {

namespace {

/// The memory that libtorch's allocator has allocated on the device.
class DeviceMemory {
 public:
  explicit DeviceMemory(c10::Device device) : device_(device) {
    // The allocator counts bytes from this initialisation on.
    if (!device.is_cpu()) at::globalContext().lazyInitDevice(device.type());
  }
  void reset_peak() {
    if (!device_.is_cpu()) allocator().resetPeakStats(device_.index());
  }
  /// Returns the highest number of allocated bytes; nothing on the CPU, whose allocator does not count.
  std::optional<int64_t> peak_bytes() {
    if (device_.is_cpu()) return {};
    const auto stats = allocator().getDeviceStats(device_.index());
    return stats.allocated_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak;
  }
  void release_cache() {
    if (!device_.is_cpu()) allocator().emptyCache();
  }
  /// Returns the number of free bytes of the GPU's memory; nothing on the CPU.
  std::optional<int64_t> free_bytes() {
    if (device_.is_cpu()) return {};
    return static_cast<int64_t>(allocator().getMemoryInfo(device_.index()).first);
  }

 private:
  c10::DeviceAllocator& allocator() { return *c10::getDeviceAllocator(device_.type()); }
  c10::Device device_;
};

class Sampler {
 public:
  Sampler(const CallableOperators& callable, c10::Device device)
      : callable_(callable), device_(device), memory_(device), watch_(make_stopwatch(device)) {}

  SampleAnswer sample(const SampleRequest& request) {
    warm_up(request);
    memory_.reset_peak();
    Directions directions = make_requested_operator(request, callable_, device_);
    SampleAnswer answer;
    for (const auto& [name, direction] : directions)
      answer.directions[name] = {{}, direction.flops, direction.least_bytes};
    time_passes(directions, request.active, answer);
    answer.peak_memory_bytes = memory_.peak_bytes();
    if (!request.trace.empty()) answer.kernels = trace_pass(directions, request.trace);
    answer.status = SampleStatus::measured;
    return answer;
  }

 private:
  void warm_up(const SampleRequest& request) {
    if (request.warmup_passes == 0) return;
    Directions directions = make_warmup_operator(request, callable_, device_);
    for (int64_t i = 0; i < request.warmup_passes; ++i)
      for (const std::string& name : order_of(directions)) time_pass_us(directions.at(name));
  }

  /// Times up to `active` passes, until the times of all directions are precise. A first pass, in which
  /// kernels are loaded and memory is allocated, is not timed.
  void time_passes(Directions& directions, int64_t active, SampleAnswer& answer) {
    for (int64_t i = -1; i < active && !all_precise(answer); ++i)
      for (const std::string& name : order_of(directions)) {
        const double us = time_pass_us(directions.at(name));
        if (i >= 0) answer.directions[name].passes_us.push_back(us);
      }
  }

  static bool all_precise(const SampleAnswer& answer) {
    return std::ranges::all_of(answer.directions,
                               [](const auto& named) { return is_precise(named.second.passes_us); });
  }

  double time_pass_us(Direction& direction) {
    if (direction.prepare) direction.prepare();
    direction.run(*watch_);
    return watch_->take_us();
  }

  std::optional<int64_t> trace_pass(Directions& directions, const std::string& file) {
    const auto watch = no_stopwatch();
    // The trace also contains the preparation of a pass, if there is one.
    const auto pass = [&] {
      for (const std::string& name : order_of(directions)) {
        if (directions.at(name).prepare) directions.at(name).prepare();
        directions.at(name).run(*watch);
      }
    };
    return profile_pass(pass, device_, file);
  }

  const CallableOperators& callable_;
  c10::Device device_;
  DeviceMemory memory_;
  std::unique_ptr<ReadableStopwatch> watch_;
};

SampleAnswer failed_answer(SampleStatus status, const std::string& why) {
  SampleAnswer answer;
  answer.status = status;
  answer.why = why;
  return answer;
}

/// Returns whether the reason is libtorch's message about an operator that supports only other types or
/// devices.
bool is_unsupported(const std::string& reason) {
  for (const char* words :
       {"not implemented for '", "not supported for", "Could not run '", "Expected mat_a to be"})
    if (reason.find(words) != std::string::npos) return true;
  return false;
}

SampleAnswer answer_to(const SampleRequest& request, const CallableOperators& callable, c10::Device device) {
  try {
    return Sampler(callable, device).sample(request);
  } catch (const InvalidShape& error) {
    return failed_answer(SampleStatus::invalid, error.what());
  } catch (const UnsupportedOperator& error) {
    return failed_answer(SampleStatus::refused, error.line());
  } catch (const Error& error) {
    return failed_answer(SampleStatus::error, error.line());
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) return failed_answer(SampleStatus::too_large, "out of memory");
    const std::string why = reason(error);
    return failed_answer(is_unsupported(why) ? SampleStatus::refused : SampleStatus::error, why);
  }
}

}  // namespace

SamplingDevice sampling_device(c10::Device device) {
  return {device_name(device),
          TORCH_VERSION,
          device.is_cpu() ? at::get_num_threads() : 0,
          meaning_of_time(device),
          DeviceMemory(device).free_bytes(),
          device_uuid(device)};
}

SampleAnswer sample_operator(const SampleRequest& request, const CallableOperators& callable,
                             c10::Device device) {
  const c10::InferenceMode off(false);  // backward needs autograd, which inference mode turns off
  return answer_to(request, callable, device);
}

void release_cached_memory(c10::Device device) {
  DeviceMemory(device).release_cache();
}

}  // namespace kjoule::runner
