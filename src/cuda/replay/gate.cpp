#include "cuda/replay/gate.hpp"

#include <atomic>
#include <cstdint>

#include "cuda/driver/check.hpp"
#include "gate_ptx.hpp"

namespace kjoule::cuda {

namespace {

constexpr uint64_t kLongest_ns = 50'000'000;

}  // namespace

Gate::Gate()
    : module_(kGatePtx),
      wait_(module_.function("wait_for_host")),
      pause_(module_.function("pause")),
      memory_(sizeof *opened_),
      opened_(static_cast<unsigned*>(memory_.get())) {}

void Gate::close(CUstream stream) {
  ++closed_;
  uint64_t longest = kLongest_ns;
  void* arguments[] = {&opened_, &closed_, &longest};
  KJOULE_CU(cuLaunchKernel(wait_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

void Gate::open() {
  std::atomic_ref(*opened_).store(closed_, std::memory_order_release);
}

void Gate::pause(CUdeviceptr ns, CUstream stream) const {
  void* arguments[] = {&ns};
  KJOULE_CU(cuLaunchKernel(pause_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

}  // namespace kjoule::cuda
