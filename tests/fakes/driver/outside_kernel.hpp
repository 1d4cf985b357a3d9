#pragma once
#include <cstddef>

namespace stand_in {

/// Work of a kernel that another stand-in contains. The kernel named kOutsideKernel has one argument, the
/// address of such an object, which must exist until the kernel has run.
struct OutsideKernel {
  /// Does the work, at the virtual time `begin_ns`. Returns the virtual time until which the kernel waits for
  /// other devices, and nothing smaller than `begin_ns`; negative if the kernel faults.
  double (*run)(OutsideKernel& kernel, double begin_ns) = nullptr;
  const void* read = nullptr;  ///< device memory that the kernel reads; null if none
  size_t read_bytes = 0;
  void* written = nullptr;  ///< device memory that the kernel writes; null if none
  size_t written_bytes = 0;
};
inline constexpr const char* kOutsideKernel = "ncclDevKernel_StandIn";

}  // namespace stand_in
