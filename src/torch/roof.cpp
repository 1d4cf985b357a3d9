#include "torch/roof.hpp"

#include <torch/script.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/clock.hpp"
#include "torch/call_arguments.hpp"
#include "torch/device_facts.hpp"
#include "torch/placement.hpp"

namespace kjoule::runner {

namespace {

/// The sizes of the measured work: large enough to keep a device busy for a millisecond or more, and small
/// enough for a CPU. Several products are timed and the fastest one is used, because the speed of libraries
/// depends on the size.
struct RoofSizes {
  std::array<int64_t, 2> widths;
  int64_t bytes;
  /// Number of operations before the host waits. The wait is negligible compared with milliseconds.
  int repeats;
};
constexpr RoofSizes kOnGpu{{8192, 4096}, int64_t{1} << 30, 4};
constexpr RoofSizes kOnCpu{{1024, 512}, int64_t{1} << 27, 1};
constexpr int kWarmUps = 3;
constexpr int kAttempts = 5;
/// No attempt begins after this time, in s, except the first: a CPU without instructions for a type takes a
/// second for each product.
constexpr double kLongestSeconds = 1;

/// Returns the time of the fastest of several attempts, in s.
template <typename Work>
double fastest_s(c10::Device device, int repeats, const Work& work) {
  const SteadyClock clock;
  const int64_t end_ns = clock.now_ns() + static_cast<int64_t>(kLongestSeconds * 1e9);
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kWarmUps && clock.now_ns() < end_ns; ++i) work();
  for (int i = 0; i < kAttempts && (i == 0 || clock.now_ns() < end_ns); ++i) {
    synchronize(device);
    const int64_t begin_ns = clock.now_ns();
    for (int k = 0; k < repeats; ++k) work();
    synchronize(device);
    fastest = std::min(fastest, static_cast<double>(clock.now_ns() - begin_ns) * 1e-9 / repeats);
  }
  return fastest;
}

/// Returns the rate of the fastest square product in FLOP/s. The second matrix is also transposed, because
/// layers multiply by transposed weights, for which libraries use other kernels.
double product_rate(const RoofSizes& sizes, const at::TensorOptions& options) {
  double rate = 0;
  for (const int64_t width : sizes.widths) {
    const at::Tensor a = at::randn({width, width}, options), b = at::randn_like(a);
    at::Tensor product = at::empty_like(a);
    const auto flops = 2 * std::pow(static_cast<double>(width), 3);
    for (const at::Tensor& right : {b, b.t()}) {
      const auto multiply = [&] { at::mm_out(product, a, right); };
      rate = std::max(rate, flops / fastest_s(options.device(), sizes.repeats, multiply));
    }
  }
  return rate;
}

/// Returns the rate of products in the arithmetic that PyTorch allows for convolutions; nothing if it is the
/// same as for matrix products.
std::optional<double> convolution_rate(const RoofSizes& sizes, const at::TensorOptions& options) {
  at::Context& context = at::globalContext();
  if (options.device().is_cpu() || options.dtype() != at::kFloat || !context.allowTF32CuDNN() ||
      context.allowTF32CuBLAS())
    return {};
  context.setAllowTF32CuBLAS(true);
  const double rate = product_rate(sizes, options);
  context.setAllowTF32CuBLAS(false);
  return rate;
}

/// Returns the highest rate at which memory is copied, read or written, in bytes/s. Products with few rows
/// only read memory, which is faster than copying.
double memory_rate(const RoofSizes& sizes, c10::Device device) {
  const at::Tensor from = at::ones({sizes.bytes / 4}, at::TensorOptions().device(device).dtype(at::kFloat));
  at::Tensor to = at::empty_like(from);
  const auto bytes = static_cast<double>(sizes.bytes);
  return std::max({2 * bytes / fastest_s(device, sizes.repeats, [&] { to.copy_(from); }),
                   bytes / fastest_s(device, sizes.repeats, [&] { from.sum(); }),
                   bytes / fastest_s(device, sizes.repeats, [&] { to.fill_(1); })});
}

}  // namespace

Roof measure_roof(const std::string& type, c10::Device device) {
  const RoofSizes& sizes = device.is_cpu() ? kOnCpu : kOnGpu;
  const auto options = at::TensorOptions().device(device).dtype(find_type(type));
  return {product_rate(sizes, options), memory_rate(sizes, device), convolution_rate(sizes, options),
          cache_size(device)};
}

}  // namespace kjoule::runner
