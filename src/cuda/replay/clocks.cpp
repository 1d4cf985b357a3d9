#include "cuda/replay/clocks.hpp"

#include <span>
#include <vector>

#include "base/numbers/statistics.hpp"
#include "clocks_ptx.hpp"
#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

/// Threads per block. At most two blocks of this size fit on a multiprocessor, so that every multiprocessor
/// gets a block.
constexpr unsigned kThreads = 1024;

}  // namespace

ClockKernel::ClockKernel() : module_(kClocksPtx), read_(module_.function("read_clocks")) {
  CUdevice device = 0;
  int processors = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  KJOULE_CU(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  processors_ = static_cast<unsigned>(processors);
  const ClockSpan loaded_before_any_capture(*this);
  loaded_before_any_capture.begin(nullptr);
  KJOULE_CU(cuCtxSynchronize());
}

void ClockKernel::read(CUdeviceptr readings, CUstream stream) const {
  void* arguments[] = {&readings};
  KJOULE_CU(cuLaunchKernel(read_, processors_, 1, 1, kThreads, 1, 1, 0, stream, arguments, nullptr));
}

ClockSpan::ClockSpan(const ClockKernel& kernel)
    : kernel_(kernel), bytes_(kernel.processors() * sizeof(ClockKernel::ClockValue)), readings_(2 * bytes_) {}

std::optional<double> ClockSpan::mean_hz() const {
  const size_t count = kernel_.processors();
  const std::span readings(static_cast<const ClockKernel::ClockValue*>(readings_.get()), 2 * count);
  std::vector<double> clocks;
  for (size_t i = 0; i < count; ++i) {
    const auto& begin = readings[i];
    const auto& end = readings[count + i];
    if (begin.nanoseconds == 0 || end.nanoseconds <= begin.nanoseconds || end.cycles <= begin.cycles)
      continue;
    clocks.push_back(1e9 * static_cast<double>(end.cycles - begin.cycles) /
                     static_cast<double>(end.nanoseconds - begin.nanoseconds));
  }
  if (clocks.empty()) return std::nullopt;
  return median(clocks);
}

}  // namespace kjoule::cuda
