#include "cuda/replay/stamps.hpp"

#include "cuda/driver/buffer.hpp"
#include "stamps_ptx.hpp"

namespace kjoule::cuda {

namespace {

void launch_one_thread(CUfunction function, CUstream stream, void** arguments) {
  KJOULE_CU(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

}  // namespace

StampKernels::StampKernels()
    : module_(kStampsPtx),
      write_(module_.function(kStampName)),
      do_nothing_(module_.function("do_nothing")),
      measure_(module_.function("measure_clock_steps")) {}

void StampKernels::issue(CUdeviceptr slot, CUstream stream) const {
  void* arguments[] = {&slot};
  launch_one_thread(write_, stream, arguments);
}

void StampKernels::issue_nothing(CUstream stream) const {
  launch_one_thread(do_nothing_, stream, nullptr);
}

ClockSteps StampKernels::measure_clock_steps() const {
  const Buffer steps(2 * sizeof(double));
  CUdeviceptr address = steps.address();
  void* arguments[] = {&address};
  launch_one_thread(measure_, nullptr, arguments);
  const std::vector<double> ns = read_back<double>(steps, 2);
  return {ns[0], ns[1]};
}

}  // namespace kjoule::cuda
