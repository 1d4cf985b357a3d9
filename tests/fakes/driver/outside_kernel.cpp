#include "outside_kernel.hpp"

#include <algorithm>

#include "entry.hpp"
#include "kernels.hpp"

namespace stand_in {

namespace {

void run_outside(Access& access, const Dimensions&, OutsideKernel* kernel) {
  access(static_cast<const std::byte*>(kernel->read), kernel->read_bytes);
  access(static_cast<std::byte*>(kernel->written), kernel->written_bytes);
  const OutsideDriver waiting;  // it may wait for another process
  const double until_ns = kernel->run(*kernel, running_kernel().begin_ns);
  if (until_ns < 0) throw IllegalAddress("a kernel of another stand-in failed");
  running_kernel().wait_until(until_ns);
}

}  // namespace

std::vector<Kernel> outside_kernels() {
  return {make_kernel(kOutsideKernel, run_outside)};
}

}  // namespace stand_in
