#include "torch/roof.hpp"

#include <torch/script.h>

#include <algorithm>
#include <limits>

#include "base/clock.hpp"
#include "torch/call_arguments.hpp"
#include "torch/placement.hpp"

namespace kjoule::runner {

namespace {

/// The sizes of the measured work: large enough to keep a device busy for a millisecond or more, and small
/// enough for a CPU.
struct Sizes {
  int64_t width, bytes;
  /// Operations in a row before the host waits; the wait is negligible next to milliseconds.
  int repeats;
};
constexpr Sizes kOnGpu{8192, int64_t{1} << 30, 4};
constexpr Sizes kOnCpu{1024, int64_t{1} << 27, 1};
constexpr int kWarmUps = 3;
constexpr int kAttempts = 5;

/// Returns the time of the fastest of several attempts, in s.
template <typename Work>
double fastest_s(c10::Device device, int repeats, const Work& work) {
  const SteadyClock clock;
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kWarmUps; ++i) work();
  for (int i = 0; i < kAttempts; ++i) {
    synchronize(device);
    const int64_t begin_ns = clock.now_ns();
    for (int k = 0; k < repeats; ++k) work();
    synchronize(device);
    fastest = std::min(fastest, static_cast<double>(clock.now_ns() - begin_ns) * 1e-9 / repeats);
  }
  return fastest;
}

}  // namespace

Roof measure_roof(const std::string& type, c10::Device device) {
  const Sizes sizes = device.is_cpu() ? kOnCpu : kOnGpu;
  const auto options = at::TensorOptions().device(device).dtype(find_type(type));
  const at::Tensor a = at::randn({sizes.width, sizes.width}, options), b = at::randn_like(a);
  at::Tensor product = at::empty_like(a);
  const double product_s = fastest_s(device, sizes.repeats, [&] { at::mm_out(product, a, b); });
  const auto bytes = at::TensorOptions().device(device).dtype(at::kFloat);
  const at::Tensor from = at::ones({sizes.bytes / 4}, bytes);
  at::Tensor to = at::empty_like(from);
  const double copy_s = fastest_s(device, sizes.repeats, [&] { to.copy_(from); });
  const auto width = static_cast<double>(sizes.width);
  return {2 * width * width * width / product_s, 2 * static_cast<double>(sizes.bytes) / copy_s};
}

}  // namespace kjoule::runner
